// Exports figures for reports. A figure has the print theme, a fixed size and font, and a caption. The file
// contains the scenario, so that opening a figure restores the scenario it was made from. The same scenario
// gives the same bytes.
//
// Needs a QApplication; the offscreen platform is sufficient.
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>
#include <any>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "evidence/bandwidth_curve.h"
#include "evidence/runs.h"
#include "explain/output.h"
#include "explore/sensitivity.h"
#include "explore/sweep.h"
#include "files/view.h"
#include "widgets/pin.h"

namespace shardscope {

// Tables of measured runs; each table is a family.
using UserRuns = std::shared_ptr<const std::vector<MeasuredRun>>;

// Pixels of a PNG per unit of the figure's size.
inline constexpr double kMinScale = 1;
inline constexpr double kDefaultScale = 2;
inline constexpr double kMaxScale = 4;

struct FigureRequest {
    std::string plot;  // the name of one of plot_kinds()
    QSize size{960, 600};
    double scale = kDefaultScale;   // of a PNG
    std::vector<Axis> axes;         // sweep, walls
    std::vector<Output> outputs;    // sweep: its panels; others: the one along the vertical axis
    std::optional<Output> against;  // sweep: quantity of the x axis; none: the input itself
    bool side_by_side = false;      // pins in separate panels, if the plot supports it
    bool hypothetical = false;      // show rates although memory does not suffice; the caption notes it
    bool held = false;              // automatic parameters keep their values and are not re-planned
    bool all_free = false;          // plans: all plan parameters may change, not only the automatic ones
    Change change = Change::half_and_double;  // sensitivity
    std::vector<std::string> left_out;        // scaling: hidden curves, by the names of View::kSwitches
    std::vector<Pin> pins;                    // drawn as ghosts
    std::string view;                         // of the scenario, as in SavedScenario; the figure carries it
    std::vector<MeasuredTable> collectives;   // collectives: the user's own, before the public ones
    std::optional<std::size_t> table;         // collectives: index of the selected table
    UserRuns runs;                            // validation: the user's own, beside the public ones
    std::string filter;                       // validation: words of the runs that are shown
    std::any data;                            // the plot's data, once computed; see data_in
};

// Returns the request for the figure that a view describes, without its axes, which the plot adds.
FigureRequest request_of(const View& view);

enum class FigureFormat { svg, pdf, png, csv };
// Returns the format by the file's extension, in upper or lower case; nullopt for any other extension.
std::optional<FigureFormat> format_of(const QString& file);

// Returns the request with its `data` computed, which may take seconds for plots that re-plan. It may be
// called in any thread. After a stop request the result must not be used.
FigureRequest with_computed_data(FigureRequest request, const Answer& answer,
                                 const std::stop_token& stop = {});

// Returns the file's content. If the plot does not exist, the scenario is not valid or the plot cannot draw
// the request, it returns an empty array and sets `problem`.
QByteArray render_figure(const FigureRequest& asked, const Answer& answer, FigureFormat format,
                         QString* problem = nullptr);

}  // namespace shardscope
