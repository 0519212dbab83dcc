// The plots there are, one entry each: what the window's tabs, exports, tables and the command line know of a
// plot is in its entry. To add one: its files, with a PlotKind at the end of one of them, that one's name
// below, a line in plot_kind.cpp, and its name in core/io/studies/view.cpp, which judges views without
// knowing plots (a test holds the two lists equal).
#pragma once

#include <QRectF>
#include <QString>
#include <span>
#include <string_view>

#include "widgets/plots/figure_export.h"
#include "widgets/plots/plot_data.h"

class QCPPainter;

namespace shardscope {

class LiveModel;
class LivePlot;

struct PlotKind {
    std::string_view name;  // "scaling": for --plot, and the tab's object name
    const char* label;      // "Scaling": the tab and the export's title
    // Working it out is a search of many plans, also of a scenario whose plan is locked.
    bool searches = false;
    // Its axes can be chosen.
    bool takes_axes = false;
    // What an export's title says instead of the label; null: nothing.
    QString (*title)(const FigureRequest&) = nullptr;
    // It shows more than the scenario: its export's title, and its footer, do not name the scenario.
    bool general = false;
    // Whether this pinned scenario is a ghost in it, so that the caption names it; null: every valid one is.
    bool (*shows_pin)(const FigureRequest&, const Answer&) = nullptr;
    // Why the request cannot be drawn; null: it always can.
    QString (*objection)(const FigureRequest&, const Answer&) = nullptr;
    // What the three below draw and tell, for `FigureRequest::data`; null: they need the answer alone. Runs
    // in any thread; what a stopped one returns means nothing.
    std::shared_ptr<const void> (*work_out)(const FigureRequest&, const Answer&,
                                            const std::stop_token&) = nullptr;
    // The export's figure in the print theme, and what its caption says of lines and hatches.
    void (*paint)(QCPPainter&, const QRectF& area, const FigureRequest&, const Answer&) = nullptr;
    QString (*words)(const FigureRequest&, const Answer&) = nullptr;
    PlotTable (*table)(const FigureRequest&, const Answer&) = nullptr;  // by table_of
    // Its tab in the window; null: it has none.
    LivePlot* (*make_tab)(LiveModel&) = nullptr;
};

// What the kind's `work_out` made.
template <typename Data>
const Data& data_in(const FigureRequest& request) {
    return *static_cast<const Data*>(request.data.get());
}

// Its table: in English whatever the window speaks, for other programs read it.
PlotTable table_of(const PlotKind& kind, const FigureRequest& request, const Answer& answer);

// In the order of the tabs.
std::span<const PlotKind* const> plot_kinds();
// nullptr when there is none of that name.
const PlotKind* plot_kind(std::string_view name);
// "use scaling, memory or sweep"
QString plot_names();

extern const PlotKind kScalingKind, kWallsKind, kSweepKind, kSensitivityKind, kTimelineKind, kValidationKind,
    kMemoryKind, kWaterfallKind, kPlansKind, kOperatorsKind, kCollectivesKind;

}  // namespace shardscope
