// The row of options above a plot: choices and check boxes from the left, buttons at the right. Options that
// do not fit into the width move to a "More" menu: first the choices that allow it, then the check boxes,
// starting with the last one. A disabled check box is hidden.
#pragma once

#include <QList>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QToolButton;

namespace shardscope {

class OptionRow : public QWidget {
    Q_OBJECT
  public:
    explicit OptionRow(QWidget* parent = nullptr);

    QComboBox* add_choice(const QString& name, const QString& accessible_name, const QStringList& entries);
    // Lets the choice move to "More", as a submenu of this name, if the others would otherwise have to be cut
    // short.
    void allow_folding(QComboBox& choice, const QString& menu);
    // Adds a text label before the next choice.
    void add_word(const QString& text);
    // Adds a field for a text among the choices.
    QLineEdit* add_field(const QString& name, const QString& accessible_name, const QString& placeholder);
    // Adds a choice of several entries at once: a button that opens a menu. The button's text lists the
    // selected entries.
    QToolButton* add_menu(const QString& name, const QString& accessible_name);
    QCheckBox* add_check(const QString& name, const QString& text, bool on);
    // `icon` is the name of one of the program's icons.
    QToolButton* add_button(const QString& name, const QString& icon, const QString& text);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void arrange();
    void load_icons();
    void open_menu();
    void chain();

    struct Folding {
        QComboBox* choice;
        QString menu;
        bool folded = false;
    };
    [[nodiscard]] bool is_folded(const QWidget* choice) const;

    QWidgetList choices_;
    QList<Folding> folding_;
    QList<QCheckBox*> checks_;
    QList<QToolButton*> buttons_;
    QToolButton* more_;
};

}  // namespace shardscope
