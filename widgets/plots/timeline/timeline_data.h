// The data of the timeline plot: one step of every stage in time, and its memory.
#pragma once

#include "explore/timeline.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

struct TimelineData {
    StepTimeline line;
    MemoryUse memory;
    bool fits = true;
    bool hypothetical = false;  // times are shown although it does not fit
    [[nodiscard]] bool has_time() const { return fits || hypothetical; }
    // Returns the seconds that one activity takes on the slowest stage; for communication only the exposed
    // part. Omitted micro-batches are not included.
    [[nodiscard]] double seconds(Activity activity) const;
};
TimelineData timeline_data(const Answer& answer, bool hypothetical = false);

// The table has every interval of every stage that is drawn; it has no rows if there are no times.
PlotTable timeline_table(const TimelineData& data);

}  // namespace shardscope
