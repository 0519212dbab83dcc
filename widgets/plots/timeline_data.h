// What the timeline plot shows: one step of every stage in time, and its memory.
#pragma once

#include "explore/timeline.h"
#include "widgets/plots/plot_data.h"

namespace shardscope {

struct TimelineData {
    Timeline line;
    MemoryUse memory;
    bool fits = true;
    bool hypothetical = false;  // times are shown although it does not fit
    [[nodiscard]] bool has_time() const { return fits || hypothetical; }
    // s that one activity takes on the slowest stage; of communication only what is exposed. Folded
    // micro-batches are not among it.
    [[nodiscard]] double seconds(Activity activity) const;
};
TimelineData timeline_data(const Answer& answer, bool hypothetical = false);

// Every interval of every stage that is drawn; none where there are no times.
PlotTable timeline_table(const TimelineData& data);

}  // namespace shardscope
