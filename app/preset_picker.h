// A button of the tool bar that opens the list of all clusters or all models with their key numbers. Typed
// words search it, a click on a column's title sorts it, Up and Down choose an entry, and Enter or a click
// takes it. A line below the list predicts what the chosen entry would do and names its source. Object names:
// "picker/cluster", and of its list "presets/cluster", "presets/cluster/search", "presets/cluster/list",
// "presets/cluster/detail"; "model" in place of "cluster" for models.
#pragma once

#include <QFrame>
#include <QToolButton>
#include <functional>

#include "app/preset_facts.h"
#include "widgets/live_model.h"

class QLabel;
class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace shardscope {

class PresetList : public QFrame {
    Q_OBJECT
  public:
    // `facts` and `model` have to outlive this object.
    PresetList(PresetKind kind, LiveModel& model, PresetFacts& facts, QWidget* parent);

    // Shows the list of all presets below this part of the screen, with the words of the search cleared.
    void open_below(const QRect& place);
    // Returns the preset of the entry; nullptr for none.
    [[nodiscard]] const Preset* preset_of(const QTreeWidgetItem* item) const;
    // Returns the width with which no visible column is cut, once the list was opened.
    [[nodiscard]] int wanted_width() const;
    // Hides the columns that matter least, if the others would be cut in a list of this width.
    void fold_columns(int width) const;

  Q_SIGNALS:
    void taken(const shardscope::Preset& preset);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    [[nodiscard]] int width_of_numbers(int column) const;
    void fill();
    void search();
    void describe();
    void take(const QTreeWidgetItem* item);
    [[nodiscard]] const Preset* current() const;  // of the scenario
    [[nodiscard]] QTreeWidgetItem* first_visible() const;

    PresetKind kind_;
    LiveModel& model_;
    PresetFacts& facts_;
    QLineEdit* search_;
    QTreeWidget* list_;
    QLabel* detail_;
    std::vector<int> widths_;  // with which no column is cut
};

class PresetPicker : public QToolButton {
    Q_OBJECT
  public:
    PresetPicker(PresetKind kind, LiveModel& model, PresetFacts& facts, QWidget* parent);

    // Shows the preset's title, "Cluster  DGX H100 (modified)". The button keeps its width, so that nothing
    // beside it moves: a long title ends with an ellipsis, and a `compact` button shows "*" for "(modified)".
    // An `own_name` is shown in place of the preset's.
    void show_preset(const QString& kind, const Preset* preset, bool modified,
                     const std::string& own_name = {});
    // Opens a field over the title. `take` gets what is typed, when the field is left; Escape leaves it
    // unchanged.
    void edit_title(const std::function<void(const QString&)>& take);
    void set_compact(bool compact);
    [[nodiscard]] PresetList& list() const { return *list_; }

  protected:
    void initStyleOption(QStyleOptionToolButton* option) const override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void open();
    void refresh();

    PresetList* list_;
    QString kind_, title_;
    bool modified_ = false;
    bool compact_ = false;
};

}  // namespace shardscope
