// Says what the planner has changed whenever the plan of automatic parameters changes: "Plan changed:
// Sharding zero3 → zero2, Tensor parallel 1 → 4". During a drag it waits for the end.
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

    LiveModel& model_;
    MessageBar& messages_;
    std::optional<Plan> last_;  // that of the last scenario whose plan was known
    unsigned origin_ = 0;       // of this scenario
};

// Returns what differs between two plans: "Sharding zero3 → zero2, Tensor parallel 1 → 4"; empty if nothing
// does.
QString plan_change(const Plan& before, const Plan& after);

}  // namespace shardscope
