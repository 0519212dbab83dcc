// The operators of the model, one a row, under the names of their blocks; then the model once, and what else
// the step consists of. Values change in place while an input is dragged.
#pragma once

#include <QTableView>
#include <optional>

#include "widgets/plots/operators_data.h"

namespace shardscope {

class OperatorRows;

class OperatorGrid : public QTableView {
    Q_OBJECT
  public:
    enum class Order { by_block, longest_first };
    enum class Columns { times, sizes };

    explicit OperatorGrid(QWidget* parent = nullptr);

    // What is given must stay until the next call.
    void set_data(const OperatorsData& shown_now);
    void set_order(Order order);
    // Which of them, where not all have room.
    void set_columns(Columns columns);
    // None: nothing is chosen.
    void choose(std::optional<std::size_t> operator_row);
    [[nodiscard]] bool shows_all_columns() const { return all_columns_; }
    // The row of the view that shows an operator of the table; −1 when there is none.
    [[nodiscard]] int line_of(std::size_t operator_row) const;

  Q_SIGNALS:
    void chosen(std::optional<std::size_t> operator_row);
    void room_changed();  // all columns have room, or no longer

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void restyle();
    void arrange();

    OperatorRows* rows_;
    Columns columns_ = Columns::times;
    bool all_columns_ = false;
};

}  // namespace shardscope
