// The panel of the chosen study: the question of its paper, what to look at and to drag, and its claims with
// the engine's numbers. The numbers are computed in the background, once per study. A click on a claim
// requests its scenarios.
#pragma once

#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "studies/study.h"
#include "widgets/background.h"

class QLabel;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace shardscope {

class ClaimRow;

class StudyPanel : public QWidget {
    Q_OBJECT
  public:
    explicit StudyPanel(QWidget* parent = nullptr);

    // Shows the study; without one the panel is empty.
    void set_study(std::optional<Study> study);
    [[nodiscard]] const std::optional<Study>& study() const { return study_; }
    // Returns whether numbers are still being computed.
    [[nodiscard]] bool pending() const { return background_.pending(); }

  Q_SIGNALS:
    void closed();
    void claim_chosen(const Claim& claim);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void restyle();
    void set_claims();
    void set_findings(const std::vector<Finding>& findings);

    std::optional<Study> study_;
    std::map<const Preset*, std::vector<Finding>> known_;
    QLabel* title_;
    QToolButton* close_;
    QScrollArea* scroll_;
    QVBoxLayout* rows_;
    QLabel* origin_;
    QLabel* look_title_;
    QLabel* look_;
    QLabel* drag_title_;
    QLabel* drag_;
    QLabel* claims_title_;
    std::vector<ClaimRow*> claims_;
    Background background_;
};

}  // namespace shardscope
