// The repairs of the model's scenario while it does not fit or is risky, else the change that raises its MFU
// most. The strip of repairs, the Why panel and the scaling plot show the same list.
//
// Single changes are there at once. The best plan of all, single changes whose plans take long to find, and
// the change that raises the MFU of an automatic plan follow from a search in the background, which does not
// run during a drag.
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "explore/repair.h"
#include "widgets/background.h"
#include "widgets/live_model.h"

namespace shardscope {

class Repairs : public QObject {
    Q_OBJECT
  public:
    // Returns the object of this model, which is created on first use and destroyed with the model. A view
    // gets it before it connects to the model, so that its list is not older than the view.
    static Repairs& of(LiveModel& model);

    // Best first; one or none if the scenario fits without risk.
    [[nodiscard]] const std::vector<Repair>& all();
    // Returns whether a search is due or running.
    [[nodiscard]] bool pending() const { return due_ || search_.pending(); }
    // Returns whether the best plan of all is missing in the list because it is still to be found.
    [[nodiscard]] bool awaits_plan() const { return pending() && awaits_plan_; }

    // Shows the result of one repair in the plot and the memory bar, before it is made; of one that does not
    // work there is none, and nothing is shown. Null ends that.
    void preview(const Repair* repair);
    [[nodiscard]] const std::optional<Repair>& previewed() const { return previewed_; }
    // The repair to show the result of: the one that is previewed, else the best. nullptr if there is none,
    // or if one that does not work is pointed at.
    [[nodiscard]] const Repair* shown();

  Q_SIGNALS:
    void changed();  // the list; it also changes with the model, without this signal
    void preview_changed();

  private:
    explicit Repairs(LiveModel& model);
    void expire();
    void search();

    LiveModel& model_;
    std::vector<Repair> found_;
    std::optional<Repair> previewed_;
    bool previews_none_ = false;  // one that does not work is pointed at
    bool current_ = false;        // found_ belongs to the model's scenario
    bool due_ = false;
    bool awaits_plan_ = false;
    Background search_;
};

}  // namespace shardscope
