#include "widgets/chart/plot_zoom.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

double AxisZoom::to_scale(double value) const { return logarithmic_ ? std::log(value) : value; }

void AxisZoom::fit(const AxisRange& whole, bool logarithmic) {
    if (logarithmic != logarithmic_) show_all();
    whole_ = whole;
    logarithmic_ = logarithmic;
    if (!part_) return;
    // The axis may be shorter now.
    const AxisRange all = this->whole();
    const double size = part_->to - part_->from;
    if (size < all.to - all.from) show(part_->from, size);
    else show_all();
}

AxisRange AxisZoom::range() const {
    if (!part_) return whole_;
    return logarithmic_ ? AxisRange{std::exp(part_->from), std::exp(part_->to)} : *part_;
}

bool AxisZoom::contains(double value) const {
    const AxisRange here = range();
    return value >= here.from && value <= here.to;
}

void AxisZoom::show(double from, double size) {
    const AxisRange all = whole();
    from = std::clamp(from, all.from, std::max(all.from, all.to - size));
    part_ = {from, from + size};
}

void AxisZoom::zoom(double factor, double share) {
    const AxisRange all = whole();
    const AxisRange now = part_.value_or(all);
    const double most = all.to - all.from;
    const double before = now.to - now.from;
    const double size = std::max(before / factor, closest_ * most);
    constexpr double kRounding = 1e-9;
    if (!(size < most * (1 - kRounding))) return show_all();
    show(now.from + std::clamp(share, 0.0, 1.0) * (before - size), size);
}

void AxisZoom::move(double share) {
    if (!part_) return;
    const double size = part_->to - part_->from;
    show(part_->from + share * size, size);
}

bool ZoomableFigure::zoomed() const {
    return std::ranges::any_of(
        frames(), [](const Frame& frame) { return frame.x->zoomed() || (frame.y && frame.y->zoomed()); });
}

std::optional<ZoomableFigure::Frame> ZoomableFigure::frame_at(const QPointF& pixel) const {
    for (const Frame& frame : frames()) {
        if (frame.area.contains(pixel)) return frame;
    }
    return std::nullopt;
}

void ZoomableFigure::zoom(double factor, const QPointF& pixel) {
    const auto frame = frame_at(pixel);
    if (!frame) return;
    const QRectF& area = frame->area;
    frame->x->zoom(factor, (pixel.x() - area.left()) / area.width());
    if (frame->y) frame->y->zoom(factor, (area.bottom() - pixel.y()) / area.height());
    apply_zoom();
}

void ZoomableFigure::move_by(const QPointF& pixels, const QPointF& at) {
    const auto frame = frame_at(at);
    if (!frame) return;
    frame->x->move(-pixels.x() / frame->area.width());
    if (frame->y) frame->y->move(pixels.y() / frame->area.height());
    apply_zoom();
}

void ZoomableFigure::show_all() {
    for (const Frame& frame : frames()) {
        frame.x->show_all();
        if (frame.y) frame.y->show_all();
    }
    apply_zoom();
}

}  // namespace shardscope
