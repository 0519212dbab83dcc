// Exports figures for reports. A figure has the print theme, a fixed size and font, and a caption. The file
// contains the scenario, so that opening a figure restores the scenario it was made from. The same scenario
// gives the same bytes.
//
// Needs a QApplication; the offscreen platform is sufficient.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QSize>
#include <QString>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "files/view.h"
#include "widgets/pin.h"
#include "widgets/plots/plot_options.h"

namespace shardscope {

// Pixels of a PNG per unit of the figure's size.
inline constexpr double kMinScale = 1;
inline constexpr double kDefaultScale = 2;
inline constexpr double kMaxScale = 4;

// The base of what a plot computes for its figure. Each plot has its own type; see plot_kind.h.
class PlotData {
  public:
    virtual ~PlotData() = default;
};

struct FigureRequest {
    std::string plot;              // the name of one of plot_kinds()
    QSize size{960, 600};          // in 1/96 inch
    bool own_height = true;        // false: the height follows from the width and the texts
    double scale = kDefaultScale;  // of a PNG
    // In a report, the text around the figures names the scenario, its plan and the pins once for all.
    bool in_report = false;
    bool hypothetical = false;  // show rates although memory does not suffice; the caption notes it
    std::vector<Pin> pins;      // drawn as ghosts
    SavedView view;             // of the scenario; the figure carries it
    PlotOptions options;        // of the plot; std::monostate: its defaults
    std::shared_ptr<const PlotData> data;  // of the plot, once computed; see data_in
};

// Returns the request for the figure of the scenario that a view describes. Its `options` are those of its
// plot.
FigureRequest request_of(const View& view, const Scenario& scenario);

// Returns the options of a request for the plot that has these options.
template <typename Options>
Options options_in(const FigureRequest& request) {
    const auto* found = std::get_if<Options>(&request.options);
    return found ? *found : Options{};
}

enum class FigureFormat { svg, pdf, png, csv };
// Returns the format by the file's extension, in upper or lower case; nullopt for any other extension.
std::optional<FigureFormat> format_of(const QString& file);

// Returns the request with its `data` computed, which may take seconds for plots that re-plan. It may be
// called in any thread. After a stop request the result must not be used.
FigureRequest with_computed_data(FigureRequest request, const Answer& answer,
                                 const std::stop_token& stop = {});

// Returns the request with the height of its page; the data must be known.
FigureRequest with_height(FigureRequest request, const Answer& answer);
// Returns the figure as an image of `scale` pixels per unit of its size. The data and the height must be
// known, and the plot must accept the request.
QImage draw_figure(const FigureRequest& request, const Answer& answer, double scale);
// Returns why the plot cannot be drawn; empty if it can.
QString objection_to(const FigureRequest& request, const Answer& answer);

// Returns the file's content. If the plot does not exist, the scenario is not valid or the plot cannot draw
// the request, it returns an empty array and sets `problem`.
QByteArray render_figure(const FigureRequest& asked, const Answer& answer, FigureFormat format,
                         QString* problem = nullptr);

}  // namespace shardscope
