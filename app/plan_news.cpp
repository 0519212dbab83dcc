#include "app/plan_news.h"

#include "app/message_bar.h"
#include "widgets/live_model.h"
#include "widgets/text.h"

namespace shardscope {

PlanNews::PlanNews(LiveModel& model, MessageBar& messages, QObject* parent)
    : QObject(parent), model_(model), messages_(messages) {
    connect(&model_, &LiveModel::changed, this, &PlanNews::compare);
    connect(&model_, &LiveModel::gesture_ended, this, &PlanNews::compare);
    compare();
}

void PlanNews::withdraw() {
    if (!news_.isEmpty()) messages_.withdraw(news_);
    news_.clear();
}

void PlanNews::compare() {
    const Answer& answer = model_.answer();
    if (model_.in_gesture() || model_.planning() || !answer.valid()) return;
    const Plan plan = plan_of(answer.settings);
    if (scenario_ != answer.scenario) withdraw();
    const Scenario& now = model_.scenario();
    // An unrelated scenario has a plan of its own.
    if (last_ && origin_ == model_.origin()) {
        QStringList news;
        const QString change = plan_change(*last_, plan, now.automatic);
        if (!change.isEmpty()) news << tr("Plan changed: %1").arg(change);
        if (!automatic_ && now.automatic.any() && hold_ != now.hold())
            news << tr("The global batch (%1) is held from now on, instead of the batch per GPU, so that all "
                       "automatic plans do the same job. Undo takes this back.")
                        .arg(text_of(format(P::global_batch, answer.settings[P::global_batch])));
        if (!news.isEmpty()) {
            news_ = news.join(QStringLiteral(". "));
            messages_.report(news_);
        }
    }
    automatic_ = now.automatic.any();
    hold_ = now.hold();
    last_ = plan;
    scenario_ = answer.scenario;
    origin_ = model_.origin();
}

QString plan_change(const Plan& before, const Plan& after, const ParameterSet& compared) {
    QStringList out;
    for (const P id : kPlanParameters) {
        if (!compared[index(id)] || before[id] == after[id]) continue;
        out << QStringLiteral("%1 %2 → %3")
                   .arg(text_of(label_of(id)), text_of(format(id, before[id])),
                        text_of(format(id, after[id])));
    }
    return out.join(QStringLiteral(", "));
}

}  // namespace shardscope
