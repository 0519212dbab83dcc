// The row below the headline. If the scenario does not fit it offers the best plan of all and single changes
// that would make it fit, best first, one click each; otherwise the change that raises the MFU most. It is
// always there, so that nothing below it moves. Buttons are named "repair/plan" and "repair/<parameter key>".
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/repairs.h"

class QToolButton;

namespace shardscope {

class RepairButton;
class RunLabel;

class RepairStrip : public QWidget {
    Q_OBJECT
  public:
    explicit RepairStrip(LiveModel& model, QWidget* parent = nullptr);
    // Returns whether a search for repairs or for a better plan is due or running.
    [[nodiscard]] bool pending() const { return search_.pending(); }
    // Returns whether the searches are over and a repair makes the scenario fit, or fit without risk.
    [[nodiscard]] bool has_best() const {
        return needs_repair(model_.answer()) && !pending() && best_ < repairs_.size();
    }
    // Applies the best repair, if there is one.
    void use_best();
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void repairs_changed();

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    void take(std::vector<Repair> found);
    // While the pointer is on the strip, its repairs keep their places, and those that are found meanwhile
    // follow.
    void keep_places(std::vector<Repair>& found) const;
    // Takes the focus from a part that will be hidden or disabled, so that it stays here.
    void keep_focus(const QWidget& part);
    void write_caption();
    void arrange();
    void fill_menu();
    void use(const Repair& repair);

    LiveModel& model_;
    Repairs& search_;
    RunLabel* caption_ = nullptr;
    RunLabel* note_ = nullptr;            // below the caption
    std::vector<RepairButton*> buttons_;  // reused; as many are shown as there are repairs
    QToolButton* more_ = nullptr;         // menu of the repairs that do not fit beside the others
    std::size_t shown_ = 0;               // the repairs from this one on are in the menu
    std::vector<Repair> repairs_;
    Scenario repaired_;                   // the scenario of these repairs
    std::optional<std::size_t> pointed_;  // the repair under the pointer
    std::size_t best_ = 0;                // the best repair; beyond the last one if none works
    Repair pressed_;
};

}  // namespace shardscope
