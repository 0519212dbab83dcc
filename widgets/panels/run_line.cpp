#include "widgets/panels/run_line.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "scenario/gpu_groups.h"
#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/panels/run_label.h"

namespace shardscope {
namespace {

constexpr double kGap = 24;
constexpr double kLeastGap = 12;

struct Meaning {
    const char* name;
    Output output;
};
constexpr std::array kMeaning{Meaning{"headline/memory", Output::peak_memory},
                              Meaning{"headline/gpu-hours", Output::gpu_hours},
                              Meaning{"headline/cost", Output::cost},
                              Meaning{"headline/energy", Output::energy},
                              Meaning{"headline/training-tokens", Output::tokens_needed},
                              Meaning{"headline/goodput", Output::goodput},
                              Meaning{"headline/tokens-per-gpu", Output::tokens_per_gpu},
                              Meaning{"headline/threshold", Output::threshold_tokens}};

// Replaces all digits by 0, so that the items behind a number do not move with each of its digits.
QString widest(const QString& text) {
    QString out = text;
    for (QChar& c : out) {
        if (c.isDigit()) c = QLatin1Char('0');
    }
    return out;
}

}  // namespace

RunLine::RunLine(QWidget* parent) : QWidget(parent) {
    static_assert(kMeaning.size() == items);
    setAccessibleName(tr("Whole run"));
    for (std::size_t i = 0; i < items; ++i) {
        label_[i] = new RunLabel(QLatin1String(kMeaning[i].name), this);
        label_[i]->make_clickable(Subject::of(kMeaning[i].output));
        label_[i]->setAccessibleName(text_of(label_of(kMeaning[i].output)));
        connect(label_[i], &RunLabel::clicked, this, [this, i] { Q_EMIT why_requested(kMeaning[i].output); });
    }
}

void RunLine::show_run(const Answer& now, bool hypothetical) {
    const Theme& theme = current_theme();
    const bool real = now.fits();
    const bool rates = real || (now.valid() && hypothetical);
    const QFont small = scaled_font(font(), kSmall);
    QFont unreal = small;
    unreal.setItalic(rates && !real);

    // Without rates only what does not depend on time is shown.
    has_.fill(rates);
    has_[memory] = has_[tokens] = has_[per_gpu] = true;
    // A model that is a list of operators has no usual number of training tokens.
    const bool endless = now.valid() && !(now.compiled.training_tokens > 0);
    // Only the all-gather of sharded weights must be hidden by the tokens of every micro-batch.
    has_[threshold] = now.valid() && shards_weights(now.settings) && now.settings[P::gpus] > 1;
    if (endless) {
        for (const Item item : {gpu_hours, cost, energy, goodput}) has_[item] = false;
    } else if (rates) {
        has_[cost] = now.settings[P::price_per_gpu_hour] > 0;
        has_[energy] = now.settings[P::tdp] > 0;
        has_[goodput] = now.estimate.run.goodput < 1;
    }
    for (std::size_t i = 0; i < items; ++i) {
        const Output id = kMeaning[i].output;
        const double number = value_of(id, now, hypothetical);
        // "$15,005,667" is too long for the line.
        constexpr double kLong = 1e6;
        const bool is_long = (i == gpu_hours || i == cost) && number >= kLong && std::isfinite(number);
        const bool short_form = i == tokens || is_long;
        const Shown value = shardscope::show(number, output(id).quantity);
        const QString unit = QString::fromStdString(value.unit);
        const QString digits =
            short_form ? shown(number, Quantity::big_count) : QString::fromStdString(value.number);
        QString text;
        switch (static_cast<Item>(i)) {
            case memory:
                text = now.valid() ? tr("%1 of %2")
                                         .arg(shown(now.estimate.memory.peak, Quantity::bytes, false),
                                              shown(now.estimate.memory.capacity, Quantity::bytes))
                                   : QStringLiteral("–");
                break;
            case gpu_hours:
                text = unit.isEmpty() ? digits : digits + QLatin1Char(' ') + tr("GPU %1").arg(unit);
                break;
            case cost: text = unit + digits; break;
            case tokens:
                text = endless ? tr("training tokens not given") : tr("%1 tokens").arg(digits);
                break;
            case goodput: text = tr("goodput %1").arg(digits + QLatin1Char(' ') + unit); break;
            case per_gpu: text = tr("%1 tokens per GPU").arg(shown(number, Quantity::tokens, false)); break;
            case threshold:
                text = tr("ideal threshold %1").arg(shown(std::round(number), Quantity::tokens, false));
                break;
            case energy:
            case items: text = unit.isEmpty() ? digits : digits + QLatin1Char(' ') + unit; break;
        }
        const bool requires_fit = shardscope::output(id).requires_fit;
        label_[i]->set_runs({{text, requires_fit ? unreal : small, theme.muted}});
        label_[i]->setToolTip(text_of(label_of(id)) + QStringLiteral(": ") +
                              text_of(translate(output(id).sentence)));
    }
    if (now.valid()) explain_tokens(now);
    arrange();
}

void RunLine::explain_tokens(const Answer& now) {
    const Settings& settings = now.settings;
    QString tokens_tip =
        settings[P::context_parallel] > 1
            ? tr("Tokens that a GPU processes at a time: sequence × micro-batch ÷ context parallel.")
            : tr("Tokens that a GPU processes at a time: sequence × micro-batch.");
    if (const double tensor = settings[P::tensor_parallel]; tensor > 1) {
        tokens_tip += QLatin1Char(' ') + tr("The %1 tensor-parallel GPUs share the work on the same tokens.")
                                             .arg(shown(tensor, Quantity::count));
    }
    label_[per_gpu]->setToolTip(tokens_tip);
    label_[threshold]->setToolTip(
        tr("From this number of tokens on, ideal matrix products take as long as the all-gather of their "
           "weights."));
}

double RunLine::room(Item item) const {
    // The widest digits are assumed, so that little moves during a drag.
    return std::ceil(std::max(label_[item]->natural_width(),
                              text_width(scaled_font(font(), kSmall), widest(label_[item]->text()))));
}

void RunLine::arrange() {
    std::array<bool, items> shown_item = has_;
    const auto gap = [&] {
        double used = 0;
        int gaps = -1;
        for (std::size_t i = 0; i < items; ++i) {
            if (!shown_item[i]) continue;
            used += room(static_cast<Item>(i));
            ++gaps;
        }
        return gaps > 0 ? (width() - used) / gaps : kGap;
    };
    for (const Item fold : {tokens, gpu_hours, energy, goodput, cost, memory}) {
        if (gap() >= kLeastGap) break;
        shown_item[fold] = false;
    }
    const double between = std::floor(std::clamp(gap(), 4.0, kGap));
    double x = 0;
    for (std::size_t i = 0; i < items; ++i) {
        label_[i]->setVisible(shown_item[i]);
        if (!shown_item[i]) continue;
        const double w = room(static_cast<Item>(i));
        label_[i]->setGeometry(static_cast<int>(x), 0, static_cast<int>(w) + 1, height());
        x += w + between;
    }
}

QSize RunLine::sizeHint() const {
    return {420, static_cast<int>(std::ceil(QFontMetricsF(scaled_font(font(), kSmall)).height())) + 4};
}

void RunLine::resizeEvent(QResizeEvent*) { arrange(); }

}  // namespace shardscope
