// The panel of the user's measured run of the scenario. It shows the implied MFU and the residual, warns of a
// wrong unit if the value exceeds a roof, and offers the constants that would explain the difference.
//
// Object names: "measured/field", "/kind", "/result", "/warning", "/meant" (applies the other unit),
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

    // Opens the panel, even without a measurement, and gives the focus to the field.
    void ask();
    // Hides the constants that would explain the difference until the user requests them.
    void set_compact(bool compact);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void build_line();
    void refresh();
    void refresh_causes();  // takes a few milliseconds, so not in every frame of a drag
    void show_measurement();
    void explain(bool on);
    void arrange_causes();
    void commit_typed();
    void take(const std::optional<Measurement>& measurement);
    void use(std::size_t cause);
    void tell(const QString& message, const QString& offer = {});
    [[nodiscard]] QString result_words(const Residual& found) const;

    LiveModel& model_;
    bool compact_ = false;
    bool explaining_ = true;
    bool asked_ = false;  // the user opened it although there is no measurement yet
    std::optional<Measurement> shown_;
    QString field_text_;  // the text that was last set by the program, or last refused
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
