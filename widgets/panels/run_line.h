// The quiet line of the headline: the memory; of the whole run the GPU hours, the cost if a price is set, the
// energy, the tokens, and the goodput if there are failures or checkpoints; and the tokens per GPU with the
// ideal threshold.
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

    void show_run(const Answer& now, bool hypothetical);
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    void why_requested(Output output);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    // The items from left to right.
    enum Item { memory, gpu_hours, cost, energy, tokens, goodput, per_gpu, threshold, items };

    void explain_tokens(const Answer& now);
    void arrange();
    [[nodiscard]] double room(Item item) const;

    std::array<RunLabel*, items> label_{};
    std::array<bool, items> has_{};  // whether the scenario has a value for it
};

}  // namespace shardscope
