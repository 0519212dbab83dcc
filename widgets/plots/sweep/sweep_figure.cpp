#include "widgets/plots/sweep/sweep_figure.h"

#include <algorithm>
#include <cmath>

#include "containers/no_value.h"
#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/plots/sweep/sweep_parts.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kSweepTicks = 5;
constexpr int kBetween = 10;  // px between two outputs of one scenario

Quantity quantity_of(Output id) { return output(id).quantity; }
double factor_of(Output id) { return plot_unit(quantity_of(id)).factor; }

QString with_unit(QString label, Quantity quantity) {
    const PlotUnit unit = plot_unit(quantity);
    const QString symbol = text_of(translate(unit.symbol));
    // "MFU, %", but "Tokens/s/GPU" and "Days" already contain the unit.
    if (unit.symbol == "1" || label.compare(symbol, Qt::CaseInsensitive) == 0 || quantity == Quantity::rate)
        return label;
    return label + QStringLiteral(", ") + symbol;
}

}  // namespace

QString axis_title(Output id) { return with_unit(text_of(label_of(id)), quantity_of(id)); }
QString axis_title(P id) { return with_unit(text_of(label_of(id)), parameter(id).quantity); }
QString axis_title(const SweepData& data) {
    return data.against ? axis_title(*data.against) : axis_title(data.x);
}

const SweepSeries* own_series(const SweepData& data) {
    const auto found = std::ranges::find_if(data.series, &SweepSeries::current);
    return found == data.series.end() ? nullptr : &*found;
}

bool is_memory(Output id) { return id == Output::peak_memory; }

// ---- panels ----------------------------------------------------------------------------------------------

SweepFigure::Parts::Parts(QCustomPlot& target) : plot(target) {
    prepare(plot);
    new PaintedItem(plot, QStringLiteral("background"),
                    [this](QCPPainter& painter) { paint_below(painter); });
    new PaintedItem(plot, QStringLiteral("overlay"), [this](QCPPainter& painter) { paint_above(painter); });
}

bool SweepFigure::Parts::as_made() const {
    if (blocks.size() != (beside ? ghosts.size() + 1 : 1)) return false;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const auto same = [&](const Panel& panel) {
            return panel.lines.size() == shown_in(b).series.size() &&
                   panel.ghosts.size() == (beside ? 0 : ghosts.size());
        };
        if (blocks[b].panels.size() != data.outputs.size() || !std::ranges::all_of(blocks[b].panels, same))
            return false;
        if (blocks[b].letter != (b == 0 ? 'A' : ghosts[b - 1].letter)) return false;
    }
    return true;
}

void SweepFigure::Parts::make_blocks() {
    if (as_made()) return;
    plot.clearPlottables();
    plot.plotLayout()->clear();
    plot.plotLayout()->setRowSpacing(0);
    plot.plotLayout()->setColumnSpacing(0);
    blocks.clear();
    for (std::size_t b = 0; b < (beside ? ghosts.size() + 1 : 1); ++b) {
        Block block;
        if (b > 0) block.letter = ghosts[b - 1].letter;
        for (std::size_t i = 0; i < data.outputs.size(); ++i) block.panels.push_back(make_panel(b));
        blocks.push_back(std::move(block));
    }
    grid = {1, static_cast<int>(blocks.size())};
    place_blocks();
    style_panels();
}

SweepFigure::Parts::Panel SweepFigure::Parts::make_panel(std::size_t block) const {
    Panel panel;
    panel.rect = new QCPAxisRect(&plot, false);
    panel.rect->setAutoMargins(QCP::msNone);
    panel.rect->setMinimumSize(1, 1);  // the layout is computed here
    panel.rect->addAxes(QCPAxis::atBottom | QCPAxis::atLeft);
    for (QCPAxis* axis : panel.rect->axes()) {
        axis->setLayer(QStringLiteral("axes"));
        axis->grid()->setLayer(QStringLiteral("grid"));
    }
    QCPAxis& x = panel.x();
    x.setTicks(false);
    x.setTickLabels(false);
    x.grid()->setVisible(false);
    QCPAxis& y = panel.y();
    use_manual_ticks(y);
    y.grid()->setVisible(true);
    // QCPCurve instead of QCPGraph, because with an output along x a line may go backwards.
    for (std::size_t k = 0; !beside && k < ghosts.size(); ++k) panel.ghosts.push_back(new QCPCurve(&x, &y));
    for (std::size_t k = 0; k < shown_in(block).series.size(); ++k)
        panel.lines.push_back(new QCPCurve(&x, &y));
    return panel;
}

// Places the scenarios row by row in the grid, and the outputs of each scenario one below the other.
void SweepFigure::Parts::place_blocks() {
    QCPLayoutGrid& layout = *plot.plotLayout();
    for (const Block& block : blocks) {
        for (const Panel& panel : block.panels) {
            if (panel.rect->layout()) layout.take(panel.rect);
        }
    }
    layout.simplify();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        Block& block = blocks[b];
        const int row = static_cast<int>(b) / grid.columns;
        const int column = static_cast<int>(b) % grid.columns;
        block.left = column == 0;
        block.lowest = row + 1 == grid.rows;
        for (std::size_t i = 0; i < block.panels.size(); ++i) {
            const int at = row * static_cast<int>(block.panels.size()) + static_cast<int>(i);
            layout.addElement(at, column, block.panels[i].rect);
            block.panels[i].y().setTickLabels(block.left);
            block.panels[i].y().setTicks(block.left);
        }
    }
}

void SweepFigure::Parts::style_panels() {
    style_plot(plot, *theme, fonts);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (const Panel& panel : blocks[b].panels) {
            for (std::size_t k = 0; k < panel.lines.size(); ++k) panel.lines[k]->setPen(pen_of(b, k));
        }
    }
}

// ---- positions -------------------------------------------------------------------------------------------

bool SweepFigure::Parts::log_x() const {
    return !empty() && front().x().scaleType() == QCPAxis::stLogarithmic;
}

Quantity SweepFigure::Parts::along_quantity() const {
    return data.against ? quantity_of(*data.against) : parameter(data.x).quantity;
}

double SweepFigure::Parts::axis_x(double along) const {
    if (apart()) {
        const auto found = std::ranges::find(stops, along);
        return found == stops.end() ? kNoValue : static_cast<double>(found - stops.begin());
    }
    const double value = along / plot_unit(along_quantity()).factor;
    return log_x() && !(value > 0) ? kNoValue : value;
}

double SweepFigure::Parts::axis_y(std::size_t p, const SweepPoint& point) const {
    return point.value[p] / factor_of(data.outputs[p]);
}

// Discrete values are placed side by side, choices in the order in which they are swept. Values that only a
// pin has are placed among them.
void SweepFigure::Parts::find_stops() {
    stops.clear();
    if (data.series.empty() || !apart()) return;
    for_each_series([this](const SweepSeries& series) {
        for (const SweepPoint& point : series.points) {
            if (std::ranges::find(stops, point.x) != stops.end()) continue;
            stops.insert(
                parameter(data.x).named_only ? stops.end() : std::ranges::lower_bound(stops, point.x),
                point.x);
        }
    });
}

QPen SweepFigure::Parts::pen_of(std::size_t block, std::size_t series) const {
    if (shown_in(block).series[series].current)
        return line_pen(scenario_color(*theme, blocks[block].letter), 2.2);
    const std::array<QList<double>, 5> dashes{QList<double>{6, 3}, QList<double>{1.5, 3},
                                              QList<double>{8, 3, 2, 3}, QList<double>{3, 3},
                                              QList<double>{12, 4}};
    return line_pen(theme->muted, 1.3, dashes[series % dashes.size()]);
}

QPen SweepFigure::Parts::pen_of(const Ghost& ghost) const {
    return line_pen(pin_color(*theme, ghost.letter), 2, pin_dash(ghost.letter));
}

QCPScatterStyle SweepFigure::Parts::mark_of(std::size_t block, std::size_t series) const {
    constexpr std::array kShapes{QCPScatterStyle::ssSquare, QCPScatterStyle::ssTriangle,
                                 QCPScatterStyle::ssDiamond, QCPScatterStyle::ssTriangleInverted,
                                 QCPScatterStyle::ssCircle};
    constexpr double kSize = 7;
    if (shown_in(block).series[series].current) {
        const QColor color = scenario_color(*theme, blocks[block].letter);
        return {QCPScatterStyle::ssDisc, color, color, kSize};
    }
    return {kShapes[series % kShapes.size()], QPen(theme->muted, 1.3), QBrush(theme->pane), kSize};
}

// ---- filling ---------------------------------------------------------------------------------------------

void SweepFigure::Parts::fill(QCPCurve& line, const Panel& panel, std::size_t p,
                              const std::vector<SweepPoint>& points, const QPen& pen,
                              const QCPScatterStyle& mark) const {
    const QCPRange range = panel.y().range();
    QList<double> x;
    QList<double> y;
    for (const SweepPoint& point : points) {
        x.append(axis_x(point.along));
        y.append(std::isnan(x.back()) ? kNoValue : axis_y(p, point));
    }
    if (marks()) {
        for (double& value : y) value = range.contains(value) ? value : kNoValue;
    } else {
        cut_to_range(x, y, range.lower, range.upper, log_x(), false);
    }
    line.setData(x, y);
    line.setPen(pen);
    line.setLineStyle(marks() ? QCPCurve::lsNone : QCPCurve::lsLine);
    line.setScatterStyle(marks() ? mark : QCPScatterStyle());
}

void SweepFigure::Parts::fill_lines() {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const SweepData& shown = shown_in(b);
        for (std::size_t p = 0; p < blocks[b].panels.size(); ++p) {
            const Panel& panel = blocks[b].panels[p];
            for (std::size_t k = 0; k < panel.lines.size(); ++k)
                fill(*panel.lines[k], panel, p, shown.series[k].points, pen_of(b, k), mark_of(b, k));
            for (std::size_t k = 0; k < panel.ghosts.size(); ++k) {
                const QPen pen = pen_of(ghosts[k]);
                constexpr double kMark = 9;
                fill(*panel.ghosts[k], panel, p, ghosts[k].data.series.front().points, pen,
                     {QCPScatterStyle::ssCircle, QPen(pen.color(), 1.5), Qt::NoBrush, kMark});
            }
        }
    }
}

// All panels have the same range, so that they can be compared.
void SweepFigure::Parts::fit_x() {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    double least = low;  // smallest value above zero
    bool positive = true;
    const double factor = apart() ? 1 : plot_unit(along_quantity()).factor;
    for_each_series([&](const SweepSeries& series) {
        for (const SweepPoint& point : series.points) {
            const double value = apart() ? axis_x(point.x) : point.along / factor;
            if (!std::isfinite(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
            if (value > 0) least = std::min(least, value);
            else positive = false;
        }
    });
    bool logarithmic = !apart() && positive && parameter(data.x).logarithmic;
    if (data.against) {
        // The scale of an output is not known in advance. It is logarithmic if the values cover decades; zero
        // has no position on that scale.
        constexpr double kDecades = 100;
        logarithmic = low >= 0 && high > kDecades * least;
        if (logarithmic) low = least;
        constexpr double kAll = 100;
        if (!logarithmic && along_quantity() == Quantity::percent && low >= 0 && high <= kAll) {
            low = 0;
            high = kAll;
        }
    }
    if (!(low < high)) {
        const double middle = std::isfinite(low) ? low : 0;
        low = logarithmic ? middle / 2 : middle - 1;
        high = logarithmic ? middle * 2 : middle + 1;
    }
    if (apart()) {
        low -= kHalfStep;
        high += kHalfStep;
    }
    for (const Block& block : blocks) {
        for (const Panel& panel : block.panels) {
            panel.x().setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        }
    }
    x_zoom.fit({low, high}, logarithmic);
}

void SweepFigure::Parts::fit_y(std::size_t p) {
    const Output id = data.outputs[p];
    double bottom = 0;
    double top = 0;
    for_each_series([&](const SweepSeries& series) {
        for (const SweepPoint& point : series.points) {
            const double value = axis_y(p, point);
            if (!std::isfinite(value)) continue;
            top = std::max(top, value);
            bottom = std::min(bottom, value);
        }
    });
    if (is_memory(id)) {
        // Values far beyond the capacity matter less than the place where the capacity is exceeded.
        double capacity = 0;
        double now = 0;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const SweepData& shown = shown_in(b);
            capacity = std::max(capacity, shown.capacity / factor_of(id));
            if (const double here = axis_y(p, shown.current); !std::isnan(here)) now = std::max(now, here);
        }
        top = std::min(top, std::max(2 * capacity, 1.15 * now));
        top = std::max(top, 1.1 * capacity);
    }
    const bool share = quantity_of(id) == Quantity::percent && top <= 100 && bottom >= 0;
    const double most = share ? 100 : std::numeric_limits<double>::infinity();
    top = top > 0 ? std::min(most, round_top(top, kSweepTicks)) : share ? most : 1;
    if (bottom < 0) bottom = -round_top(-bottom, kSweepTicks);
    y_zoom[p].fit({bottom, top});
}

void SweepFigure::Parts::show_y(std::size_t p) {
    const auto [bottom, top] = y_zoom[p].range();
    for (const Block& block : blocks) {
        QCPAxis& y = block.panels[p].y();
        y.setRange(bottom, top);
        auto ticker = y.ticker().staticCast<QCPAxisTickerText>();
        ticker->clear();
        for (const double value : linear_ticks(bottom, top, kSweepTicks))
            ticker->addTick(value, shown(value, Quantity::count));
    }
}

void SweepFigure::Parts::show_part() {
    const AxisRange across = x_zoom.range();
    for (const Block& block : blocks) {
        for (const Panel& panel : block.panels) panel.x().setRange(across.from, across.to);
    }
    for (std::size_t p = 0; p < data.outputs.size(); ++p) show_y(p);
    fill_lines();
}

void SweepFigure::Parts::fit_axes() {
    fit_x();
    y_zoom.resize(data.outputs.size());
    for (std::size_t p = 0; p < data.outputs.size(); ++p) fit_y(p);
}

double SweepFigure::Parts::tag_room() const {
    if (beside || std::ranges::none_of(data.outputs, is_memory)) return 0;
    double widest = text_width(fonts.small_bold, usable_words());
    for (const PinLimit& pinned : pinned_limits())
        widest = std::max(widest, text_width(fonts.small_bold, limit_words(pinned)));
    return kFigureMargin + 6 + widest;
}

QString SweepFigure::Parts::usable_words() const {
    return tr("usable %1").arg(shown(data.capacity, Quantity::bytes, false));
}

std::vector<PinLimit> SweepFigure::Parts::pinned_limits() const {
    return limits_of_pins(ghosts, data.capacity, [](const Ghost& one) { return one.data.capacity; });
}

QString SweepFigure::Parts::limit_words(const PinLimit& pinned) {
    return pinned.letters + QLatin1Char(' ') + shown(pinned.value, Quantity::bytes, false);
}

void SweepFigure::Parts::lay_out(const QSize& size) {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    double widest = small.horizontalAdvance(tr("wall"));
    for (const Panel& panel : blocks.front().panels)
        widest = std::max(widest, widest_tick(panel.y(), fonts.small));
    // All sizes are whole pixels, so that all frames have the same size.
    const auto whole = [](double pixels) { return static_cast<int>(std::ceil(pixels)); };
    const int left = whole(widest + kTickLength + 4 + kFigureMargin);
    // The label of the capacity, or half of the last tick's label, is outside the frame.
    const int right =
        whole(std::max(kFigureMargin + small.horizontalAdvance(QStringLiteral("16,384")) / 2, tag_room()));
    const int top = whole(bold.height() + kAxisTitleGap);
    const int axis = whole(4 + kStrip + kTickLength + 2 + small.height() + 4);
    const int axis_name = whole(bold.height() + 6);
    const int outputs = static_cast<int>(data.outputs.size());

    const int bare = axis + outputs * top + (outputs - 1) * kBetween;
    const double least = bare + (beside ? height_of_panel_title(1, fonts) : 0);
    const PanelGrid wanted =
        panel_grid(static_cast<int>(blocks.size()), outputs,
                   QSizeF(size.width() - left, size.height() - axis_name), QSizeF(right, least));
    if (wanted.columns != grid.columns || wanted.rows != grid.rows) {
        grid = wanted;
        place_blocks();
    }
    // The panels at the left and at the bottom also have the axes' labels.
    const int width = std::max(1, (size.width() - left - grid.columns * right) / grid.columns);
    int lines = 1;
    for (std::size_t b = 0; beside && b < blocks.size(); ++b)
        lines = std::max(lines, lines_of_panel_title(name_of(b), width, fonts));
    const auto title_with = [&](int n) { return beside ? whole(height_of_panel_title(n, fonts)) : 0; };
    const auto height_with = [&](int n) {
        return (size.height() - axis_name - grid.rows * (bare + title_with(n))) / (grid.rows * outputs);
    };
    // Where frames would become too low, one line has as much of the name as fits beside the letter.
    if (height_with(lines) < kLowFrame) lines = 1;
    title_height = title_with(lines);
    const int around = bare + title_height;
    const int height = std::max(1, height_with(lines));
    QCPLayoutGrid& layout = *plot.plotLayout();
    layout.setMargins({0, 0, std::max(0, size.width() - left - grid.columns * (width + right)),
                       std::max(0, size.height() - axis_name - grid.rows * (around + outputs * height))});
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Block& block = blocks[b];
        const int row = static_cast<int>(b) / grid.columns * outputs;
        const int block_left = block.left ? left : 0;
        layout.setColumnStretchFactor(static_cast<int>(b) % grid.columns, block_left + width + right);
        for (int i = 0; i < outputs; ++i) {
            const int above = top + (i == 0 ? title_height : 0);
            const int below = i + 1 < outputs ? kBetween : axis + (block.lowest ? axis_name : 0);
            block.panels[static_cast<std::size_t>(i)].rect->setMargins({block_left, above, right, below});
            layout.setRowStretchFactor(row + i, above + height + below);
        }
    }
}

// ---- the figure ------------------------------------------------------------------------------------------

SweepFigure::SweepFigure(QCustomPlot& plot) : parts_(std::make_unique<Parts>(plot)) {}
SweepFigure::~SweepFigure() = default;

void SweepFigure::set_style(const Theme& theme, const QFont& font) {
    parts_->theme = &theme;
    parts_->fonts = FigureFonts(font);
    parts_->style_panels();
}

void SweepFigure::set_data(SweepData data) {
    const SweepData& before = parts_->data;
    if (data.x != before.x || data.outputs != before.outputs || data.against != before.against) {
        parts_->x_zoom.show_all();
        parts_->y_zoom.clear();
    }
    parts_->data = std::move(data);
    parts_->find_stops();
    parts_->make_blocks();
    parts_->fill_lines();
}

void SweepFigure::set_current(const SweepPoint& current) { parts_->data.current = current; }

void SweepFigure::set_ghosts(std::vector<Ghost> ghosts) {
    parts_->ghosts = std::move(ghosts);
    parts_->find_stops();
    parts_->make_blocks();
    parts_->fill_lines();
}

void SweepFigure::set_side_by_side(bool on, const QString& name) {
    parts_->name = name;
    if (parts_->beside == on) return;
    parts_->beside = on;
    parts_->make_blocks();
    parts_->fill_lines();
}

void SweepFigure::set_strength(double strength) { parts_->strength = strength; }

bool SweepFigure::inside(const QPointF& pixel) const {
    return !parts_->blocks.empty() &&
           std::ranges::any_of(parts_->blocks.front().panels, [&](const Parts::Panel& panel) {
               return frame_of(*panel.rect).contains(pixel);
           });
}

double SweepFigure::input_at(const QPointF& pixel) const {
    const Parts& p = *parts_;
    if (!p.data.against) {
        const double at = p.front().x().pixelToCoord(pixel.x());
        if (!p.apart()) return at * plot_unit(parameter(p.data.x).quantity).factor;
        if (p.stops.empty()) return p.data.current.x;
        const double last = static_cast<double>(p.stops.size()) - 1;
        return p.stops[static_cast<std::size_t>(std::clamp(std::round(at), 0.0, last))];
    }
    const SweepSeries* own = own_series(p.data);
    if (!own) return p.data.current.x;
    const auto& panels = p.blocks.front().panels;
    const auto below = std::ranges::find_if(
        panels, [&](const Parts::Panel& panel) { return frame_of(*panel.rect).bottom() >= pixel.y(); });
    const std::size_t output_index =
        below == panels.end() ? panels.size() - 1 : static_cast<std::size_t>(below - panels.begin());
    const Parts::Panel& panel = panels[output_index];
    const bool between = !p.marks();
    const bool logarithmic = parameter(p.data.x).logarithmic;
    double nearest = std::numeric_limits<double>::infinity();
    double found = p.data.current.x;
    const auto offer = [&](double x, double y, double input) {
        constexpr double kAlong = 8;  // weight of the distance along x, since dragging is along x
        constexpr double kFar = 1e4;  // px; points that are not drawn here are less likely
        const double off = std::hypot(kAlong * (x - pixel.x()), std::isnan(y) ? kFar : y - pixel.y());
        if (off >= nearest) return;
        nearest = off;
        found = input;
    };
    const auto at = [&](const SweepPoint& point) {
        return QPointF(panel.x().coordToPixel(p.axis_x(point.along)),
                       panel.y().coordToPixel(p.axis_y(output_index, point)));
    };
    for (std::size_t i = 0; i < own->points.size(); ++i) {
        const SweepPoint& to = own->points[i];
        const QPointF here = at(to);
        if (std::isnan(here.x())) continue;
        offer(here.x(), here.y(), to.x);
        if (i == 0 || !between) continue;
        const SweepPoint& from = own->points[i - 1];
        const QPointF before = at(from);
        const double share = (pixel.x() - before.x()) / (here.x() - before.x());
        if (!(share > 0 && share < 1)) continue;
        offer(pixel.x(), before.y() + share * (here.y() - before.y()),
              logarithmic && from.x > 0 ? from.x * std::pow(to.x / from.x, share)
                                        : from.x + share * (to.x - from.x));
    }
    return found;
}

double SweepFigure::pixel_of(double x) const {
    const Parts& p = *parts_;
    double along = x;
    if (p.data.against) {
        along = p.data.current.along;
        if (const SweepSeries* own = own_series(p.data)) {
            const auto nearest = std::ranges::min_element(
                own->points, {}, [x](const SweepPoint& point) { return std::fabs(point.x - x); });
            if (nearest != own->points.end()) along = nearest->along;
        }
    }
    return p.front().x().coordToPixel(p.axis_x(along));
}

double SweepFigure::guide() const {
    return parts_->front().x().coordToPixel(parts_->axis_x(parts_->data.current.along));
}

// The ruler stands at a point of the curve: at the nearest one along x, or near the current value there. The
// points around it may be less than a pixel apart.
std::optional<QPointF> SweepFigure::ruler_place(const QPointF& pixel) const {
    const Parts& p = *parts_;
    if (p.empty() || p.data.series.empty() || !inside(pixel)) return std::nullopt;
    const SweepSeries* own = own_series(p.data);
    const auto& points = own ? own->points : p.data.series.front().points;
    constexpr double kNear = 4;  // px
    double found = p.data.current.x;
    if (std::fabs(guide() - pixel.x()) <= kNear) return QPointF(found, 0);
    double nearest = std::numeric_limits<double>::infinity();
    for (const SweepPoint& point : points) {
        const double off = std::fabs(p.front().x().coordToPixel(p.axis_x(point.along)) - pixel.x());
        if (!(off < nearest)) continue;
        nearest = off;
        found = point.x;
    }
    return QPointF(found, 0);
}

std::optional<RulerStop> SweepFigure::ruler_stop(const QPointF& place) const {
    const Parts& p = *parts_;
    if (p.empty() || p.data.series.empty()) return std::nullopt;
    const Parts::Block& block = p.blocks.front();
    const auto nearest_in = [](const std::vector<SweepPoint>& points, double x) {
        return std::ranges::min_element(points, {},
                                        [x](const SweepPoint& one) { return std::fabs(one.x - x); });
    };
    // The point may have moved a little since the ruler was fixed there.
    const SweepSeries* own = own_series(p.data);
    const auto& own_points = own ? own->points : p.data.series.front().points;
    if (own_points.empty()) return std::nullopt;
    const double input = nearest_in(own_points, place.x())->x;
    RulerStop out;
    out.place = place;
    out.title = text_of(label_of(p.data.x)) + QLatin1Char(' ') + text_of(format(p.data.x, input));
    out.x = pixel_of(input);
    for (const Parts::Panel& panel : block.panels) out.area |= frame_of(*panel.rect);
    if (out.x < out.area.left() || out.x > out.area.right()) return std::nullopt;
    const auto add = [&](const QString& name, const QPen& pen, const std::vector<SweepPoint>& points,
                         std::size_t output) {
        const auto point = nearest_in(points, input);
        if (point == points.end()) return;
        const Parts::Panel& panel = block.panels[output];
        const double y = panel.y().coordToPixel(p.axis_y(output, *point));
        const QRectF frame = frame_of(*panel.rect);
        // Against a result, the points of other curves are at other places along x.
        const bool here = !p.data.against || &points == &own_points;
        const bool seen = here && y >= frame.top() - 1 && y <= frame.bottom() + 1;
        out.readings.push_back({name, pen.color(), point->value[output], quantity_of(p.data.outputs[output]),
                                point->valid ? tr("does not fit") : tr("not possible"), seen ? y : kNoValue,
                                pen});
    };
    for (std::size_t i = 0; i < block.panels.size(); ++i) {
        const QString label = text_of(label_of(p.data.outputs[i]));
        for (std::size_t k = 0; k < p.data.series.size(); ++k) {
            const SweepSeries& series = p.data.series[k];
            const QString member = p.data.family
                                       ? QStringLiteral(", ") + p.name_of_member(p.data, series.member, false)
                                       : QString();
            add(label + member, p.pen_of(0, k), series.points, i);
        }
        for (const Ghost& ghost : p.ghosts) {
            if (!ghost.data.series.empty())
                add(tr("%1, pin %2").arg(label).arg(QLatin1Char(ghost.letter)), p.pen_of(ghost),
                    ghost.data.series.front().points, i);
        }
    }
    if (const SweepPoint& here = *nearest_in(own_points, input); here.valid) {
        const Wall wall = here.verdict == Verdict::does_not_fit ? Wall::memory : here.wall;
        out.readings.push_back(
            {tr("Wall"), p.theme->of(wall), kNoValue, {}, text_of(label_of(wall)), kNoValue});
    }
    return out;
}

char SweepFigure::title_at(const QPointF& pixel) const {
    const Parts& p = *parts_;
    for (std::size_t b = 1; b < p.blocks.size(); ++b) {
        if (p.title_row(b).contains(pixel)) return p.blocks[b].letter;
    }
    return 0;
}

void SweepFigure::refit(const QSize& size) {
    if (parts_->data.series.empty()) return;
    parts_->fit_axes();
    parts_->show_part();
    parts_->lay_out(size);
}

std::vector<ZoomableFigure::Frame> SweepFigure::frames() const {
    Parts& p = *parts_;
    std::vector<Frame> out;
    // Axes that were never fitted cannot be zoomed.
    if (p.y_zoom.size() != p.data.outputs.size()) return out;
    for (const Parts::Block& block : p.blocks) {
        for (std::size_t i = 0; i < block.panels.size(); ++i)
            out.push_back({frame_of(*block.panels[i].rect), &p.x_zoom, &p.y_zoom[i]});
    }
    return out;
}

void SweepFigure::apply_zoom() {
    if (!parts_->empty()) parts_->show_part();
}

QPointF SweepFigure::zoom_center() const {
    const Parts& p = *parts_;
    if (p.empty()) return {};
    const QRectF area = frame_of(*p.front().rect);
    const QPointF here = current_dot(0);
    const double y = std::isnan(here.y()) ? area.center().y() : p.front().y().coordToPixel(here.y());
    return {std::clamp(guide(), area.left(), area.right() - 1), std::clamp(y, area.top(), area.bottom() - 1)};
}

bool SweepFigure::shows_scenario() const {
    const Parts& p = *parts_;
    for (std::size_t i = 0; i < p.y_zoom.size(); ++i) {
        const QPointF here = current_dot(i);
        if (!p.x_zoom.contains(here.x())) return false;
        if (p.y_zoom[i].zoomed() && !std::isnan(here.y()) && !p.y_zoom[i].contains(here.y())) return false;
    }
    return true;
}

const SweepData& SweepFigure::data() const { return parts_->data; }

QPointF SweepFigure::current_dot(std::size_t panel) const {
    const Parts& p = *parts_;
    return {p.axis_x(p.data.current.along), p.axis_y(panel, p.data.current)};
}

QString SweepFigure::description() const {
    const Parts& p = *parts_;
    if (p.data.outputs.empty()) return {};
    const auto values = [&](const SweepData& shown) {
        QStringList out;
        for (std::size_t i = 0; i < p.data.outputs.size(); ++i) {
            const Output id = p.data.outputs[i];
            out.append(text_of(label_of(id)) + QLatin1Char(' ') +
                       QString::fromStdString(format(shown.current.value[i], quantity_of(id))));
        }
        return out.join(QStringLiteral(", "));
    };
    QString words = tr("Sweep over %1. At %2: %3.")
                        .arg(text_of(label_of(p.data.x)),
                             QString::fromStdString(format(p.data.x, p.data.current.x)), values(p.data));
    if (p.data.against)
        words += QLatin1Char(' ') + tr("Drawn against %1.").arg(text_of(label_of(*p.data.against)));
    for (std::size_t b = 1; b < p.blocks.size(); ++b) {
        const Ghost& ghost = p.ghosts[b - 1];
        words += QLatin1Char(' ') + tr("Beside it %1, %2, at %3: %4.")
                                        .arg(QLatin1Char(ghost.letter))
                                        .arg(ghost.name,
                                             QString::fromStdString(format(p.data.x, ghost.data.current.x)),
                                             values(ghost.data));
    }
    return words;
}

}  // namespace shardscope
