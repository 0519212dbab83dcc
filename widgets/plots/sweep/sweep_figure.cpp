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

constexpr int kBetween = 10;  // px between two outputs of one scenario

QString with_unit(QString label, Quantity quantity) {
    const PlotUnit unit = plot_unit(quantity);
    const QString symbol = text_of(translate(unit.symbol));
    // "MFU, %", but "Tokens/s/GPU" and "Days" already contain the unit.
    if (unit.symbol == "1" || label.compare(symbol, Qt::CaseInsensitive) == 0 || quantity == Quantity::rate)
        return label;
    return label + QStringLiteral(", ") + symbol;
}

}  // namespace

QString axis_title(Output id) { return with_unit(text_of(label_of(id)), output(id).quantity); }
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
                       QString::fromStdString(format(shown.current.value[i], output(id).quantity)));
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
