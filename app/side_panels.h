// The panels at the window's right, of which one is open at most: Why, and the study. What is closed stays as
// a rail. Where there is little room, Why lies over the plots instead of pressing them.
#pragma once

#include <QWidget>
#include <optional>

#include "explain/explanation.h"

class QTabWidget;

namespace shardscope {

class LiveModel;
class SideRail;
class StudyPanel;
class WhyPanel;
struct Claim;
struct Study;

class SidePanels : public QWidget {
    Q_OBJECT
  public:
    enum class Side { none, why, study };

    SidePanels(LiveModel& model, QTabWidget& plots, QWidget* parent = nullptr);

    // Opens one, also where there is little room.
    void open(Side side);
    void explain(const Subject& subject);
    [[nodiscard]] bool is_open(Side side) const;
    // Opens one where there is room for it.
    void prefer(Side side);
    // Where there is little room all become rails; with room again, the one that was wanted opens.
    void set_narrow(bool narrow);

    // The study's panel opens if there is room; without a study it and its rail go.
    void set_study(std::optional<Study> study);
    [[nodiscard]] const std::optional<Study>& study() const;

  Q_SIGNALS:
    void shown_changed();
    void study_closed();  // by the person
    void claim_chosen(const Claim& claim);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void show_only(Side side);
    void place_cover();

    QTabWidget& plots_;
    QWidget* cover_;  // of the plots, where Why lies over them
    WhyPanel* why_;
    StudyPanel* study_;
    SideRail* why_rail_;
    SideRail* study_rail_;
    Side wanted_ = Side::why;
    bool narrow_ = false;
};

}  // namespace shardscope
