// A group of the controls: its header with a summary of its values, its rows, and under "More" the rows that
// are rarely needed. It contains the rows of some groups of the parameter table, except for the walls. Rows
// are created when they are shown for the first time, because most groups stay closed.
//
// Object names: the header "group/cluster", its "More" header "group/cluster/more"; the header of the plan
// has the button "group/plan/auto".
#pragma once

#include <QWidget>
#include <array>
#include <span>
#include <vector>

#include "widgets/live_model.h"
#include "widgets/rows/parameter_row.h"
#include "widgets/word_match.h"

class QVBoxLayout;

namespace shardscope {

class AutoButton;
class Disclosure;
class HoldSwitch;

// The parameters that are always visible, in two-line rows above the groups.
inline constexpr std::array kWallParameters{P::inter_node_bandwidth, P::memory, P::peak_flops, P::hidden_size,
                                            P::sequence_length,      P::gpus,   P::micro_batch};

class ControlGroup : public QWidget {
    Q_OBJECT
  public:
    // The first of `groups` gives the name and the title.
    ControlGroup(std::span<const Group> groups, LiveModel& model, QWidget* parent);

    [[nodiscard]] QString name() const;
    [[nodiscard]] bool is_open() const;
    void set_open(bool open);
    // Opens what contains the parameter's row and returns the row; nullptr if it is in another group.
    ParameterRow* reveal(P id);
    [[nodiscard]] WordMatch match(const QString& words) const;  // the best one
    // Shows only the rows that match, the best first, also in closed parts. Without words, it restores the
    // order and what was open. Returns the best match.
    WordMatch filter(const QString& words);
    void set_heading_height(int height);
    // Returns the widgets that the Tab key reaches, from top to bottom.
    [[nodiscard]] QWidgetList stops() const;
    void refresh();

  Q_SIGNALS:
    void rows_created();
    // The user has opened this part of the group.
    void opened(QWidget* part);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    [[nodiscard]] Group group() const { return groups_.front(); }
    void order(const std::vector<std::pair<WordMatch, ParameterRow*>>& ranked);
    [[nodiscard]] bool contains(P id) const;
    // Return the parameters of the rows that are always listed, or of those under "More".
    [[nodiscard]] std::vector<P> parameters(bool extra) const;
    void create_rows(bool extra);
    void add_automatic();
    void apply();

    std::vector<Group> groups_;
    LiveModel& model_;
    Disclosure* header_ = nullptr;
    Disclosure* more_ = nullptr;
    AutoButton* automatic_ = nullptr;  // in the header of the plan
    QWidget* side_ = nullptr;          // beside the title: more_ and automatic_
    QWidget* body_ = nullptr;
    QWidget* extra_ = nullptr;       // the rows under "More", in body_
    std::array<bool, 2> created_{};  // the rows of body_ and of extra_
    HoldSwitch* hold_ = nullptr;
    std::vector<ParameterRow*> rows_;
    bool searching_ = false;
    bool found_ = true;
};

}  // namespace shardscope
