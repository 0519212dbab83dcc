#include "widgets/panels/control_group.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <utility>

#include "text/translate.h"
#include "widgets/column.h"
#include "widgets/panels/disclosure.h"
#include "widgets/rows/hold_switch.h"
#include "widgets/rows/row_buttons.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

QString shown(P id, const Answer& answer) { return QString::fromStdString(format(id, answer.settings[id])); }

QString preset_title(const Preset* preset) {
    return preset ? preset_text(preset->title) : ControlGroup::tr("no preset");
}

// Returns the summary in the header of a group, which names its most important values.
QString summary_of(Group group, const LiveModel& model) {
    const Scenario& scenario = model.scenario();
    const Answer& answer = model.answer();
    const QString dot = QStringLiteral(" · ");
    const auto modified = [&](Group of) {
        return is_modified(scenario, of) ? ControlGroup::tr(" (modified)") : QString();
    };
    switch (group) {
        case Group::cluster:
        case Group::gpu: {
            const bool changed = is_modified(scenario, Group::cluster) || is_modified(scenario, Group::gpu);
            return preset_title(scenario.cluster ? scenario.cluster : scenario.gpu) +
                   (changed ? ControlGroup::tr(" (modified)") : QString()) + dot +
                   ControlGroup::tr("%1 per node").arg(shown(P::gpus_per_node, answer));
        }
        case Group::model: {
            QString out = scenario.model_name.empty() ? preset_title(scenario.model) + modified(group)
                                                      : text_of(scenario.model_name);
            if (answer.valid()) {
                out += dot + ControlGroup::tr("%1 layers").arg(shown(P::layers, answer)) + dot +
                       QString::fromStdString(format(answer.compiled.parameters, Quantity::big_count));
            }
            return out;
        }
        case Group::training:
            return shown(P::precision, answer) + dot + shown(P::optimizer, answer) + dot +
                   (scenario.hold() == Hold::global_batch ? ControlGroup::tr("global batch held")
                                                          : ControlGroup::tr("per-GPU batch held"));
        case Group::plan: {
            QString out = shown(P::sharding, answer);
            constexpr std::array kDegrees{
                std::pair{P::tensor_parallel, "TP %1"}, std::pair{P::pipeline_parallel, "PP %1"},
                std::pair{P::context_parallel, "CP %1"}, std::pair{P::expert_parallel, "EP %1"}};
            for (const auto& [degree, words] : kDegrees) {
                if (answer.settings[degree] > 1)
                    out += dot + ControlGroup::tr(words).arg(shown(degree, answer));
            }
            return out + dot +
                   (answer.settings[P::recompute] == 0
                        ? ControlGroup::tr("no recompute")
                        : ControlGroup::tr("recompute %1").arg(shown(P::recompute, answer)));
        }
        case Group::assumptions: return shown(P::software, answer) + modified(group);
    }
    return {};
}

}  // namespace

ControlGroup::ControlGroup(std::span<const Group> groups, LiveModel& model, QWidget* parent)
    : QWidget(parent), groups_(groups.begin(), groups.end()), model_(model) {
    header_ = new Disclosure(text_of(title(group())), true, this);
    header_->setObjectName(name());
    side_ = new QWidget(header_);
    auto* beside = new QHBoxLayout(side_);
    beside->setContentsMargins(0, 0, 0, 0);
    beside->setSpacing(8);
    if (group() == Group::plan) add_automatic();
    more_ = new Disclosure(tr("More"), false, side_);
    beside->addWidget(more_);
    header_->set_side(side_);
    more_->setObjectName(name() + QStringLiteral("/more"));
    more_->setAccessibleName(tr("More of %1").arg(text_of(title(group()))));
    more_->setAccessibleDescription(tr("Parameters that are rarely changed"));
    body_ = new QWidget(this);
    extra_ = new QWidget(body_);
    auto* rows = make_column(body_);
    make_column(extra_);
    rows->addWidget(extra_);
    constexpr int kBelow = 6;
    rows->setContentsMargins(0, 0, 0, kBelow);
    auto* all = make_column(this);
    all->setContentsMargins(0, 1, 0, 0);  // for the line above
    all->addWidget(header_);
    all->addWidget(body_);
    for (const auto& [button, part] : {std::pair<Disclosure*, QWidget*>{header_, this}, {more_, extra_}}) {
        connect(button, &QAbstractButton::toggled, this, [this] { apply(); });
        connect(button, &QAbstractButton::clicked, this, [this, part = part](bool open) {
            if (open) Q_EMIT opened(part);
        });
    }
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
    apply();
}

void ControlGroup::add_automatic() {
    automatic_ = new AutoButton(AutoButton::Look::chip, side_);
    automatic_->setObjectName(name() + QStringLiteral("/auto"));
    automatic_->setText(tr("auto"));
    automatic_->setAccessibleName(tr("Plan automatic"));
    constexpr int kMargins = 16;
    const QFontMetrics metrics(scaled_font(font(), kSmall));
    automatic_->setFixedSize(metrics.horizontalAdvance(automatic_->text()) + kMargins, metrics.height() + 4);
    side_->layout()->addWidget(automatic_);
    connect(automatic_, &QAbstractButton::clicked, this, [this](bool on) { model_.set_all_automatic(on); });
}

QString ControlGroup::name() const { return QStringLiteral("group/") + text_of(name_of(group())); }

bool ControlGroup::is_open() const { return header_->isChecked(); }

void ControlGroup::set_open(bool open) { header_->setChecked(open); }

ParameterRow* ControlGroup::reveal(P id) {
    if (!contains(id)) return nullptr;
    const bool extra = parameter(id).prominence == Prominence::advanced;
    create_rows(extra);
    header_->setChecked(true);
    if (extra) more_->setChecked(true);
    return *std::ranges::find(rows_, id, &ParameterRow::id);
}

WordMatch ControlGroup::match(const QString& words) const {
    const bool holds = group() == Group::training && HoldSwitch::matches(words);
    auto best = holds ? WordMatch::mentioned : WordMatch::none;
    for (const bool extra : {false, true}) {
        for (const P id : parameters(extra)) best = std::max(best, match_parameter(id, words));
    }
    return best;
}

WordMatch ControlGroup::filter(const QString& words) {
    searching_ = !words.isEmpty();
    const WordMatch best = searching_ ? match(words) : WordMatch::mentioned;
    found_ = best != WordMatch::none;
    if (searching_ && found_) {
        for (const bool extra : {false, true}) create_rows(extra);
    }
    std::vector<std::pair<WordMatch, ParameterRow*>> ranked;
    for (ParameterRow* row : rows_) {
        const auto match = searching_ ? match_parameter(row->id(), words) : WordMatch::mentioned;
        row->setVisible(match != WordMatch::none);
        ranked.emplace_back(match, row);
    }
    std::ranges::stable_sort(ranked, std::greater{}, &decltype(ranked)::value_type::first);
    order(ranked);
    if (hold_) hold_->setVisible(HoldSwitch::matches(words));
    apply();
    return best;
}

void ControlGroup::set_heading_height(int height) { header_->set_heading_height(height); }

QWidgetList ControlGroup::stops() const {
    QWidgetList out{header_};
    if (automatic_) out << automatic_;
    out << more_;
    const auto add_all = [&out](const QWidget* box, const QWidget* apart, auto&& instead) {
        for (int i = 0; i < box->layout()->count(); ++i) {
            const QWidget* row = box->layout()->itemAt(i)->widget();
            if (row == apart) instead();
            else out << focus_stops(row);
        }
    };
    add_all(body_, extra_, [&] { add_all(extra_, nullptr, [] {}); });
    return out;
}

void ControlGroup::refresh() {
    header_->set_summary(summary_of(group(), model_));
    if (!automatic_) return;
    const bool on = model_.scenario().automatic.any();
    automatic_->setChecked(on);
    automatic_->setToolTip(on ? tr("Some of the plan is chosen automatically. Click to lock the whole plan.")
                              : tr("The plan is locked. Click to let the planner choose it."));
}

void ControlGroup::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(QRect(0, 0, width(), 1), current_theme().line);
}

// Arranges the rows in this order. The rows under "More" come before the others if they contain the better
// match. The Tab key follows the same order.
void ControlGroup::order(const std::vector<std::pair<WordMatch, ParameterRow*>>& ranked) {
    const auto best_of = [&](const QWidget* parent) {
        const auto found = std::ranges::find(
            ranked, parent, [](const auto& one) -> const QWidget* { return one.second->parentWidget(); });
        return found == ranked.end() ? WordMatch::none : found->first;
    };
    QWidgetList wanted;  // the new order in body_
    if (hold_) wanted << hold_;
    for (const auto& one : ranked) {
        if (one.second->parentWidget() == body_) wanted << one.second;
    }
    if (best_of(extra_) > best_of(body_)) wanted.prepend(extra_);
    else wanted.append(extra_);
    place_in_order(*body_->layout(), wanted);
    wanted.clear();
    for (const auto& one : ranked) {
        if (one.second->parentWidget() == extra_) wanted << one.second;
    }
    place_in_order(*extra_->layout(), wanted);
}

bool ControlGroup::contains(P id) const {
    const Parameter& row = parameter(id);
    return row.prominence != Prominence::file && std::ranges::find(groups_, row.group) != groups_.end() &&
           std::ranges::find(kWallParameters, id) == kWallParameters.end();
}

std::vector<P> ControlGroup::parameters(bool extra) const {
    std::vector<P> out;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (contains(id) && (parameter(id).prominence == Prominence::advanced) == extra) out.push_back(id);
    }
    return out;
}

void ControlGroup::create_rows(bool extra) {
    if (std::exchange(created_[extra ? 1 : 0], true)) return;
    QWidget* box = extra ? extra_ : body_;
    auto* column = static_cast<QVBoxLayout*>(box->layout());
    int at = 0;  // above "More"
    if (!extra && group() == Group::training) {
        hold_ = new HoldSwitch(model_, box);
        column->insertWidget(at++, hold_);
    }
    for (const P id : parameters(extra)) {
        auto* row = new ParameterRow(id, model_, box);
        column->insertWidget(at++, row);
        rows_.push_back(row);
    }
    Q_EMIT rows_created();
}

void ControlGroup::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    apply();
}

void ControlGroup::apply() {
    setVisible(!searching_ || found_);
    header_->set_forced_open(searching_);
    const bool open = searching_ || header_->isChecked();
    const bool has_extra = !parameters(true).empty();
    const bool extra_open = has_extra && (searching_ || more_->isChecked());
    if (isVisible() && open) {
        create_rows(false);
        if (extra_open) create_rows(true);
    }
    body_->setVisible(open);
    more_->setVisible(!searching_ && has_extra && header_->isChecked());
    extra_->setVisible(extra_open);
    side_->setVisible(automatic_ || !more_->isHidden());
    header_->set_side(side_);
}

}  // namespace shardscope
