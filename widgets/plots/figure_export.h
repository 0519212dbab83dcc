// Figures for reports: the print theme, a fixed size and font, a caption, and the scenario inside the file,
// so that a figure opens as the scenario it was made from. The same scenario gives the same bytes.
//
// Needs a QApplication; the offscreen platform will do.
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>
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

// Tables of measured runs, each a family.
using OwnRuns = std::shared_ptr<const std::vector<MeasuredRun>>;

// PNG: pixels per unit of a figure's size.
inline constexpr double kLeastScale = 1;
inline constexpr double kUsualScale = 2;
inline constexpr double kMostScale = 4;

struct FigureRequest {
    std::string plot;  // the name of one of plot_kinds()
    QSize size{960, 600};
    double scale = kUsualScale;      // PNG
    std::vector<Axis> axes;          // sweep, walls
    std::vector<Output> outputs;     // sweep; others: the one along the vertical axis
    Output against = Output::count;  // sweep: what points stand over; Output::count: the input itself
    bool side_by_side = false;       // pins in panels of their own, where the plot can
    bool hypothetical = false;       // rates although it does not fit, said so in the caption
    bool held = false;               // what is automatic keeps its values, instead of being planned anew
    bool all_free = false;           // plans: all plan parameters may change, not only the automatic ones
    Change change = Change::half_and_double;  // sensitivity
    std::vector<std::string> left_out;        // scaling: curves, by the names of View::kSwitches
    std::vector<Pin> pins;                    // drawn as ghosts
    std::vector<MeasuredTable> collectives;   // collectives: one's own, before the public ones
    std::optional<std::size_t> table;         // collectives: which is looked at
    OwnRuns runs;                             // validation: one's own, beside the public ones
    std::shared_ptr<const void> data;         // what is drawn, in its kind's own type, once it is worked out
};

// The figure that a view is of; its axes are the plot's own matter.
FigureRequest request_of(const View& view);

enum class FigureFormat { svg, pdf, png, csv };
// By the file's ending, in either case; nothing for another one.
std::optional<FigureFormat> format_of(const QString& file);

// With what is drawn worked out, which may take seconds where plots plan anew. In any thread; a stopped one
// means nothing.
FigureRequest worked_out(FigureRequest request, const Answer& answer, const std::stop_token& stop = {});

// Empty, with what is wrong in `problem`, for a plot that does not exist or a scenario that is not valid.
QByteArray render_figure(const FigureRequest& asked, const Answer& answer, FigureFormat format,
                         QString* problem = nullptr);

}  // namespace shardscope
