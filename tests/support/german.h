// Switches the program to German temporarily.
#pragma once

#include "app/language.h"

namespace shardscope::testing {

// The program is in German during its lifetime.
struct German {
    German() { speak_language(QStringLiteral("de")); }
    ~German() { speak_language(QStringLiteral("en")); }
    German(const German&) = delete;
    German& operator=(const German&) = delete;
};

}  // namespace shardscope::testing
