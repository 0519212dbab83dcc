#include "widgets/panels/run_line.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

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
constexpr std::array kMeaning{Meaning{"headline/training-tokens", Output::tokens_needed},
                              Meaning{"headline/training-days", Output::training_days},
                              Meaning{"headline/gpu-hours", Output::gpu_hours},
                              Meaning{"headline/cost", Output::cost},
                              Meaning{"headline/energy", Output::energy},
                              Meaning{"headline/goodput", Output::goodput}};

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

void RunLine::show_run(const Answer& now, const Answer* then, bool hypothetical) {
    const Theme& theme = current_theme();
    const bool real = now.fits();
    const bool rates = real || (now.valid() && hypothetical);
    QFont plain = font();
    QFont bold = scaled_font(font(), 1, rates);
    for (QFont* face : {&plain, &bold}) face->setItalic(rates && !real);
    const QColor ink = real ? theme.text : theme.muted;

    // Without rates only the tokens and the days are shown, the days as a dash.
    has_.fill(rates);
    has_[tokens] = has_[days] = true;
    // A model that is a list of operators has no usual number of training tokens.
    const bool endless = now.valid() && !(now.compiled.training_tokens > 0);
    if (endless) {
        has_.fill(false);
        has_[tokens] = true;
    } else if (rates) {
        has_[cost] = now.settings[P::price_per_gpu_hour] > 0;
        has_[energy] = now.settings[P::tdp] > 0;
        has_[goodput] = now.estimate.run.goodput < 1;
    }
    for (std::size_t i = 0; i < items; ++i) {
        const Output id = kMeaning[i].output;
        const double number = value_of(id, now, hypothetical);
        const Shown value = shardscope::show(number, output(id).quantity);
        QString unit = QString::fromStdString(value.unit);
        QString digits = QString::fromStdString(value.number);
        // "$15,005,667" is too long for the line.
        constexpr double kLong = 1e6;
        if (i == tokens || ((i == gpu_hours || i == cost) && number >= kLong && std::isfinite(number)))
            digits = shown(number, Quantity::big_count);
        QList<Run> runs;
        if (i == tokens) {
            runs.append({endless ? tr("training tokens not given") : tr("%1 tokens").arg(digits), plain,
                         theme.muted});
        } else {
            if (i == goodput) runs.append({tr("goodput") + QLatin1Char(' '), plain, theme.muted});
            // "$29,494", "15,273 GPU h"
            if (i == gpu_hours && !unit.isEmpty()) unit = tr("GPU %1").arg(unit);
            const bool before = i == cost && !unit.isEmpty();
            // A dash without the unit would not show which value is missing.
            if (i == days && unit.isEmpty()) unit = tr("days");
            runs.append({(before ? unit : QString()) + digits, bold, ink});
            if (!before && !unit.isEmpty()) runs.append({QLatin1Char(' ') + unit, plain, ink});
        }
        if (i == days && then) {
            const double change = now.estimate.run.seconds / then->estimate.run.seconds;
            runs.append({QLatin1Char(' ') + relative(change), scaled_font(font(), kSmall, true), theme.text});
        }
        label_[i]->set_runs(runs);
        label_[i]->setToolTip(text_of(label_of(id)) + QStringLiteral(": ") +
                              text_of(translate(output(id).sentence)));
    }
    arrange();
}

double RunLine::room(Item item) const {
    // The widest digits are assumed, so that little moves during a drag.
    return std::ceil(std::max(label_[item]->natural_width(),
                              text_width(scaled_font(font(), 1, true), widest(label_[item]->text()))));
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
    for (const Item fold : {tokens, gpu_hours, energy, goodput, cost}) {
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

int RunLine::end() const {
    int out = 0;
    for (const RunLabel* label : label_) {
        if (!label->isHidden()) out = std::max(out, label->geometry().right() + 1);
    }
    return out;
}

QSize RunLine::sizeHint() const {
    return {420, static_cast<int>(std::ceil(QFontMetricsF(font()).height())) + 4};
}

void RunLine::resizeEvent(QResizeEvent*) { arrange(); }

}  // namespace shardscope
