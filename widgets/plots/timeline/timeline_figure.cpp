#include "widgets/plots/timeline/timeline_figure.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "containers/no_value.h"
#include "widgets/drawing.h"
#include "widgets/plots/timeline/timeline_parts.h"
#include "widgets/plots/timeline/timeline_words.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kMemoryShare = 0.24;  // of the height, at least
constexpr double kTallest = 116;       // px of one stage's lanes
constexpr double kBeside = 16;         // around the lanes' labels
constexpr double kLaneGap = 12;        // between lanes and memory
constexpr double kStepMargin = 1.015;  // of the step: the end of the axis

// Returns what a lane does at a time; nullptr for nothing.
const Interval* interval_at(const StageTimeline& stage, bool communication, double time) {
    const Interval* found = nullptr;
    for (const Interval& interval : communication ? stage.communication : stage.compute) {
        if (interval.start > time) break;
        // Exposed communication is drawn on top.
        if (interval.end > time && (!found || interval.exposed)) found = &interval;
    }
    return found;
}

// Returns the memory of a stage at a time within the step.
std::optional<double> bytes_at(const StageTimeline& stage, double time) {
    const auto after = std::ranges::lower_bound(stage.memory, time, {}, &MemoryPoint::time);
    if (after == stage.memory.end() || after == stage.memory.begin()) return std::nullopt;
    const MemoryPoint& from = *(after - 1);
    const double part = after->time > from.time ? (time - from.time) / (after->time - from.time) : 1;
    return from.bytes + part * (after->bytes - from.bytes);
}

}  // namespace

TimelineFigure::Parts::TimeUnit TimelineFigure::Parts::unit() const {
    if (data.line.end >= 1) return {"s", 1};
    if (data.line.end >= 1e-3) return {"ms", 1e-3};
    return {"µs", 1e-6};
}

QString TimelineFigure::Parts::in_unit(double seconds) const {
    const Shown own = shardscope::show(seconds, Quantity::seconds);
    return own.unit == unit().symbol ? QString::fromStdString(own.number)
                                     : shown(seconds / unit().seconds, Quantity::fraction);
}

TimelineFigure::Parts::Parts(QCustomPlot& target) : plot(target) {
    prepare(plot);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setVisible(false);
        axis->grid()->setVisible(false);
    }
    x().setRange(0, 1);
    // The number of the key's rows is known only when the width is known.
    QObject::connect(&plot, &QCustomPlot::afterLayout, plot.axisRect(), [this] { place_key(); });
    new PaintedItem(plot, QStringLiteral("overlay"), [this](QCPPainter& painter) { paint(painter); });
}

LaneView TimelineFigure::Parts::view() const {
    return {[this](double seconds) { return at(seconds); },
            {x().range().lower, x().range().upper},
            theme,
            fonts.small,
            data.line.omitted,
            has_pipeline()};
}

CurveView TimelineFigure::Parts::curve_view(const QRectF& area) const {
    return {[this](double seconds) { return at(seconds); }, area, memory_top, theme};
}

double TimelineFigure::Parts::longest() const {
    double out = data.line.end;
    for (const Ghost& ghost : ghosts) {
        if (!is_far(ghost)) out = std::max(out, ghost.end);
    }
    return out;
}

// ---- layout ----------------------------------------------------------------------------------------------

void TimelineFigure::Parts::fit() {
    if (data.line.stages.empty()) return;
    x_zoom.fit({0, kStepMargin * longest()});
    show_part();
    constexpr double kHeadroom = 1.08;
    memory_top = std::max(data.memory.capacity, data.memory.peak);
    for (const PinLimit& pinned : pinned_limits()) memory_top = std::max(memory_top, pinned.value);
    memory_top *= kHeadroom;
    lay_out();
}

// A limit far above that of the scenario does not determine the scale.
std::vector<PinLimit> TimelineFigure::Parts::pinned_limits() const {
    auto out = limits_of_pins(ghosts, data.memory.capacity, [](const Ghost& one) { return one.capacity; });
    std::erase_if(out, [&](const PinLimit& pinned) { return pinned.value > kFarPin * data.memory.capacity; });
    return out;
}

void TimelineFigure::Parts::show_part() {
    const AxisRange part = x_zoom.range();
    x().setRange(part.from, part.to);
}

QString TimelineFigure::Parts::label(std::size_t stage) const {
    return tr("stage %1").arg(data.line.stages[stage].position + 1);
}

QString TimelineFigure::Parts::communication_label() const {
    constexpr double kRoomy = 480;
    return plot.viewport().width() >= kRoomy ? tr("communication") : tr("comm.");
}

// Returns whether the passes of any stage are too short to be drawn one by one.
bool TimelineFigure::Parts::shows_shares() const {
    const LaneView here = view();
    return std::ranges::any_of(data.line.stages,
                               [&](const StageTimeline& stage) { return is_crowded(stage.compute, here); });
}

double TimelineFigure::Parts::label_width() const {
    const QFontMetricsF small(fonts.small);
    double width =
        std::max(small.horizontalAdvance(communication_label()), small.horizontalAdvance(tr("computing")));
    if (has_pipeline())
        width = std::max(
            QFontMetricsF(fonts.small_bold).horizontalAdvance(tr("stage %1").arg(data.line.stage_count)),
            small.horizontalAdvance(tr("slowest")));
    return std::max(width, small.horizontalAdvance(QStringLiteral("1,000")));
}

void TimelineFigure::Parts::lay_out() {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    set_margins(plot, label_width() + kBeside, key_margin(),
                small.horizontalAdvance(QStringLiteral("1,000")) / 2 + kFigureMargin,
                kTickLength + 4 + small.height() + 4 + bold.height() + 6);
}

double TimelineFigure::Parts::key_base(int row) const {
    return std::round(QFontMetricsF(fonts.small).ascent() + 4) + row * key_line();
}

int TimelineFigure::Parts::key_margin() const {
    return static_cast<int>(
        std::ceil(kKeyRows * QFontMetricsF(fonts.small).height() + 16 + (key_rows - kKeyRows) * key_line()));
}

QRectF TimelineFigure::Parts::key_area() const {
    if (placed.empty()) return {};
    const QFontMetricsF metrics(fonts.small);
    const double top = key_base(0) - metrics.ascent();
    return {frame().left(), top, plot.viewport().width() - 4 - frame().left(),
            key_base(placed.back().row) + metrics.descent() - top};
}

// Places the key's entries. The lanes begin below the key, even if it needs more rows than usual.
void TimelineFigure::Parts::place_key() {
    placed.clear();
    key_rows = kKeyRows;
    if (data.line.stages.empty()) return;
    const auto move_frame = [&](int left, int top) {
        QMargins margins = plot.axisRect()->margins();
        if (margins.left() == left && margins.top() == top) return;
        margins.setLeft(left);
        margins.setTop(top);
        plot.axisRect()->setMargins(margins);
    };
    const int label_margin = static_cast<int>(std::ceil(label_width() + kBeside));
    move_frame(label_margin, plot.axisRect()->margins().top());
    if (data.has_time()) {
        const QFontMetricsF metrics(fonts.small);
        const double side = std::round(metrics.capHeight());
        const double right = plot.viewport().width() - 4;
        const double first = frame().left();
        constexpr double kApart = 14;
        double left = first;
        int row = 0;
        const auto width_of = [&](const KeyEntry& entry) {
            if (entry.colour.isValid()) return side + 4 + metrics.horizontalAdvance(entry.text);
            return QFontMetricsF(entry.plain ? fonts.small : fonts.small_bold).horizontalAdvance(entry.text);
        };
        const auto put = [&](KeyEntry entry) {
            const double width = width_of(entry);
            if (left + width > right && left > first) {
                left = first;
                ++row;
            }
            entry.left = left;
            entry.row = row;
            placed.push_back(std::move(entry));
            left += width + kApart;
        };
        if (data.hypothetical) put({{}, tr("hypothetical: does not fit")});
        for (const auto& [colour, text] : key()) put({colour, text});
        KeyEntry remark{{}, tr("height: share of the time")};
        KeyEntry shorter{{}, tr("height: share")};
        remark.plain = shorter.plain = true;
        // The last entry should not be alone in a row, provided that the remark keeps its place: names must
        // not move when the remark appears and disappears.
        const auto count = placed.size();
        if (count > 3 && placed[count - 1].row > placed[count - 2].row &&
            placed[count - 2].row == placed[count - 3].row) {
            KeyEntry before = placed[count - 2];
            KeyEntry last = placed[count - 1];
            if (width_of(before) + width_of(last) + width_of(shorter) + 2 * kApart <= right - first) {
                placed.resize(count - 2);
                left = first;
                put(std::move(before));
                put(std::move(last));
            }
        }
        // The remark is left out if it would need one more row, or the lanes would move when the user zooms
        // in.
        for (const KeyEntry& one : {remark, shorter}) {
            if (!shows_shares()) break;
            if (row + 1 >= kKeyRows && left + width_of(one) > right) continue;
            put(one);
            break;
        }
        key_rows = std::max(kKeyRows, row + 1);
    }
    move_frame(label_margin, key_margin());
}

QRectF TimelineFigure::Parts::memory_area() const {
    const QRectF all = frame();
    // With few stages the memory area is larger.
    const double needed = kTallest * static_cast<double>(data.line.stages.size());
    const double height = std::round(std::max(
        all.height() * kMemoryShare, all.height() - needed - kLaneGap - QFontMetricsF(fonts.small).height()));
    return {all.left(), all.bottom() - height, all.width(), height};
}

QRectF TimelineFigure::Parts::lanes() const {
    const QRectF all = frame();
    const double title = QFontMetricsF(fonts.small).height();
    return {all.left(), all.top(), all.width(), memory_area().top() - kLaneGap - title - all.top()};
}

bool TimelineFigure::Parts::follows_gap(std::size_t stage) const {
    return stage > 0 && data.line.stages[stage].position > data.line.stages[stage - 1].position + 1;
}

QRectF TimelineFigure::Parts::lane(std::size_t stage, bool communication) const {
    const QRectF area = lanes();
    const std::size_t count = data.line.stages.size();
    // The text about stages that are not drawn has a separate row.
    const double words =
        data.line.stage_count > static_cast<int>(count) ? QFontMetricsF(fonts.small).height() + 4 : 0;

    const double row = std::min(kTallest, (area.height() - words) / static_cast<double>(count));
    double top = area.top() + static_cast<double>(stage) * row;
    for (std::size_t i = 1; i <= stage; ++i) {
        if (follows_gap(i)) top += words;
    }
    const double gap = std::clamp(row * 0.12, 1.0, 8.0);
    const double compute = std::round((row - gap) * 0.62);
    top = std::round(top);
    if (!communication) return {area.left(), top, area.width(), compute};
    return {area.left(), top + compute + 1, area.width(), std::max(2.0, std::floor(row - gap - compute - 1))};
}

// ---- the figure ------------------------------------------------------------------------------------------

TimelineFigure::TimelineFigure(QCustomPlot& plot) : parts_(std::make_unique<Parts>(plot)) {}
TimelineFigure::~TimelineFigure() = default;

void TimelineFigure::set_style(const Theme& theme, const QFont& font) {
    Parts& p = *parts_;
    p.theme = &theme;
    p.fonts = FigureFonts(font);
    style_plot(p.plot, theme, p.fonts);
    if (!p.data.line.stages.empty()) p.lay_out();
}

void TimelineFigure::set_data(TimelineData data) { parts_->data = std::move(data); }
void TimelineFigure::set_ghosts(std::vector<Ghost> ghosts) { parts_->ghosts = std::move(ghosts); }
void TimelineFigure::set_dimmed(bool dimmed) { parts_->dimmed = dimmed; }
void TimelineFigure::refit() { parts_->fit(); }

AxisRange TimelineFigure::range() const { return {parts_->x().range().lower, parts_->x().range().upper}; }

std::vector<ZoomableFigure::Frame> TimelineFigure::frames() const {
    if (parts_->data.line.stages.empty() || !parts_->data.has_time()) return {};
    return {{parts_->frame(), &parts_->x_zoom, nullptr}};
}

void TimelineFigure::apply_zoom() { parts_->show_part(); }

const TimelineData& TimelineFigure::data() const { return parts_->data; }
double TimelineFigure::pixel_of(double seconds) const { return parts_->at(seconds); }
QRectF TimelineFigure::lane(std::size_t stage, bool communication) const {
    return parts_->lane(stage, communication);
}
QRectF TimelineFigure::lanes() const { return parts_->lanes(); }
QStringList TimelineFigure::key_words() const {
    QStringList out;
    for (const Parts::KeyEntry& entry : parts_->placed) out += entry.text;
    return out;
}
QRectF TimelineFigure::key() const { return parts_->key_area(); }
QRectF TimelineFigure::memory_area() const { return parts_->memory_area(); }
double TimelineFigure::memory_y(double bytes) const {
    return parts_->curve_view(parts_->memory_area()).y_of(bytes);
}

// A place is a time, and the stage whose lanes are under the pointer, or -1.
std::optional<QPointF> TimelineFigure::ruler_place(const QPointF& pixel) const {
    const Parts& p = *parts_;
    if (p.data.line.stages.empty() || !p.data.has_time() || !p.frame().contains(pixel)) return std::nullopt;
    double stage = -1;
    for (std::size_t i = 0; i < p.data.line.stages.size(); ++i) {
        if (p.lane(i, false).contains(pixel) || p.lane(i, true).contains(pixel))
            stage = static_cast<double>(i);
    }
    return QPointF(p.x().pixelToCoord(pixel.x()), stage);
}

std::optional<RulerStop> TimelineFigure::ruler_stop(const QPointF& place) const {
    const Parts& p = *parts_;
    const TimelineData& data = p.data;
    if (data.line.stages.empty() || !data.has_time()) return std::nullopt;
    RulerStop out;
    out.place = place;
    out.x = p.at(place.x());
    out.area = p.lanes() | p.memory_area();
    if (out.x < out.area.left() || out.x > out.area.right()) return std::nullopt;
    const std::size_t index = place.y() < 0 || place.y() >= static_cast<double>(data.line.stages.size())
                                  ? data.line.fullest
                                  : static_cast<std::size_t>(place.y());
    const StageTimeline& stage = data.line.stages[index];
    out.title = data.line.stage_count > 1 ? tr("Stage %1").arg(stage.position + 1) : tr("At this time");
    const auto add_time = [&](const QString& name, const QColor& color, double seconds) {
        out.readings.push_back(
            {.name = name, .color = color, .value = seconds, .quantity = Quantity::seconds, .exact = true});
    };
    add_time(tr("Time"), {}, place.x());
    for (const bool communication : {false, true}) {
        const Interval* found = interval_at(stage, communication, place.x());
        out.readings.push_back({communication ? tr("Network") : tr("GPU"),
                                found ? color_of(*found, *p.theme) : QColor(), kNoValue, Quantity::count,
                                found ? interval_name(*found, data.line) : tr("nothing"), kNoValue});
        if (found) add_time(communication ? tr("Network takes") : tr("GPU takes"), {}, found->seconds());
    }
    if (const auto bytes = bytes_at(stage, place.x())) {
        out.readings.push_back({tr("Memory"),
                                index == data.line.fullest ? p.theme->memory_rate : p.theme->muted,
                                *bytes,
                                Quantity::bytes,
                                {},
                                p.curve_view(p.memory_area()).y_of(*bytes)});
    }
    for (const Ghost& ghost : p.ghosts)
        add_time(tr("%1, pin %2").arg(tr("Step")).arg(QLatin1Char(ghost.letter)),
                 pin_color(*p.theme, ghost.letter), ghost.end);
    return out;
}

QString TimelineFigure::words_at(const QPointF& pixel) const {
    const Parts& p = *parts_;
    const TimelineData& data = p.data;
    if (data.line.stages.empty() || !data.has_time() || !p.frame().contains(pixel)) return {};
    const double time = p.x().pixelToCoord(pixel.x());
    if (p.memory_area().contains(pixel)) {
        const auto bytes = bytes_at(data.line.stages[data.line.fullest], time);
        return bytes ? tr("%1 at %2").arg(shown(*bytes, Quantity::bytes), exact_time(time)) : QString();
    }
    for (std::size_t i = 0; i < data.line.stages.size(); ++i) {
        for (const bool communication : {false, true}) {
            if (!p.lane(i, communication).contains(pixel)) continue;
            const StageTimeline& stage = data.line.stages[i];
            const Interval* found = interval_at(stage, communication, time);
            return found ? interval_words(*found, stage, data.line) : QString();
        }
    }
    return {};
}

QString TimelineFigure::description() const {
    const TimelineData& data = parts_->data;
    if (data.line.stages.empty()) return {};
    if (!data.has_time()) {
        return tr("No timeline: it does not fit, %1 of %2.")
            .arg(shown(data.memory.peak, Quantity::bytes), shown(data.memory.capacity, Quantity::bytes));
    }
    QString out = tr("One step of %1").arg(shown(data.line.end, Quantity::seconds));
    if (data.hypothetical) out += tr(", hypothetical: it does not fit");
    if (data.line.stage_count > 1)
        out += tr(", %1 pipeline stages; the slowest is stage %2")
                   .arg(data.line.stage_count)
                   .arg(data.line.stages[data.line.slowest].position + 1);
    out += QLatin1Char(':');
    QStringList parts;
    for (std::size_t i = 0; i < kActivities; ++i) {
        const auto activity = static_cast<Activity>(i);
        const double seconds = data.seconds(activity);
        if (seconds > 0)
            parts += tr("%1 %2").arg(text_of(label_of(activity)), shown(seconds, Quantity::seconds));
    }
    out += QLatin1Char(' ') + parts.join(QStringLiteral(", ")) + QStringLiteral(". ");
    return out +
           tr("Memory at most %1 of %2.")
               .arg(shown(data.memory.peak, Quantity::bytes), shown(data.memory.capacity, Quantity::bytes));
}

}  // namespace shardscope
