// The rows of the scenario table and the actions on them.
//
// A click on a value of the current scenario explains it. A click on a pin makes it the current scenario
// (Enter), a click on its letter compares the headline with it (Space), and a click on × unpins it (Delete).
// Dragging a letter onto another swaps the two scenarios; F2 renames. The context menu has these actions on
// scenarios, too.
#pragma once

#include <QTableView>
#include <array>

#include "widgets/explainable.h"
#include "widgets/panels/scenario_model.h"

class QMenu;

namespace shardscope {

class ScenarioGrid : public QTableView, public Explainable {
    Q_OBJECT
  public:
    ScenarioGrid(LiveModel& model, ScenarioModel& scenarios, QWidget* parent = nullptr);

    // Hides the columns in which all scenarios agree.
    void set_differences_only(bool on);
    [[nodiscard]] int row_height() const;
    [[nodiscard]] int header_height() const;
    [[nodiscard]] std::optional<Subject> focused_subject() const override;

    // State that the delegate needs to paint a row.
    [[nodiscard]] bool is_hovered(const QModelIndex& index) const;
    [[nodiscard]] bool is_target(int row) const { return dragging_ && row == hovered_.row(); }

  Q_SIGNALS:
    void measured_requested();

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void restyle();
    void arrange();
    void widen();  // only the columns that have become too narrow for the current row
    [[nodiscard]] int width_of(ScenarioColumn column) const;
    [[nodiscard]] int width_of(ScenarioColumn column, const ScenarioRow& row) const;
    void distribute_width(std::array<int, kScenarioColumns> widths, int names);
    void hover(const QModelIndex& index);
    void activate(const QModelIndex& index);
    void fill_menu(QMenu& menu, const ScenarioRow& row);
    // Returns the subject that a cell of the current scenario shows.
    [[nodiscard]] std::optional<Subject> subject_of(const QModelIndex& index) const;
    [[nodiscard]] char letter_at(const QModelIndex& index) const;
    [[nodiscard]] bool on_tag(const QPoint& at) const;

    LiveModel& model_;
    ScenarioModel& scenarios_;
    bool differences_only_ = false;
    QPersistentModelIndex hovered_;
    QPersistentModelIndex pressed_;
    QPoint press_;
    bool on_tag_ = false;
    bool dragging_ = false;
};

}  // namespace shardscope
