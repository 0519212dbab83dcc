// Says what the planner has changed whenever it changes automatic parameters: "Plan changed: Tensor parallel
// 1 → 4, Sharding zero3 → zero2". It also says when the first automatic parameter changes the batch that is
// held. During a drag it waits for the end. It says nothing when an unrelated scenario replaces the current
// one. The message disappears with the next change of the scenario, if not before.
#pragma once

#include <QObject>
#include <optional>

#include "planner/plan.h"

namespace shardscope {

class LiveModel;
class MessageBar;

class PlanNews : public QObject {
    Q_OBJECT
  public:
    PlanNews(LiveModel& model, MessageBar& messages, QObject* parent);

  private:
    void compare();
    void withdraw();

    LiveModel& model_;
    MessageBar& messages_;
    std::optional<Plan> last_;  // that of the last scenario whose plan was known
    Scenario scenario_;         // with this plan
    bool automatic_ = false;    // whether any of its parameters was
    Hold hold_ = Hold::per_gpu_batch;
    unsigned origin_ = 0;  // of this scenario
    QString news_;         // the last message
};

// Returns what differs between two plans in the parameters `compared`: "Tensor parallel 1 → 4, Sharding
// zero3 → zero2"; empty if nothing does.
QString plan_change(const Plan& before, const Plan& after, const ParameterSet& compared);

}  // namespace shardscope
