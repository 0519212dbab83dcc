// The whole run in one line of the headline: tokens, days, GPU hours, cost if a price is set, energy, and
// goodput if there are failures or checkpoints.
//
// Every value is a label named "headline/<value>"; a click on it requests an explanation. If not all items
// fit, the least important ones are hidden; nothing is cut off.
#pragma once

#include <QWidget>
#include <array>

#include "explain/output.h"

namespace shardscope {

class RunLabel;

class RunLine : public QWidget {
    Q_OBJECT
  public:
    explicit RunLine(QWidget* parent = nullptr);

    // `then` is the answer to compare with, or nullptr.
    void show_run(const Answer& now, const Answer* then, bool hypothetical);
    [[nodiscard]] QSize sizeHint() const override;
    // Returns the right end of the last visible item, in px.
    [[nodiscard]] int end() const;

  Q_SIGNALS:
    void why_requested(Output output);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    // The items from left to right.
    enum Item { tokens, days, gpu_hours, cost, energy, goodput, items };

    void arrange();
    [[nodiscard]] double room(Item item) const;

    std::array<RunLabel*, items> label_{};
    std::array<bool, items> has_{};  // whether the scenario has a value for it
};

}  // namespace shardscope
