// The editors at the right of a parameter row: a field for numbers, a combo box for choices.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QString>

#include "parameters/parameter.h"
#include "parameters/settings.h"
#include "scenario/domain.h"

namespace shardscope {

// A field for a number with its unit. It stores the exact value (SI) and never parses the rounded text that
// it shows, so an unchanged text commits nothing. While it has the focus, thousands are not grouped, because
// a typed "1,024" is ambiguous.
class ParameterField : public QLineEdit {
    Q_OBJECT
  public:
    explicit ParameterField(P id, QWidget* parent = nullptr);

    [[nodiscard]] double value() const { return value_; }
    // Shows a value without emitting a signal, and discards a refused text.
    void setValue(double value);
    // The values the arrow keys step through.
    void setDomain(const Domain& domain) { domain_ = domain; }
    // Outlines the field in the text colour, because the text that it shows is not a valid value.
    void setRefused(bool refused);
    // Changes the colour for a short time, because a preset has just changed the value.
    void flash(int milliseconds);

    // Returns the width that the longest of its usual texts needs, in px: the ends of the slider and the
    // names of values. It does not depend on the present value.
    [[nodiscard]] int neededWidth() const;

    // Returns the value that many steps up (steps > 0) or down. A step goes to the next stop of the domain,
    // or by the domain's step, or by one in the last digit shown.
    [[nodiscard]] double stepped(double from, int steps) const;

  Q_SIGNALS:
    void committed(double value);
    void refused(const QString& message);  // "problem; suggestion"
    void restored();                       // the last valid value is shown again, by Escape for instance

  protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    [[nodiscard]] QString text_for_now() const;
    void show_value();
    void commit();
    void step(int steps);

    P id_;
    double value_ = 0;
    Domain domain_;
    QString shown_;  // the text that was last set by the program, or last refused
    bool refused_ = false;
};

// A combo box of the parameter's named values that are modelled. Values outside the domain (a precision the
// GPU lacks) are listed but cannot be chosen.
class ParameterChoice : public QComboBox {
    Q_OBJECT
  public:
    explicit ParameterChoice(P id, QWidget* parent = nullptr);

    [[nodiscard]] double value() const { return currentData().toDouble(); }
    void setValue(double value);  // without emitting
    void setDomain(const Domain& domain);
    void setRefused(bool refused);
    void flash(int milliseconds);
    // Returns the width that the longest name needs, in px.
    [[nodiscard]] int neededWidth() const;

  Q_SIGNALS:
    void committed(double value);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    [[nodiscard]] int roomForText() const;  // px
    // Returns the current name, shortened with an ellipsis if there is no room for it.
    [[nodiscard]] QString fittingText() const;
};

}  // namespace shardscope
