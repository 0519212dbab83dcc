// The row of one parameter: label, slider, field or combo box, lock/auto button and reset dot.
//
// Object names: the row has the parameter's key ("training.micro_batch"); its parts have the key with
// "/slider", "/field" (also the combo box of a choice), "/auto", "/reset", "/message" and "/lens".
#pragma once

#include <QPointer>
#include <QString>
#include <QTimer>
#include <QWidget>

#include "scenario/domain.h"
#include "widgets/explainable.h"
#include "widgets/live_model.h"

class QAbstractButton;
class QFont;
class QLabel;

namespace shardscope {

class ParameterChoice;
class ParameterField;
class ParameterSlider;
class TrackLens;
class TrackSlider;

// The columns of a compact row, in px, which all rows of a panel share. The slider takes what the others
// leave. All are larger for larger fonts, so that nothing is cut off.
struct RowGeometry {
    int left = 12;
    int label = 94;
    int slider = 116;
    int inset = 6;  // of the groove in the slider
    int field = 92;
    int automatic = 32;
    int dot = 8;
    int dot_gap = 2;
    int control = 22;  // height of field and slider
    int height = 26;

    // `width` is that of the panel.
    static RowGeometry of(const QFont& font, int width);
    [[nodiscard]] int slider_x() const { return left + label + 2; }
    [[nodiscard]] int groove_x() const { return slider_x() + inset; }
    [[nodiscard]] int field_x() const { return slider_x() + slider + 4; }
    [[nodiscard]] int automatic_x() const { return field_x() + field + 3; }
    [[nodiscard]] int dot_x() const { return automatic_x() + automatic + dot_gap; }
};

// A compact row is one line. A prominent row has its label and its field in the first line and the slider
// below, over the whole width.
enum class RowForm { compact, prominent };
// The height of prominent rows, which depends on the window's. The lowest ones have no labels at their ticks.
enum class RowHeight { high, medium, low, lowest };
// Returns whether a panel of this width has narrow fields and margins.
bool is_narrow(int width, const QFont& font);
// Returns the distance of prominent rows from the edges of a panel of this width, in px.
int panel_padding(int width, const QFont& font);
// Returns the height in px.
int prominent_row_height(RowHeight height, const QFont& font);

// Returns the label with "&" before its access key. Keys are assigned over the whole table, so that they are
// unique in the window and differ from those of the menus; the last rows may get none.
QString with_access_key(P id, const QString& label);
class ParameterRow : public QWidget, public Explainable {
    Q_OBJECT
  public:
    ParameterRow(P id, LiveModel& model, QWidget* parent = nullptr, RowForm form = RowForm::compact);
    ~ParameterRow() override;
    ParameterRow(const ParameterRow&) = delete;
    ParameterRow& operator=(const ParameterRow&) = delete;

    [[nodiscard]] P id() const { return id_; }
    [[nodiscard]] ParameterSlider* slider() const;
    [[nodiscard]] ParameterField* field() const { return field_; }     // nullptr for a choice
    [[nodiscard]] ParameterChoice* choice() const { return choice_; }  // nullptr for a number
    [[nodiscard]] QWidget* editor() const;
    // Returns the line below the row: what is wrong with the value and what to write instead. It is empty if
    // there is nothing to report.
    [[nodiscard]] QString message() const { return message_text_; }

    void set_height(RowHeight height);  // of a prominent row

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] std::optional<Subject> focused_subject() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    // Explains the parameter on a click on the label, and ends the message over the next row.
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void make_editor();
    void make_buttons();
    void refresh();
    void refresh_domain();
    void refresh_label();
    void fit_label();
    void show_value(double value);
    [[nodiscard]] QString objection_to(double value) const;
    // In the tooltip, and to assistive technology.
    void explain_range(bool settled, const Domain& range);
    // Returns why the slider ends below the parameter's usual end; empty if it does not.
    [[nodiscard]] QString reason_of_end(const Domain& range) const;
    void place();
    int place_compact();  // these return the height without the message
    int place_prominent();
    void place_message_over(int height);
    void end_message();
    void commit_typed(double value);
    void tell(const QString& message, bool refused);

    P id_;
    LiveModel& model_;
    RowForm form_;
    RowHeight row_height_ = RowHeight::high;
    QLabel* label_ = nullptr;
    TrackSlider* slider_ = nullptr;
    QPointer<TrackLens> lens_;  // made for the first fine drag
    ParameterField* field_ = nullptr;
    ParameterChoice* choice_ = nullptr;
    QAbstractButton* automatic_ = nullptr;
    QAbstractButton* reset_ = nullptr;
    QPointer<QLabel> message_;
    QPointer<QWidget> told_at_;  // has the focus when the message comes, or is just getting it
    QTimer message_end_{this};

    QString label_text_;
    QString message_text_;
    std::optional<P> known_for_;  // the parameter whose known values the slider has
    double value_ = 0;
    Domain domain_;
    double explained_end_ = 0;    // of the slider, when its range was explained last
    bool fresh_ = true;           // the current value has not been shown yet
    bool settled_ = false;        // only one value is possible, so the slider is disabled
    bool preset_coming_ = false;  // a preset is being applied: a changed value flashes
    bool shows_problem_ = false;  // the message comes from the scenario's problems
    bool refused_ = false;        // the message says why the value is not in use
    bool message_ended_ = false;  // the message is hidden until the editor has the focus again
};

}  // namespace shardscope
