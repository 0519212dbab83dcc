// The left pane: a search field, the walls, and all other parameters that have a row, in groups.
//
// The walls are the parameters that decide which wall binds. Their rows have wide tracks and are always
// visible; only in a very low window do they scroll with the groups below them. The groups, their rows and
// their order come from the parameter table, so a new parameter appears here automatically. Object names:
// "controls/search", "controls/walls", and those of ControlGroup.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "widgets/live_model.h"

class QLabel;
class QLineEdit;
class QScrollArea;

namespace shardscope {

class ControlGroup;
class ParameterRow;
class WallRows;

class ControlsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit ControlsPanel(LiveModel& model, QWidget* parent = nullptr);

    // Returns the row of a parameter and makes it visible: its group opens, and a search that hides it is
    // cleared. Returns nullptr for a parameter that only files set.
    ParameterRow* row(P id);
    [[nodiscard]] QLineEdit* search() const { return search_; }
    // Sets whether the typed words are a command. Words that match no parameter then hide no row.
    void set_words_are_command(bool command);

    // Returns the object names of the open groups, which the next start opens again.
    [[nodiscard]] QStringList open_groups() const;
    void set_open_groups(const QStringList& names);

    // Returns the width for a window of this width, in px.
    static int width_for(int window_width, const QFont& font);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    // Shows only the rows that match the words; of "seq 32k" the first word matches.
    void filter(const QString& words);
    [[nodiscard]] bool matches(const QString& words) const;
    void show_matches(const QString& wanted);
    void chain_rows();
    void refresh_summaries();
    void fit_to_height();
    // Places the walls above the part that scrolls, or in it.
    void place_walls(bool above);
    void show_in_view(QWidget& row);
    // Scrolls to all of a part, or to its beginning if it is higher than the view.
    void show_opened(const QWidget* part);

    LiveModel& model_;
    QLayout* top_ = nullptr;  // of the search field
    QLineEdit* search_ = nullptr;
    WallRows* walls_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QLabel* nothing_ = nullptr;
    bool words_are_command_ = false;
    std::vector<ControlGroup*> groups_;
};

}  // namespace shardscope
