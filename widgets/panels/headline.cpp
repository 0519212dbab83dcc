#include "widgets/panels/headline.h"

#include <QCheckBox>
#include <QEvent>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "evidence/coverage.h"
#include "evidence/likely_range.h"
#include "evidence/validated.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/panels/run_label.h"
#include "widgets/panels/run_line.h"
#include "widgets/panels/verdict_chip.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kPadding = 16;
constexpr int kAbove = 6;
constexpr int kBelow = 4;
constexpr double kUnitSize = 1.08;
constexpr double kLeastGap = 14;
constexpr double kMostGap = 38;
constexpr int kGlyphWidth = 92;

QString problem_text(const Problem& problem) {
    QString out = QString::fromStdString(problem.what);
    if (!problem.why.empty()) out += QStringLiteral(" (%1)").arg(QString::fromStdString(problem.why));
    if (!problem.suggestion.empty()) out += QStringLiteral("; ") + QString::fromStdString(problem.suggestion);
    return out;
}

}  // namespace

Headline::Headline(LiveModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setObjectName(QStringLiteral("headline"));
    setAccessibleName(tr("Headline"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);

    const auto clickable = [this](RunLabel* label, Output output, const QString& name) {
        label->make_clickable(Subject::of(output));
        label->setAccessibleName(name);
        connect(label, &RunLabel::clicked, this, [this, output] { model_.explain(Subject::of(output)); });
    };
    const auto make = [this](const char* name) { return new RunLabel(QLatin1String(name), this); };
    verdict_ = new VerdictChip(QStringLiteral("headline/verdict"), this);
    clickable(verdict_, Output::peak_memory, tr("Verdict"));
    constexpr std::array<const char*, columns> names{"too-much-by",          "mfu",       "likely",
                                                     "tokens-per-s-per-gpu", "step-time", "training-days"};
    constexpr std::array<Output, columns> meaning{Output::peak_memory, Output::mfu,
                                                  Output::mfu,         Output::tokens_per_s_per_gpu,
                                                  Output::step_time,   Output::training_days};
    for (std::size_t i = 0; i < columns; ++i) {
        const QString name = QStringLiteral("headline/") + QLatin1String(names[i]);
        caption_[i] = new RunLabel(name + QStringLiteral("-caption"), this);
        // This caption contains numbers itself.
        if (i == likely) clickable(caption_[i], Output::mfu, tr("Likely MFU"));
        if (i == likely) continue;
        value_[i] = new RunLabel(name, this);
        clickable(value_[i], meaning[i], text_of(label_of(meaning[i])));
    }
    band_ = new BandGlyph(this);

    run_ = new RunLine(this);
    connect(run_, &RunLine::why_requested, this,
            [this](Output output) { model_.explain(Subject::of(output)); });
    sentence_ = make("headline/sentence");
    clickable(sentence_, Output::wall, tr("Explanation of the wall"));
    more_ = make("headline/more");
    clickable(more_, Output::wall, tr("When the wall changes"));
    why_ = make("headline/why");
    clickable(why_, Output::wall, tr("Why is this the wall?"));
    show_hypothetical_ = new QCheckBox(tr("Show h&ypothetical"), this);
    show_hypothetical_->setObjectName(QStringLiteral("show-hypothetical"));
    show_hypothetical_->setToolTip(tr("Rates as if memory were no limit"));
    connect(show_hypothetical_, &QCheckBox::toggled, this, [this](bool on) {
        hypothetical_ = on;
        refresh();
        Q_EMIT hypothetical_toggled(on);
    });

    connect(&model_, &LiveModel::changed, this, &Headline::refresh);
    connect(&model_, &LiveModel::pins_changed, this, &Headline::refresh);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &Headline::refresh);
    refresh();
}

bool Headline::shows_rates() const {
    return model_.answer().fits() || (model_.answer().valid() && hypothetical_);
}

void Headline::set_rate(Column column, Output id, const QString& caption, const QString& difference) {
    const Theme& theme = current_theme();
    const Answer& answer = model_.answer();
    const bool unreal = shows_rates() && !answer.fits();
    const bool has_value = shows_rates();
    QFont small = scaled_font(font(), kSmall);
    QFont large = scaled_font(font(), column == mfu ? kDisplay : kTitle, has_value);
    if (!has_value) large = scaled_font(font(), kTitle);
    QFont unit = scaled_font(font(), kUnitSize);
    for (QFont* face : {&small, &large, &unit}) face->setItalic(unreal);

    caption_text_[column] = caption;
    QList<Run> above{{caption, small, theme.muted}};
    if (!difference.isEmpty()) {
        above.append({QStringLiteral(" ") + difference, scaled_font(font(), kSmall, true), theme.text});
    }
    caption_[column]->set_runs(above);

    const Shown value = shardscope::show(value_of(id, answer, hypothetical_), output(id).quantity);
    const QColor ink = has_value && !unreal ? theme.text : theme.muted;
    QList<Run> runs{{QString::fromStdString(value.number), large, ink}};
    // The caption of the rate is its unit, so the value has none.
    const QString unit_text = QString::fromStdString(value.unit);
    if (!unit_text.isEmpty() && column != rate) runs.append({QStringLiteral(" ") + unit_text, unit, ink});
    value_[column]->set_runs(runs);
    // The description also names what Enter does.
    QStringList apart{unreal ? tr("hypothetical: it does not fit") : difference, tr("Enter explains it")};
    apart.removeAll(QString());
    value_[column]->setAccessibleDescription(apart.join(QStringLiteral("; ")));
}

void Headline::refresh() {
    const Theme& theme = current_theme();
    const Answer& answer = model_.answer();
    const Estimate& estimate = answer.estimate;
    const QFont small = scaled_font(font(), kSmall);
    const QFont title = scaled_font(font(), kTitle, true);
    const QFont unit = scaled_font(font(), kUnitSize);

    verdict_->set_verdict(answer);

    const bool rates = shows_rates();
    const bool unreal = rates && !answer.fits();
    const Pin* pin = model_.compared();
    const Answer* pinned = pin ? &pin->answer : nullptr;
    const bool compared = rates && pinned && pinned->fits();
    const bool by_hand = answer.valid() && answer.settings[P::mfu_override] > 0;
    // A plan that was searched is compared with one set by hand only by name.
    QString other = pin ? QString(QLatin1Char(pin->letter)) : QString();
    if (compared && pinned->scenario.automatic.none() && answer.scenario.automatic.any())
        other = tr("%1, plan held").arg(other);
    else if (compared && pinned->scenario.automatic.any() && answer.scenario.automatic.none())
        other = tr("%1, plan automatic").arg(other);
    const auto against = [&](double now, double then) { return compared ? relative(now / then) : QString(); };
    set_rate(
        mfu, Output::mfu,
        unreal              ? tr("MFU, hypothetical")
        : by_hand           ? tr("MFU, set by hand")
        : model_.planning() ? tr("MFU, last plan")
                            : tr("MFU"),
        compared
            ? tr("%1 points vs %2").arg(signed_number((estimate.mfu - pinned->estimate.mfu) * 100, 1), other)
        // A pin that does not fit has no rates to compare with.
        : rates && pin ? tr("– vs %1").arg(QLatin1Char(pin->letter))
                       : QString());
    set_rate(rate, Output::tokens_per_s_per_gpu, tr("tokens/s/GPU"),
             against(estimate.tokens_per_s_per_gpu, compared ? pinned->estimate.tokens_per_s_per_gpu : 0));
    set_rate(step, Output::step_time, tr("step"),
             against(estimate.step.total, compared ? pinned->estimate.step.total : 0));
    set_rate(days, Output::training_days, tr("training"),
             against(estimate.run.seconds, compared ? pinned->estimate.run.seconds : 0));
    run_->show_run(answer, hypothetical_);

    const double per_token = rates ? estimate.mfu / estimate.tokens_per_s_per_gpu : std::nan("");
    const LikelyRange likely_rate = rates ? likely_range(answer) : LikelyRange{};
    const double low = likely_rate.low * per_token;
    const double high = likely_rate.high * per_token;
    QFont face = small;
    face.setItalic(unreal);
    if (rates && by_hand) {
        band_->set_band(std::nan(""), std::nan(""), std::nan(""));
        band_->setToolTip({});
        caption_[likely]->set_runs(
            {{tr("predicted %1").arg(shown(estimate.predicted_mfu, Quantity::percent)), face, theme.muted}});
    } else if (rates) {
        band_->set_band(low, estimate.mfu, high);
        // The ends are whole per cents, unless both would be the same ("8–8 %").
        const int decimals = std::round(low * 100) == std::round(high * 100) ? 1 : 0;
        const QString range =
            tr("likely %1–%2 %").arg(low * 100, 0, 'f', decimals).arg(high * 100, 0, 'f', decimals);
        caption_[likely]->set_runs({{range, face, theme.muted}});
        const QString likely_tip =
            tool_tip(tr("Four of five runs lie within an MFU of %1 to %2; the line spans 0 to 60 %.")
                         .arg(shown(low, Quantity::percent), shown(high, Quantity::percent)) +
                     QLatin1Char('\n') + QString::fromStdString(nearest_runs_sentence(answer)));
        band_->setToolTip(likely_tip);
        caption_[likely]->setToolTip(likely_tip);
    }

    caption_[excess]->set_runs({{tr("too much by"), small, theme.muted}});
    const Shown over = shardscope::show(estimate.memory.peak - estimate.memory.capacity, Quantity::bytes);
    value_[excess]->set_runs({{QString::fromStdString(over.number), title, theme.text},
                              {QStringLiteral(" ") + QString::fromStdString(over.unit), unit, theme.text}});

    const bool at_memory = answer.valid() && estimate.wall == Wall::memory;
    sentence_->set_marker(!answer.valid() ? RunLabel::Marker::none
                          : at_memory     ? RunLabel::Marker::hatched
                                          : RunLabel::Marker::square,
                          theme.of(estimate.wall));
    QFont link = font();
    link.setUnderline(true);
    why_->set_runs({{tr("Why?"), link, theme.text}});
    set_sentences();
    arrange();
}

void Headline::set_sentences() {
    const Answer& answer = model_.answer();
    lead_.clear();
    details_.clear();
    if (!answer.valid()) {
        const QString problem = problem_text(answer.problems.front());
        lead_ = {problem};
        for (RunLabel* label : {sentence_, more_}) label->setToolTip(tool_tip(problem));
        return;
    }
    const WallSentences sentences = wall_sentences(answer);
    const auto add = [](QStringList& list, const std::string& sentence) {
        if (!sentence.empty()) list << QString::fromStdString(sentence);
    };
    add(lead_, sentences.lead);
    add(lead_, sentences.second);
    // Where there is no room for all of them, the last are left out.
    if (exceeds_context(answer))
        details_
            << tr("Above the context of %1.").arg(shown(answer.scenario.model->context, Quantity::count));
    add(details_, sentences.takeover);
    // The tool tip names the range that is exceeded, together with all other warnings.
    if (distance_to_runs(answer.settings) >= kUnlikeAnyRun) details_ << tr("Nothing like it was measured.");
    else if (!extrapolation_warnings(answer).empty()) details_ << tr("Outside the validated range.");
    for (const std::string& detail : sentences.details) add(details_, detail);
    QString text = QString::fromStdString(sentences.text());
    for (const std::string& warning : warnings(answer))
        text += QLatin1Char('\n') + QString::fromStdString(warning);
    for (RunLabel* label : {sentence_, more_}) label->setToolTip(tool_tip(text));
}

void Headline::arrange() {
    if (width() < 2 * kPadding) return;
    arrange_columns();
    const int line = run_->sizeHint().height();
    const int bottom = height() - kBelow - line;
    run_->setGeometry(kPadding, bottom, width() - 2 * kPadding, line);
    arrange_sentences(bottom - 2 * sentence_height());
}

int Headline::sentence_height() const {
    return static_cast<int>(std::ceil(QFontMetricsF(font()).height())) + 1;
}

void Headline::arrange_columns() {
    const Answer& answer = model_.answer();
    const QFontMetricsF small(scaled_font(font(), kSmall));
    const QFontMetricsF display(scaled_font(font(), kDisplay, true));

    // Returns the width of the widest number that a column may show, so that nothing moves during a drag.
    const auto needed_width = [&](Column column) {
        const double value_size = column == mfu ? kDisplay : kTitle;
        static constexpr std::array<const char*, columns> widest{"000.0",  "00.0",  "",
                                                                 "00,000", "0,000", "000.0"};
        static constexpr std::array<const char*, columns> units{" GiB", " %", "", "", " ms", " days"};
        double value = 0;
        if (column == likely) {
            value = kGlyphWidth;
        } else if (shows_rates() || column == excess) {
            value = text_width(scaled_font(font(), value_size, true), QLatin1String(widest[column])) +
                    text_width(scaled_font(font(), kUnitSize), QLatin1String(units[column]));
        }
        if (value_[column]) value = std::max(value, value_[column]->natural_width());
        // A difference may grow from "±0" to "−100 %" during a drag.
        double caption = caption_[column]->natural_width();
        if (shows_rates() && !model_.pins().empty() && column != likely && column != excess) {
            caption = std::max(
                caption,
                text_width(scaled_font(font(), kSmall), caption_text_[column]) +
                    text_width(
                        scaled_font(font(), kSmall, true),
                        column == mfu
                            ? QLatin1Char(' ') +
                                  tr("%1 points vs %2").arg(QStringLiteral("−00.0"), QStringLiteral("B"))
                            : QStringLiteral(" −00 %")));
        }
        return std::ceil(std::max(value, caption));
    };

    std::array<bool, columns> shown_column{};
    shown_column.fill(true);
    shown_column[likely] = shows_rates();
    // A model that is a list of operators has no usual number of training tokens.
    shown_column[days] = !answer.valid() || answer.compiled.training_tokens > 0;
    shown_column[excess] = answer.valid() && !answer.fits();
    const double chip = verdict_->sizeHint().width();
    // The box is at the right of the first line.
    const bool offered = (answer.valid() && !answer.fits()) || hypothetical_;
    const QSize box = offered ? show_hypothetical_->sizeHint() : QSize();
    std::array<double, columns> widths{};
    for (std::size_t i = 0; i < columns; ++i) widths[i] = needed_width(static_cast<Column>(i));
    const auto gap = [&] {
        double used = chip + 2 * kPadding + box.width() + (offered ? kLeastGap : 0);
        int gaps = 0;
        for (std::size_t i = 0; i < columns; ++i) {
            if (!shown_column[i]) continue;
            used += widths[i];
            ++gaps;
        }
        return (width() - used) / gaps;
    };
    // Columns are hidden in this order if there is not enough space; the verdict and MFU always stay.
    for (const Column fold : {likely, step, rate, days}) {
        if (gap() >= kLeastGap) break;
        shown_column[fold] = false;
    }
    const double between = std::floor(std::clamp(gap(), 4.0, kMostGap));

    const int top = kAbove;
    const int caption_height = static_cast<int>(std::ceil(small.height()));
    const int value_top = top + caption_height;
    const int value_height = static_cast<int>(std::ceil(display.height()));
    const int baseline = static_cast<int>(std::lround(display.ascent()));
    const int first_line = caption_height + value_height;
    verdict_->setGeometry(kPadding, top + (first_line - verdict_->sizeHint().height()) / 2,
                          verdict_->sizeHint().width(), verdict_->sizeHint().height());
    // A checked box stays visible where it has no effect, so that the user can uncheck it.
    show_hypothetical_->setVisible(offered);
    show_hypothetical_->setGeometry(width() - kPadding - box.width(), top + (first_line - box.height()) / 2,
                                    box.width(), box.height());

    double x = kPadding + chip + between;
    for (std::size_t i = 0; i < columns; ++i) {
        caption_[i]->setVisible(shown_column[i]);
        if (value_[i]) value_[i]->setVisible(shown_column[i]);
        if (i == likely) band_->setVisible(shown_column[i]);
        if (!shown_column[i]) continue;
        const int w = static_cast<int>(widths[i]) + 1;
        const int left = static_cast<int>(x);
        caption_[i]->setGeometry(left, top, w, caption_height);
        if (value_[i]) {
            value_[i]->set_baseline(baseline);
            value_[i]->setGeometry(left, value_top, w, value_height);
        } else {
            band_->setGeometry(left, value_top + baseline - 15, kGlyphWidth, 15);
        }
        x += widths[i] + between;
    }
}

// The first line says what the wall is, the second when it changes and what else matters. The last sentences
// of a line are left out before any text is cut.
void Headline::arrange_sentences(int top) {
    const Theme& theme = current_theme();
    const QFont body = font();
    const QFont bold = scaled_font(font(), 1, true);
    const int row = sentence_height();
    constexpr int kMarker = 20;
    constexpr int kGap = 10;
    const bool explained = model_.answer().valid();
    why_->setVisible(explained);
    const double link = explained ? std::ceil(why_->natural_width()) + 1 + kGap : 0;
    const auto line_of = [&](const QStringList& sentences, const QFont& first, double available) {
        const auto runs = [&](qsizetype n) {
            QList<Run> out;
            for (qsizetype i = 0; i < n; ++i) {
                const QString gap = i == 0 ? QString() : QStringLiteral(" ");
                out.append({gap + sentences[i], i == 0 ? first : body, theme.text});
            }
            return out;
        };
        const auto width_of = [&](qsizetype n) {
            double sum = 0;
            for (const Run& run : runs(n)) sum += text_width(run.font, run.text);
            return sum;
        };
        qsizetype count = sentences.size();
        while (count > 1 && width_of(count) > available) --count;
        return runs(count);
    };
    const double available = width() - 2 * kPadding - kMarker;
    sentence_->set_runs(line_of(lead_, explained ? bold : body, available - link));
    const double lead_width = std::min(available - link + kMarker, std::ceil(sentence_->natural_width()) + 1);
    sentence_->setGeometry(kPadding, top, static_cast<int>(lead_width), row);
    why_->setGeometry(static_cast<int>(kPadding + lead_width + kGap), top, static_cast<int>(link) - kGap,
                      row);
    more_->set_runs(line_of(details_, body, available));
    const double more_width = std::min(available, std::ceil(more_->natural_width()) + 1);
    more_->setGeometry(kPadding + kMarker, top + row, static_cast<int>(more_width), row);
}

QSize Headline::sizeHint() const {
    const QFontMetricsF small(scaled_font(font(), kSmall));
    const QFontMetricsF display(scaled_font(font(), kDisplay, true));
    const double columns_end = kAbove + std::ceil(small.height()) + std::ceil(display.height());
    return {824, static_cast<int>(columns_end) + 2 * sentence_height() + run_->sizeHint().height() + kBelow};
}

QSize Headline::minimumSizeHint() const { return {420, sizeHint().height()}; }

void Headline::resizeEvent(QResizeEvent*) { arrange(); }

void Headline::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) refresh();
}

}  // namespace shardscope
