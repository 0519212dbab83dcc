// The walls: the rows of the parameters that decide which wall binds, with wide tracks, below a line that
// names the wall of the scenario. A tool tip of that line is the legend of the tracks.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/live_model.h"
#include "widgets/rows/parameter_row.h"
#include "widgets/word_match.h"

namespace shardscope {

class WallRows : public QWidget {
    Q_OBJECT
  public:
    explicit WallRows(LiveModel& model, QWidget* parent);

    [[nodiscard]] ParameterRow* row(P id) const;                // nullptr for another parameter
    [[nodiscard]] WordMatch match(const QString& words) const;  // the best one
    // Shows only the rows that match. Returns the best match.
    WordMatch filter(const QString& words);
    [[nodiscard]] int height_with(RowHeight height) const;
    void set_height(RowHeight height);
    // Returns the widgets that the Tab key reaches, from top to bottom.
    [[nodiscard]] QWidgetList stops() const;

  private:
    std::vector<ParameterRow*> rows_;
    QWidget* header_ = nullptr;
};

}  // namespace shardscope
