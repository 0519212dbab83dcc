#include "widgets/panels/why_panel.h"

#include <QEvent>
#include <QFontMetrics>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/plan.h"
#include "planner/planner.h"
#include "widgets/drawing.h"
#include "widgets/formula.h"
#include "widgets/panels/glyph_button.h"
#include "widgets/panels/why_row.h"

namespace shardscope {
namespace {

constexpr int kWidth = 244;
constexpr int kPadding = 14;
constexpr int kBoxInset = 10;
constexpr int kScrollBar = 10;
constexpr int kDragPause = 120;  // ms between slow updates while a slider moves
constexpr std::size_t kMostHistory = 50;

// Returns the gain from doubling, such as "+18 %" for an elasticity of 0.24, or "too big" if it would not
// fit.
QString doubling(double exponent) {
    if (std::isnan(exponent)) return WhyPanel::tr("too big");
    const double gain = (std::exp2(exponent) - 1) * 100;
    const QString digits = QString::number(std::fabs(gain), 'f', 0);
    if (digits == QLatin1String("0")) return QStringLiteral("±0 %");
    return (gain < 0 ? QStringLiteral("−") : QStringLiteral("+")) + digits + QStringLiteral(" %");
}

// Returns the input that raises this rate most directly.
P raised_by(Rate rate) {
    using enum P;
    static constexpr std::array<P, kRates> kInputs{peak_flops, memory_bandwidth, intra_node_bandwidth,
                                                   inter_node_bandwidth, collective_latency};
    return kInputs[static_cast<std::size_t>(rate)];
}

}  // namespace

WhyPanel::WhyPanel(LiveModel& model, QWidget* parent)
    : QWidget(parent), model_(model), repairs_(Repairs::of(model)) {
    setObjectName(QStringLiteral("why"));
    setAccessibleName(tr("Why"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setFixedWidth(kWidth);
    build_header();
    build_content();
    slow_.setSingleShot(true);
    connect(&slow_, &QTimer::timeout, this, &WhyPanel::refresh_slow);
    connect(&model_, &LiveModel::changed, this, &WhyPanel::refresh);
    connect(&model_, &LiveModel::gesture_ended, this, &WhyPanel::refresh);
    connect(&repairs_, &Repairs::changed, this, [this] {
        const Answer& answer = model_.answer();
        if (answer.valid() && (needs_repair(answer) || answer.scenario.automatic.any())) refresh_slow();
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        restyle();
        refresh();
    });
    restyle();
    refresh();
}

void WhyPanel::build_header() {
    title_ = new QLabel(this);
    title_->setObjectName(QStringLiteral("why/title"));
    title_->setTextFormat(Qt::PlainText);
    title_->setWordWrap(true);
    back_ = new GlyphButton(GlyphButton::left, tr("Back"), QStringLiteral("why/back"), this);
    forward_ = new GlyphButton(GlyphButton::right, tr("Forward"), QStringLiteral("why/forward"), this);
    close_ = new GlyphButton(GlyphButton::cross, tr("Close"), QStringLiteral("why/close"), this);
    connect(back_, &QToolButton::clicked, this, [this] { go(-1); });
    connect(forward_, &QToolButton::clicked, this, [this] { go(1); });
    connect(close_, &QToolButton::clicked, this, &WhyPanel::closed);
}

void WhyPanel::build_content() {
    scroll_ = new QScrollArea(this);
    scroll_->setAccessibleName(tr("Explanation"));
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->verticalScrollBar()->setProperty("slim", true);
    content_ = new QWidget;
    content_->setAutoFillBackground(true);
    content_->setBackgroundRole(QPalette::Base);
    scroll_->setWidget(content_);

    // Boxes are created first, so that they are painted below their texts.
    formula_box_ = new WhyBox(content_);
    fix_box_ = new WhyBox(content_);
    const auto label = [this](const char* name, const QString& text = {}) {
        auto* out = new QLabel(text, content_);
        out->setObjectName(QLatin1String(name));
        out->setTextFormat(Qt::PlainText);
        out->setWordWrap(true);
        return out;
    };
    sentence_ = label("why/sentence");
    terms_ = label("why/terms");
    terms_->setTextFormat(Qt::RichText);
    terms_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    terms_->setFocusPolicy(Qt::StrongFocus);
    connect(terms_, &QLabel::linkActivated, this, [this](const QString& link) {
        if (const Term term = term_of_link(link); term != Term::count) model_.define(term);
    });
    walls_title_ = label("why/walls-title", {});
    levers_title_ = label("why/levers-title", tr("Levers"));
    formula_title_ = label("why/formula-title", tr("Formula"));
    formula_ = label("why/formula");
    formula_->setTextFormat(Qt::RichText);
    substituted_ = label("why/substituted");
    result_ = label("why/result");
    source_ = label("why/source");
    parts_title_ = label("why/parts-title");
    assumptions_title_ = label("why/assumptions-title", tr("Assumptions"));
    fix_title_ = label("why/fix-title", tr("Next best fix"));
    fix_label_ = label("why/fix");
    fix_result_ = label("why/fix-result");
    formula_line_ = new QWidget(content_);
    formula_line_->setAutoFillBackground(true);
    formula_line_->setBackgroundRole(QPalette::Mid);
    fix_apply_ = new QPushButton(tr("Apply"), content_);
    fix_apply_->setObjectName(QStringLiteral("why/apply"));
    fix_apply_->setAccessibleDescription(tr("Changes the scenario, as one step that can be undone"));
    connect(fix_apply_, &QPushButton::clicked, this, [this] {
        if (!fix_) return;
        const Repair fix = *fix_;  // copied, because replace() changes fix_
        model_.replace(fix.scenario, QString::fromStdString(fix.label));
    });
    for (std::size_t i = 0; i <= kRates; ++i) walls_.push_back(make_row());
    for (int i = 0; i < 2; ++i) levers_.push_back(make_row());
}

void WhyPanel::restyle() {
    const QFont small = scaled_font(font(), kSmall);
    const QFont small_bold = scaled_font(font(), kSmall, true);
    const QFont bold = scaled_font(font(), 1, true);
    QFont italic = font();
    italic.setItalic(true);
    // The palette role is set, because the application's style sheet would override a label's palette.
    const auto style = [](QLabel* label, const QFont& face, bool muted = false) {
        label->setFont(face);
        label->setForegroundRole(muted ? QPalette::PlaceholderText : QPalette::WindowText);
    };
    style(title_, bold);
    for (QLabel* label :
         {walls_title_, levers_title_, formula_title_, parts_title_, assumptions_title_, fix_title_})
        style(label, small_bold, true);
    style(sentence_, font());
    style(terms_, small, true);
    style(formula_, italic);
    style(substituted_, small);
    style(result_, bold);
    style(source_, small, true);
    style(fix_label_, bold);
    style(fix_result_, small);
    for (const auto* rows : {&walls_, &levers_, &ingredients_, &parts_, &assumptions_}) {
        for (WhyRow* row : *rows) row->setFont(small);
    }
    rearrange_ = true;
}

QString WhyPanel::title() const { return title_->text(); }

void WhyPanel::show(const Subject& subject) {
    if (subject != current()) {
        history_.resize(place_ + 1, subject);
        history_.push_back(subject);
        if (history_.size() > kMostHistory) history_.erase(history_.begin());
        place_ = history_.size() - 1;
        scroll_->verticalScrollBar()->setValue(0);
    }
    refresh();
}

void WhyPanel::go(int steps) {
    const auto target = static_cast<std::ptrdiff_t>(place_) + steps;
    if (target < 0 || target >= static_cast<std::ptrdiff_t>(history_.size())) return;
    place_ = static_cast<std::size_t>(target);
    scroll_->verticalScrollBar()->setValue(0);
    refresh();
}

void WhyPanel::set_hypothetical(bool on) {
    if (std::exchange(hypothetical_, on) != on) refresh();
}

void WhyPanel::set_text(QLabel* label, const QString& text) {
    if (label->text() == text) return;
    // A new layout is needed only if the number of lines changes, not if digits change in place.
    const int before = label->heightForWidth(label->width());
    label->setText(text);
    if (label->heightForWidth(label->width()) != before) rearrange_ = true;
}

void WhyPanel::refresh() {
    if (isHidden() && testAttribute(Qt::WA_WState_ExplicitShowHide)) return;  // showEvent refreshes later
    const Answer& answer = model_.answer();
    back_->setEnabled(place_ > 0);
    forward_->setEnabled(place_ + 1 < history_.size());
    if (answer.valid() && hypothetical_ && !answer.fits()) {
        // The values that it would have with enough memory.
        Answer enough = answer;
        enough.estimate.verdict = Verdict::fits;
        set_explanation(explain(current(), enough));
    } else {
        set_explanation(explain(current(), answer));
    }
    set_walls();
    if (rearrange_) arrange();
    if (!slow_.isActive()) slow_.start(model_.in_gesture() ? kDragPause : 0);
}

void WhyPanel::set_explanation(const Explanation& explanation) {
    const Answer& answer = model_.answer();
    set_text(title_, tr("Why: %1").arg(QString::fromStdString(explanation.title)));
    QString sentence = QString::fromStdString(explanation.sentence);
    if (!answer.valid()) {
        sentence = QString::fromStdString(answer.problems.front().text());
    } else if (const Subject& now = current();
               now.kind == Subject::Kind::output && !answer.fits() && output(*now.output).requires_fit) {
        sentence += QLatin1Char(' ') + (hypothetical_ ? tr("It does not fit: these values are hypothetical.")
                                                      : tr("It does not fit, so there is no value here."));
    }
    set_text(sentence_, sentence);
    const QString links = term_links(QString::fromStdString(explanation.title) + QLatin1Char(' ') + sentence);
    set_text(terms_, tr("Glossary: %1").arg(links));
    // No-break spaces keep a divisor on the line of its dividend.
    const auto unbroken = [](const std::string& text) {
        return QString::fromStdString(text).replace(QStringLiteral(" ÷ "), QStringLiteral("\u00a0÷\u00a0"));
    };
    set_text(formula_, formula_html(unbroken(explanation.formula)));
    formula_->setAccessibleName(QString::fromStdString(explanation.formula));
    set_text(substituted_, explanation.substituted.empty()
                               ? QString()
                               : QStringLiteral("= ") + unbroken(explanation.substituted));
    set_text(result_, explanation.result.empty()
                          ? QString()
                          : QStringLiteral("= ") + QString::fromStdString(explanation.result));
    set_text(source_, QString::fromStdString(explanation.source));
    set_rows(ingredients_, explanation.ingredients);
    set_text(parts_title_, text_of(explanation.parts_title));
    set_rows(parts_, explanation.parts);
    set_rows(assumptions_, explanation.assumptions);

    const auto shown_if = [this](QWidget* widget, bool shown) {
        if (widget->isHidden() == !shown) return;
        widget->setVisible(shown);
        rearrange_ = true;
    };
    shown_if(terms_, !links.isEmpty());
    const bool any =
        !explanation.formula.empty() || !explanation.ingredients.empty() || !explanation.result.empty();
    const bool formula = !explanation.formula.empty();
    shown_if(formula_box_, any);
    shown_if(formula_title_, any);
    set_text(formula_title_, formula ? tr("Formula") : tr("Value"));
    shown_if(formula_, !explanation.formula.empty());
    shown_if(substituted_, !explanation.substituted.empty());
    shown_if(result_, !explanation.result.empty());
    shown_if(formula_line_, (formula || !explanation.ingredients.empty()) && !explanation.result.empty());
    shown_if(source_, !explanation.source.empty());
    shown_if(parts_title_, !explanation.parts.empty());
    shown_if(assumptions_title_, !explanation.assumptions.empty());
}

WhyRow* WhyPanel::make_row() {
    auto* row = new WhyRow(content_);
    connect(row, &WhyRow::opened, this, qOverload<const Subject&>(&WhyPanel::show));
    return row;
}

void WhyPanel::set_rows(std::vector<WhyRow*>& rows, const std::vector<Ingredient>& entries) {
    const int width = content_->width() - 2 * kPadding;
    while (rows.size() < entries.size()) {
        WhyRow* row = make_row();
        row->setFont(scaled_font(font(), kSmall));
        row->hide();
        rows.push_back(row);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool used = i < entries.size();
        if (rows[i]->isHidden() == used) {
            rows[i]->setVisible(used);
            rearrange_ = true;
        }
        if (!used) continue;
        const Ingredient& entry = entries[i];
        const int at = rows[i]->width() > 0 ? rows[i]->width() : width;
        const int before = rows[i]->heightForWidth(at);
        rows[i]->set_text(QString::fromStdString(entry.symbol), QString::fromStdString(entry.label),
                          QString::fromStdString(entry.value));
        rows[i]->set_opens(entry.opens);
        if (rows[i]->heightForWidth(at) != before) rearrange_ = true;
    }
}

void WhyPanel::set_walls() {
    const Answer& answer = model_.answer();
    const bool shown = current() == Subject::of(Output::wall) && answer.valid();
    if (walls_title_->isHidden() == shown) {
        walls_title_->setVisible(shown);
        for (WhyRow* row : walls_) row->setVisible(shown);
        rearrange_ = true;
    }
    if (!shown) return;
    set_text(walls_title_, answer.fits() ? tr("What 1 % more of each would bring")
                                         : tr("What 1 % more of each would bring, if it fitted"));
    const auto digits = [](double value) {
        return QString::number(value, 'f', 2).replace(QLatin1Char('-'), QStringLiteral("−"));
    };
    double sum = 0;
    for (std::size_t i = 0; i < kRates; ++i) {
        const Wall wall = answer.estimate.wall_of(static_cast<Rate>(i));
        const double share = answer.estimate.elasticity[i];
        sum += share;
        walls_[i]->set_text({}, text_of(label_of(wall)), digits(share));
        walls_[i]->set_bar(share, current_theme().of(wall));
        walls_[i]->set_opens(
            Subject::of(wall == Wall::host_link ? P::host_bandwidth : raised_by(static_cast<Rate>(i))));
    }
    walls_.back()->set_text({}, tr("sum of the five"), digits(sum));
}

void WhyPanel::refresh_slow() {
    // Where planning is slow, the levers and the fix are computed with the current plan.
    Answer answer = model_.answer();
    if (!plans_within_a_frame(answer.scenario)) answer.scenario = locked(answer.scenario);
    const bool with_levers = current() == Subject::of(Output::wall) && answer.fits();
    if (with_levers) {
        const Levers found = levers(answer);
        levers_[0]->set_text({}, tr("GPU memory × 2"), doubling(found.gpu_memory));
        levers_[0]->set_opens(Subject::of(P::memory));
        levers_[1]->set_opens(Subject::of(P::micro_batch));
        levers_[1]->set_text({}, tr("batch × 2"), doubling(found.batch));
    }
    const Repair* best = best_of(repairs_.all());
    fix_ = best ? std::optional(*best) : std::nullopt;
    if (levers_title_->isHidden() == with_levers) {
        levers_title_->setVisible(with_levers);
        for (WhyRow* row : levers_) row->setVisible(with_levers);
        rearrange_ = true;
    }
    const auto show = [&](QWidget* widget, bool on) {
        if (widget->isHidden() != on) return;
        widget->setVisible(on);
        rearrange_ = true;
    };
    for (QWidget* widget : std::initializer_list<QWidget*>{fix_title_, fix_box_, fix_label_, fix_result_})
        show(widget, answer.valid());
    show(fix_apply_, fix_.has_value());
    if (fix_) {
        set_text(fix_label_, QString::fromStdString(fix_->label));
        set_text(fix_result_, QString::fromStdString(fix_->result));
    } else if (answer.valid()) {
        set_text(fix_label_, !needs_repair(answer) ? tr("No single change of the plan raises MFU")
                             : answer.fits()       ? tr("No single change makes it fit without risk")
                                                   : tr("No single change makes it fit"));
        const ParameterSet free = default_free_parameters();
        set_text(fix_result_, (model_.scenario().automatic & free) == free
                                  ? tr("The plan is automatic: the best of all combinations.")
                                  : tr("Plan automatic (Ctrl+L) tries all combinations."));
    }
    if (rearrange_) arrange();
}

// Sets positions directly, because a QLayout of forty labels would be solved in every frame of a drag.
void WhyPanel::arrange() {
    rearrange_ = false;
    const int buttons = width() - kPadding + 4 - close_->width() - forward_->width() - back_->width();
    const int title_width = buttons - kPadding - 4;
    const int head = std::max(34, title_->heightForWidth(title_width) + 12);
    back_->move(buttons, 6);
    forward_->move(back_->geometry().right() + 1, 6);
    close_->move(forward_->geometry().right() + 1, 6);
    title_->setGeometry(kPadding, 0, title_width, head);
    scroll_->setGeometry(0, head, width(), std::max(0, height() - head));

    // The scroll bar is inside the padding, so that texts do not wrap differently when it appears.
    const int width_inside = width() - 2 * kPadding;
    int y = 6;
    const auto place = [&](QWidget* widget, int inset, int gap) {
        if (widget->isHidden()) return;
        y += gap;
        const int w = width_inside - 2 * inset;
        const int h = widget->heightForWidth(w);
        widget->setGeometry(kPadding + inset, y, w, h);
        y += h;
    };
    const auto place_rows = [&](const std::vector<WhyRow*>& rows, int inset) {
        for (WhyRow* row : rows) place(row, inset, 1);
    };
    place(sentence_, 0, 0);
    place(terms_, 0, 4);
    place(walls_title_, 0, 12);
    if (!walls_title_->isHidden()) y += 3;
    place_rows(walls_, 0);
    place(levers_title_, 0, 12);
    place_rows(levers_, 0);

    place(formula_title_, 0, 12);
    if (!formula_box_->isHidden()) {
        const int top = y + 5;
        y = top + kBoxInset;
        place(formula_, kBoxInset, 0);
        place(substituted_, kBoxInset, 3);
        y += formula_->isHidden() ? 0 : 5;
        place_rows(ingredients_, kBoxInset);
        if (!formula_line_->isHidden()) {
            y += 5;
            formula_line_->setGeometry(kPadding + kBoxInset, y, width_inside - 2 * kBoxInset, 1);
            y += 5;
        }
        place(result_, kBoxInset, 0);
        y += kBoxInset;
        formula_box_->setGeometry(kPadding, top, width_inside, y - top);
    }
    place(source_, 0, 7);
    place(parts_title_, 0, 12);
    if (!parts_title_->isHidden()) y += 2;
    place_rows(parts_, 0);
    place(assumptions_title_, 0, 12);
    if (!assumptions_title_->isHidden()) y += 2;
    place_rows(assumptions_, 0);
    place(fix_title_, 0, 12);
    if (!fix_box_->isHidden()) {
        const int top = y + 5;
        y = top + kBoxInset;
        place(fix_label_, kBoxInset, 0);
        place(fix_result_, kBoxInset, 2);
        if (!fix_apply_->isHidden()) {
            const QSize button = fix_apply_->sizeHint();
            fix_apply_->setGeometry(kPadding + kBoxInset, y + 6, button.width(), button.height());
            y += 6 + button.height();
        }
        y += kBoxInset;
        fix_box_->setGeometry(kPadding, top, width_inside, y - top);
    }
    y += 12;
    const bool bar = y > scroll_->height();
    content_->resize(width() - (bar ? kScrollBar : 0), y);
}

void WhyPanel::resizeEvent(QResizeEvent*) { arrange(); }

void WhyPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void WhyPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::FontChange || !scroll_) return;
    restyle();
    refresh();
}

}  // namespace shardscope
