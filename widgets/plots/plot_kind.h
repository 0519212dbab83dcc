// The registry of plots, one entry each: all that the window's tabs, exports, tables and the command line
// need from a plot is in its entry. To add a plot, write its files with a PlotKind at the end of one of them
// and add a line to core/io/files/plots.inc; its help page is resources/help/NAME.md.
#pragma once

#include <QRectF>
#include <QString>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "widgets/plots/figure_export.h"
#include "widgets/plots/plot_table.h"

class QCPPainter;

namespace shardscope {

class LiveModel;
class LivePlot;

struct PlotKind {
    std::string_view name;                  // "scaling": for --plot, and the tab's object name
    const char* label;                      // "Scaling": the tab and the export's title
    const char* accessible_name = nullptr;  // "Scaling plot": the tab's tool tip, and for screen readers
    // The object name of the panel that shows it, if it is not a tab; empty: as `name`.
    std::string_view panel{};
    // Computing its data is a search of many plans, even for a scenario whose plan is locked.
    bool searches = false;
    // Returns its options in a view; null: it has none.
    PlotOptions (*options)(const View&, const Scenario&) = nullptr;
    // Returns the text that replaces the label in an export's title; null: the label is used.
    QString (*title)(const FigureRequest&) = nullptr;
    // It shows more than the scenario, so its export's title and footer do not name the scenario.
    bool general = false;
    // Returns an export's footer; null: the version and the parameters that influence the numbers most.
    QString (*footer)() = nullptr;
    // Returns whether a general figure shows the scenario, too, so that the caption describes it; null:
    // never.
    bool (*shows_scenario)(const FigureRequest&, const Answer&) = nullptr;
    // Returns whether this pinned scenario is drawn as a ghost, so that the caption names it; null: every
    // valid one is.
    bool (*shows_pin)(const FigureRequest&, const Pin&) = nullptr;
    // Returns why the request cannot be drawn, or an empty text; null: it can always be drawn.
    QString (*objection)(const FigureRequest&, const Answer&) = nullptr;
    // The least height of its figure, px, in an export whose height follows from the width.
    double least_height = 240;
    // Computes `FigureRequest::data`, which the three functions below need; null: they need the answer alone.
    // It runs in any thread; after a stop request its result must not be used.
    std::shared_ptr<const PlotData> (*compute_data)(const FigureRequest&, const Answer&,
                                                    const std::stop_token&) = nullptr;
    // `paint` draws the export's figure in the print theme; `words` returns what its caption says about lines
    // and hatches.
    void (*paint)(QCPPainter&, const QRectF& area, const FigureRequest&, const Answer&) = nullptr;
    QString (*words)(const FigureRequest&, const Answer&) = nullptr;
    PlotTable (*table)(const FigureRequest&, const Answer&) = nullptr;  // called by table_of
    // Creates its tab in the window; null: it has none.
    LivePlot* (*make_tab)(LiveModel&) = nullptr;
};

// The data of a plot whose numbers have the type `Data`.
template <typename Data>
class PlotDataOf : public PlotData {
  public:
    explicit PlotDataOf(Data data) : data_(std::move(data)) {}
    [[nodiscard]] const Data& get() const { return data_; }

  private:
    Data data_;
};
// Returns data for a request. It is shared, because requests are copied.
template <typename Data>
std::shared_ptr<const PlotData> as_plot_data(Data data) {
    return std::make_shared<const PlotDataOf<Data>>(std::move(data));
}
// Returns the data that the kind's `compute_data` computed.
template <typename Data>
const Data& data_in(const FigureRequest& request) {
    return dynamic_cast<const PlotDataOf<Data>&>(*request.data).get();
}

// Returns the plot's table, which is always in English because other programs read it.
PlotTable table_of(const PlotKind& kind, const FigureRequest& request, const Answer& answer);
// Returns why this table of the plot has no rows, for instance because nothing is pinned; empty if it has
// some.
QString why_empty(const PlotTable& table, const PlotKind& kind, const FigureRequest& request,
                  const Answer& answer);

// In the order of the tabs.
std::span<const PlotKind* const> plot_kinds();
// Returns nullptr if there is no plot of that name.
const PlotKind* plot_kind(std::string_view name);
// "use scaling, memory or sweep"
QString plot_names();

#define SHARDSCOPE_PLOT(name, kind) extern const PlotKind kind;
#include "files/plots.inc"

}  // namespace shardscope
