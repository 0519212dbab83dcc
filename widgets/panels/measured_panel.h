// My measured run: what the scenario reached when it ran. Says the implied MFU and the residual, doubts the
// unit of what breaks a roof, and offers the constants that would explain the difference.
//
// Object names: "measured/field", "/kind", "/result", "/warning", "/meant" (takes the other reading),
// "/explain", "/remove", "/cause/network_efficiency" …
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "evidence/measured.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace shardscope {

class LiveModel;

class MeasuredPanel : public QWidget {
    Q_OBJECT
  public:
    explicit MeasuredPanel(LiveModel& model, QWidget* parent = nullptr);

    // Opens it, empty or not, with the keyboard in the field.
    void ask();
    // The constants that would explain it are folded away until they are asked for.
    void set_compact(bool compact);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void build_line();
    void refresh();
    void refresh_causes();  // a few milliseconds: not in every frame of a drag
    void show_measurement();
    void explain(bool on);
    void arrange_causes();
    void take_typed();
    void take(const std::optional<Measurement>& measurement);
    void use(std::size_t cause);
    void tell(const QString& message, const QString& offer = {});
    [[nodiscard]] QString result_words(const Residual& found) const;

    LiveModel& model_;
    bool compact_ = false;
    bool explaining_ = true;
    bool asked_ = false;  // open although there is nothing to show yet
    std::optional<Measurement> shown_;
    QString field_text_;  // what was last put into the field by us or refused
    bool refused_ = false;
    std::vector<Cause> causes_;

    QLineEdit* field_ = nullptr;
    QComboBox* kind_ = nullptr;
    QLabel* result_ = nullptr;
    QWidget* doubt_ = nullptr;  // the line of the warning
    QLabel* warning_ = nullptr;
    QPushButton* meant_ = nullptr;
    std::optional<MeasuredKind> meant_kind_;
    QToolButton* explain_ = nullptr;
    QWidget* explained_ = nullptr;
    QGridLayout* grid_ = nullptr;
    std::vector<QPushButton*> buttons_;
    QTimer slow_;
};

}  // namespace shardscope
