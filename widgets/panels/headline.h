// The headline at the top, in three lines: the verdict, MFU, throughput, step time and days; a sentence that
// names the wall, how much of the step it is and where another wall takes over; and in a quiet line (RunLine)
// the memory, the whole run and the tokens per GPU.
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
    // The columns from left to right.
    enum Column { excess, mfu, likely, rate, step, days, columns };

    void refresh();
    void set_rate(Column column, Output id, const QString& caption, const QString& difference);
    void set_sentences();
    void arrange();
    void arrange_columns();
    void arrange_sentences(int top);
    [[nodiscard]] int sentence_height() const;
    [[nodiscard]] bool shows_rates() const;

    LiveModel& model_;
    VerdictChip* verdict_ = nullptr;
    std::array<RunLabel*, columns> caption_{};
    std::array<RunLabel*, columns> value_{};     // none for `likely`
    std::array<QString, columns> caption_text_;  // without the difference to the pin
    BandGlyph* band_ = nullptr;
    RunLine* run_ = nullptr;
    RunLabel* sentence_ = nullptr;
    RunLabel* why_ = nullptr;  // a link at the end of the sentence
    RunLabel* more_ = nullptr;
    QCheckBox* show_hypothetical_ = nullptr;
    QStringList lead_;     // sentences of the first line
    QStringList details_;  // sentences of the second line
    bool hypothetical_ = false;
};

}  // namespace shardscope
