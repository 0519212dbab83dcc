// Switches the program to German temporarily.
#pragma once

#include "app/language.h"

namespace shardscope::testing {

// The program is in German during its lifetime if `on` is set.
struct German {
    explicit German(bool on = true) {
        if (on) set_language_of_texts(QStringLiteral("de"));
    }
    ~German() { set_language_of_texts(QStringLiteral("en")); }
    German(const German&) = delete;
    German& operator=(const German&) = delete;
};

}  // namespace shardscope::testing
