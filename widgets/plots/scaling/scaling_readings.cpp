// What the scaling plot shows at a place: measured runs, the ruler's values, and its description.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "containers/no_value.h"
#include "widgets/drawing.h"
#include "widgets/plots/scaling/scaling_parts.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// Why strong scaling has no value at more GPUs than the curve's last ones.
QString end_of_strong(const ScalingData& data, double gpus) {
    const QString batch = shown(data.global_batch, Quantity::count);
    const bool automatic = data.plan == CurvePlan::replanned;
    if (automatic) return tr("no plan splits the batch of %1 sequences further").arg(batch);
    return gpus / data.replica_gpus > data.global_batch
               ? tr("no more to split: the batch has %1 sequences").arg(batch)
               : tr("the batch of %1 sequences cannot be divided").arg(batch);
}

}  // namespace

const MeasuredPoint* ScalingFigure::measured_at(const QPointF& pixel) const {
    const Parts& p = *parts_;
    if (!p.options.measured) return nullptr;
    constexpr double kNear = 8;
    for (const MeasuredPoint& run : p.data.measured) {
        const double value = p.data.y(run, p.options.y);
        const QPointF at(p.x().coordToPixel(run.gpus), p.y().coordToPixel(value));
        if (QLineF(at, pixel).length() <= kNear) return &run;
    }
    return nullptr;
}

std::optional<QPointF> ScalingFigure::ruler_place(const QPointF& pixel) const {
    const Parts& p = *parts_;
    const Curve& curve = p.data.curves.weak;
    if (!inside(pixel) || curve.empty()) return std::nullopt;
    const auto nearest = std::ranges::min_element(curve, {}, [&](const CurvePoint& point) {
        return std::fabs(p.x().coordToPixel(point.x) - pixel.x());
    });
    return QPointF(nearest->x, 0);
}

std::optional<RulerStop> ScalingFigure::ruler_stop(const QPointF& place) const {
    const Parts& p = *parts_;
    const double gpus = place.x();
    const QRectF area = p.frame();
    const QString count = gpus == 1 ? tr("1 GPU") : tr("%1 GPUs").arg(shown(gpus, Quantity::count));
    const QString what = text_of(label_of(output_of(p.options.y)));
    RulerStop out{place, count + QStringLiteral(", ") + what, pixel_of(gpus), area, {}, {}};
    if (out.x < area.left() || out.x > area.right()) return std::nullopt;
    const Quantity quantity = output(output_of(p.options.y)).quantity;
    const double unit = p.memory() ? kGiB : 1;
    const auto at = [&](double value) {
        return std::isnan(value) || value > p.y().range().upper ? kNoValue : p.y().coordToPixel(value);
    };
    const auto add = [&](const QString& name, const QCPGraph& line, const ScalingData& of,
                         const Curve& curve) {
        const auto point = std::ranges::lower_bound(curve, gpus, {}, &CurvePoint::x);
        if (point == curve.end()) return;
        double value = of.y(*point, p.options.y);
        if (point->x != gpus) {
            // The line between two points is straight on the screen.
            if (point == curve.begin()) return;
            const CurvePoint& before = *std::prev(point);
            const double share = std::log(gpus / before.x) / std::log(point->x / before.x);
            const double from = of.y(before, p.options.y);
            value = p.y().scaleType() == QCPAxis::stLogarithmic ? from * std::pow(value / from, share)
                                                                : from + share * (value - from);
            if (std::isnan(value)) return;
        }
        out.readings.push_back({name, line.pen().color(), value * unit, quantity,
                                point->valid ? tr("does not fit") : tr("not possible"), at(value),
                                line.pen()});
    };
    const Curve& weak = p.data.curves.weak;
    if (p.options.weak) add(tr("Weak"), *p.weak, p.data, weak);
    const Curve& strong = p.data.curves.strong;
    if (p.options.strong && (strong.empty() || strong.back().x < gpus)) {
        out.readings.push_back({tr("Strong"), p.theme->text, kNoValue, quantity, end_of_strong(p.data, gpus),
                                kNoValue, p.strong->pen()});
    } else if (p.options.strong) {
        add(tr("Strong"), *p.strong, p.data, strong);
    }
    const auto here = std::ranges::find(weak, gpus, &CurvePoint::x);
    const bool on_curve = here != weak.end();  // a fixed ruler may stand between the points of another curve
    if (on_curve && p.memory()) {
        const double sharded = here->valid ? here->sharded_memory : kNoValue;
        out.readings.push_back(
            {tr("Sharded"), p.theme->optimizer, sharded, quantity, {}, at(sharded / kGiB)});
        out.readings.push_back(
            {tr("On each GPU"), p.theme->activations, here->peak_memory - sharded, quantity, {}, kNoValue});
        add(tr("After the repair"), *p.repaired, p.data, p.data.repaired);
    } else if (on_curve && p.options.ideal) {
        const double value = p.data.ideal_y(*here, p.options.y);
        out.readings.push_back({tr("Ideal"), p.theme->muted, value, quantity, {}, at(value), p.ideal->pen()});
        if (p.options.y == ScalingY::mfu && value > 1)
            out.readings.push_back({.name = tr("above 100 %"),
                                    .quantity = quantity,
                                    .text = tr("the MFU counts FLOPs that are not executed")});
    }
    for (std::size_t i = 0; i < p.ghosts.size(); ++i)
        add(tr("%1, pin %2").arg(tr("Weak")).arg(QLatin1Char(p.ghosts[i].letter)), *p.ghost[i],
            p.ghosts[i].data, p.ghosts[i].data.curves.weak);
    if (on_curve && here->valid && p.data.shows(*here)) {
        if (p.options.band && p.options.weak && !p.memory()) {
            const auto [low, high] = std::minmax({p.data.y(here->band_low, *here, p.options.y),
                                                  p.data.y(here->band_high, *here, p.options.y)});
            out.readings.push_back(
                {tr("Band"),
                 {},
                 kNoValue,
                 quantity,
                 shown(low, quantity, false) + QStringLiteral(" – ") + shown(high, quantity),
                 kNoValue});
        }
        if (here->verdict == Verdict::risky)
            out.readings.push_back({tr("Memory"), p.theme->risk, kNoValue, quantity, tr("risky"), kNoValue});
    }
    // The wall is that of the strip below the axis.
    const Curve& job = p.data.held_job();
    const auto after = std::ranges::upper_bound(job, gpus, {}, &CurvePoint::x);
    const bool within = after != job.begin() && (after != job.end() || std::prev(after)->x == gpus);
    if (within && std::prev(after)->valid && p.data.shows(*std::prev(after))) {
        const Wall wall = std::prev(after)->wall;
        out.readings.push_back({&job == &weak ? tr("Wall") : tr("Wall, strong"), p.theme->of(wall), kNoValue,
                                quantity, text_of(label_of(wall)), kNoValue});
    }
    return out;
}

QString ScalingFigure::description() const {
    const Parts& p = *parts_;
    const QPointF here = p.current();
    QString out =
        tr("Scaling from %1 to %2 GPUs.")
            .arg(shown(p.x().range().lower, Quantity::count), shown(p.x().range().upper, Quantity::count));
    const QString gpus = shown(here.x(), Quantity::count);
    out += QLatin1Char(' ') + (std::isnan(here.y())
                                   ? tr("With %1 GPUs it does not fit.").arg(gpus)
                                   : tr("With %1 GPUs: %2.").arg(gpus, value_text(here.y(), p.options.y)));
    const auto first = std::ranges::find_if(p.data.curves.weak, &CurvePoint::fits);
    if (first == p.data.curves.weak.end()) {
        out += QLatin1Char(' ') + tr("It does not fit on any number of GPUs.");
    } else if (first != p.data.curves.weak.begin()) {
        out += QLatin1Char(' ') + tr("It fits from %1 GPUs on.").arg(shown(first->x, Quantity::count));
    }
    if (p.data.curves.knee > 0) {
        out += QLatin1Char(' ') +
               tr("From %1 GPUs on an added GPU brings less than half as much as one of the first.")
                   .arg(shown(p.data.curves.knee, Quantity::count));
    }
    if (!p.data.measured.empty())
        out += QLatin1Char(' ') + tr("%n measured runs of this model and GPU.")
                                      .replace(QLatin1String("%n"), QString::number(p.data.measured.size()));
    return out;
}

}  // namespace shardscope
