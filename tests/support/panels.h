// What the tests of panels share.
#pragma once

#include <QLabel>
#include <catch2/catch.hpp>

#include "widgets/live_model.h"

namespace shardscope::testing {

inline QString text(const QWidget& in, const char* name) {
    const auto* label = in.findChild<QLabel*>(QLatin1String(name));
    REQUIRE(label);
    return label->text();
}

inline bool is_shown(const QWidget& in, const char* name) {
    const auto* widget = in.findChild<QWidget*>(QLatin1String(name));
    REQUIRE(widget);
    return widget->isVisibleTo(&in);
}

// Sets a sequence length that does not fit at the first launch.
inline void overflow(LiveModel& model) {
    model.edit(P::sequence_length, 8192);
    REQUIRE_FALSE(model.answer().fits());
}

}  // namespace shardscope::testing
