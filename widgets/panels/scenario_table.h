// The table at the bottom: the current scenario, up to six pins and the user's measured run, side by side. It
// is one line until something is pinned or measured, and in a low window; the user can unfold and fold it.
//
// Object names: "scenarios", "/fold", "/table", "/line", "/differences-only", "/measured".
#pragma once

#include <QWidget>
#include <optional>

#include "widgets/live_model.h"

class QCheckBox;
class QLabel;
class QToolButton;

namespace shardscope {

class ScenarioGrid;
class ScenarioLine;
class ScenarioModel;

class ScenarioTable : public QWidget {
    Q_OBJECT
  public:
    explicit ScenarioTable(LiveModel& model, QWidget* parent = nullptr);

    // Adapts to the height of the window. A low window folds the table; the user can unfold it.
    void set_window_height(int height);
    // Whether the user has unfolded or folded the table in a window that is not low; nothing before that.
    [[nodiscard]] std::optional<bool> chosen() const { return chosen_; }
    void choose(bool unfolded);
    // Shows a hint on how to begin, for users who have not dragged anything yet, instead of the hint on how
    // to pin.
    void set_first_use(bool on);

  Q_SIGNALS:
    void measured_requested();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    [[nodiscard]] bool is_unfolded() const;
    void refresh();
    void restyle();

    LiveModel& model_;
    ScenarioModel* scenarios_ = nullptr;
    ScenarioGrid* grid_ = nullptr;
    ScenarioLine* line_ = nullptr;
    QToolButton* fold_ = nullptr;
    QLabel* caption_ = nullptr;
    QLabel* hint_ = nullptr;       // below the rows
    QLabel* line_hint_ = nullptr;  // in the line
    QCheckBox* differences_ = nullptr;
    std::optional<bool> chosen_;      // by the user: whether it is unfolded
    std::optional<bool> chosen_low_;  // the same in the present low window
    bool low_ = false;
    bool first_use_ = false;
    int most_rows_ = 7;
};

}  // namespace shardscope
