// The headline at the top: verdict, MFU, throughput, step time and wall; the whole run in a second line
// (RunLine); and a sentence that explains the wall.
//
// Every value is a child label named "headline/<value>" whose text() is the text on the screen. If the
// scenario does not fit, no rate is shown ("–"), unless the user requests hypothetical values, which are set
// in muted italics and labelled as such.
#pragma once

#include <QStringList>
#include <QWidget>
#include <array>

#include "explain/output.h"
#include "widgets/live_model.h"

class QCheckBox;

namespace shardscope {

class RunLabel;
class RunLine;
class VerdictChip;
class BandGlyph;

class Headline : public QWidget {
    Q_OBJECT
  public:
    explicit Headline(LiveModel& model, QWidget* parent = nullptr);

    [[nodiscard]] bool hypothetical() const { return hypothetical_; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void hypothetical_toggled(bool shown);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    // The columns from left to right; the last one is aligned with the right edge.
    enum Column { mfu, likely, rate, step, excess, wall, columns };

    void refresh();
    void set_rate(Column column, Output id, const QString& caption, const QString& difference);
    void set_sentence();
    void explain_tokens();
    void arrange();
    void arrange_columns();
    void arrange_sentence();
    [[nodiscard]] int sentence_height() const;
    [[nodiscard]] bool shows_rates() const;
    [[nodiscard]] bool narrow() const;

    LiveModel& model_;
    VerdictChip* verdict_ = nullptr;
    RunLabel* memory_ = nullptr;
    std::array<RunLabel*, columns> caption_{};
    std::array<RunLabel*, columns> value_{};     // none for `likely`
    std::array<QString, columns> caption_text_;  // without the difference to the pin
    BandGlyph* band_ = nullptr;
    RunLine* run_ = nullptr;
    RunLabel* sentence_ = nullptr;
    RunLabel* tokens_ = nullptr;
    RunLabel* threshold_caption_ = nullptr;
    RunLabel* threshold_ = nullptr;
    bool gathers_ = true;  // there is an all-gather of weights, so there is a threshold
    QCheckBox* show_hypothetical_ = nullptr;
    QStringList sentences_;
    bool hypothetical_ = false;
};

}  // namespace shardscope
