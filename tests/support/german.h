// German, for a while.
#pragma once

#include "app/language.h"

namespace shardscope::testing {

// The program speaks it while this lives.
struct German {
    German() { speak_language(QStringLiteral("de")); }
    ~German() { speak_language(QStringLiteral("en")); }
    German(const German&) = delete;
    German& operator=(const German&) = delete;
};

}  // namespace shardscope::testing
