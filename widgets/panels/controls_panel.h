// The left pane: a search field, and all parameters that have a row, in collapsible groups.
//
// The groups, their rows and their order come from the parameter table, so a new parameter appears here
// automatically. Object names: "controls/search", the group headers "group/cluster" …, their "More" headers
// "group/cluster/more".
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/live_model.h"

class QLabel;
class QLineEdit;
class QScrollArea;

namespace shardscope {

class ControlGroup;
class HoldSwitch;
class ParameterRow;

class ControlsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit ControlsPanel(LiveModel& model, QWidget* parent = nullptr);

    // Returns the row of a parameter and makes it visible: its group opens, and a search that hides it is
    // cleared. Returns nullptr for a parameter that only files set.
    ParameterRow* row(P id);
    // Uses shorter sliders and fields, for narrow windows.
    void set_compact(bool compact);
    [[nodiscard]] QLineEdit* search() const { return search_; }

    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void filter(const QString& words);
    void chain_rows();
    void refresh_summaries();
    void fold_to_fit(bool may_close);
    void fit_to_window();
    void apply_width();

    LiveModel& model_;
    QLineEdit* search_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QLabel* nothing_ = nullptr;
    std::vector<ControlGroup*> groups_;
    int fitted_for_ = -1;  // the window height for which groups were folded last
    bool compact_ = false;
};

}  // namespace shardscope
