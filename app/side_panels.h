// The panels at the right of the window, Why and Study, of which at most one is open. A closed panel is shown
// as a rail. In a narrow window Why covers a part of the plots instead of making them smaller.
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

    // Opens a panel, also in a narrow window.
    void open(Side side);
    void explain(const Subject& subject);
    // Explains the MFU, as at the start, without opening the panel.
    void explain_first();
    // Why explains the values that a scenario which does not fit would have with enough memory.
    void set_hypothetical(bool on);
    [[nodiscard]] bool is_open(Side side) const;
    // Opens a panel unless the window is narrow.
    void prefer(Side side);
    // In a narrow window all panels become rails. When the window is wide again, the preferred panel opens.
    void set_narrow(bool narrow);

    // Opens the panel of the study unless the window is narrow. Without a study, its panel and rail are
    // hidden, and what was open before it is open again.
    void set_study(std::optional<Study> study);
    [[nodiscard]] const std::optional<Study>& study() const;

  Q_SIGNALS:
    void shown_changed();
    void study_closed();  // by the user
    void claim_chosen(const Claim& claim);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void show_only(Side side);
    void place_cover();

    QTabWidget& plots_;
    QWidget* cover_;  // contains Why where it covers the plots
    WhyPanel* why_;
    StudyPanel* study_;
    SideRail* why_rail_;
    SideRail* study_rail_;
    Side wanted_ = Side::why;
    Side before_study_ = Side::why;  // the panel to open again after the study
    bool narrow_ = false;
};

}  // namespace shardscope
