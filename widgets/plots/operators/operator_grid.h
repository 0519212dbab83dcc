// The list of the model's operators, one per row, under the names of their blocks, followed by the whole
// model and the other terms of the step. Values are updated in place while an input is dragged.
#pragma once

#include <QTableView>
#include <optional>

#include "widgets/plots/operators/operators_data.h"

namespace shardscope {

class OperatorRows;

class OperatorGrid : public QTableView {
    Q_OBJECT
  public:
    enum class Order { by_block, longest_first };
    enum class Columns { times, sizes };

    explicit OperatorGrid(QWidget* parent = nullptr);

    // The data must stay alive until the next call.
    void set_data(const OperatorsData& shown_now);
    void set_order(Order order);
    // Selects which columns are shown if there is no room for all of them.
    void set_columns(Columns columns);
    // Selects an operator; nullopt clears the selection.
    void choose(std::optional<std::size_t> operator_row);
    [[nodiscard]] bool shows_all_columns() const { return all_columns_; }
    // Returns the row of the view that shows an operator of the table; −1 if there is none.
    [[nodiscard]] int line_of(std::size_t operator_row) const;

  Q_SIGNALS:
    void chosen(std::optional<std::size_t> operator_row);
    void room_changed();  // shows_all_columns() has changed

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
