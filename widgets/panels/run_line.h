// The whole run in one line of the headline: tokens, days, GPU hours, cost where a price is set, energy, and
// goodput where failures or checkpoints are.
//
// Every value is a label named "headline/<value>"; a click on it asks why. What is least missed gives way
// first where there is no room; nothing is cut off.
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

    // `then`: what it is compared with; nullptr: nothing.
    void show_run(const Answer& now, const Answer* then, bool hypothetical);
    [[nodiscard]] QSize sizeHint() const override;
    // Where its last item ends, from its left; px.
    [[nodiscard]] int end() const;

  Q_SIGNALS:
    void why_requested(Output output);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    // From left to right.
    enum Item { tokens, days, gpu_hours, cost, energy, goodput, items };

    void arrange();
    [[nodiscard]] double room(Item item) const;

    std::array<RunLabel*, items> label_{};
    std::array<bool, items> has_{};  // the scenario says something about it
};

}  // namespace shardscope
