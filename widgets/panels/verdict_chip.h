// A chip with the verdict: FITS with a tick, RISKY with a warning sign, DOES NOT FIT inverted with a hatched
// block.
#pragma once

#include "planner/answer.h"
#include "widgets/panels/run_label.h"

namespace shardscope {

class VerdictChip : public RunLabel {
    Q_OBJECT
  public:
    using RunLabel::RunLabel;
    void set_verdict(const Answer& answer);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    Verdict verdict_ = Verdict::fits;
    bool valid_ = true;
};

// Shows the likely range on a fixed scale, so that it moves with the estimate.
class BandGlyph : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;
    void set_band(double low, double value, double high);  // MFU; with NaN nothing is drawn

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    double low_ = 0;
    double value_ = 0;
    double high_ = 0;
};

}  // namespace shardscope
