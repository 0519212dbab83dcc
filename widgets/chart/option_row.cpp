#include "widgets/chart/option_row.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QIcon>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QToolButton>
#include <algorithm>
#include <vector>

#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kEdge = 8;
constexpr int kOptionGap = 6;
constexpr int kHeight = 32;

// Returns whether the choice may be narrower than its longest entry.
bool can_shrink(const QWidget* choice) {
    const auto* box = qobject_cast<const QComboBox*>(choice);
    return box && box->sizeAdjustPolicy() == QComboBox::AdjustToMinimumContentsLengthWithIcon;
}
constexpr int kIcon = 16;

// Returns the width that shows the present entry of a choice, or the width of another widget.
int least_width(const QWidget& choice) {
    if (!can_shrink(&choice)) return choice.sizeHint().width();
    const auto& box = static_cast<const QComboBox&>(choice);
    QStyleOptionComboBox option;
    option.initFrom(&box);
    constexpr int kMargin = 4;
    const QSize text(box.fontMetrics().horizontalAdvance(box.currentText()) + kMargin, kHeight);
    return box.style()->sizeFromContents(QStyle::CT_ComboBox, &option, text, &box).width();
}

// Takes `excess` from the widths in equal parts, but leaves each at least its `least`; returns what is left
// of it.
int shrink(std::vector<int>& widths, const std::vector<int>& least, int excess) {
    while (excess > 0) {
        const auto slack = [&](std::size_t i) { return std::max(0, widths[i] - least[i]); };
        int wide = 0;
        for (std::size_t i = 0; i < widths.size(); ++i) wide += slack(i) > 0 ? 1 : 0;
        if (wide == 0) break;
        const int share = (excess + wide - 1) / wide;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const int taken = std::min({share, slack(i), excess});
            widths[i] -= taken;
            excess -= taken;
        }
    }
    return std::max(0, excess);
}

}  // namespace

OptionRow::OptionRow(QWidget* parent) : QWidget(parent), more_(new QToolButton(this)) {
    more_->setText(tr("More"));
    more_->setToolTip(tr("More options"));
    // The arrow is an icon behind the text, because a style sheet would put the menu's own arrow into the
    // corner.
    more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    more_->setLayoutDirection(Qt::RightToLeft);
    more_->setIconSize({kIcon, kIcon});
    more_->hide();
    connect(more_, &QToolButton::clicked, this, &OptionRow::open_menu);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &OptionRow::load_icons);
}

QComboBox* OptionRow::add_choice(const QString& name, const QString& accessible_name,
                                 const QStringList& entries) {
    auto* box = new QComboBox(this);
    box->setObjectName(name);
    box->setAccessibleName(accessible_name);
    box->setToolTip(accessible_name);
    box->addItems(entries);
    connect(box, &QComboBox::currentIndexChanged, this, &OptionRow::arrange);
    choices_.append(box);
    chain();
    return box;
}

void OptionRow::allow_folding(QComboBox& choice, const QString& menu) { folding_.append({&choice, menu}); }

bool OptionRow::is_folded(const QWidget* choice) const {
    return std::ranges::any_of(folding_,
                               [&](const Folding& one) { return one.folded && one.choice == choice; });
}

void OptionRow::add_word(const QString& text) { choices_.append(new QLabel(text, this)); }

QLineEdit* OptionRow::add_field(const QString& name, const QString& accessible_name,
                                const QString& placeholder) {
    auto* field = new QLineEdit(this);
    field->setObjectName(name);
    field->setAccessibleName(accessible_name);
    field->setToolTip(accessible_name);
    field->setPlaceholderText(placeholder);
    field->setClearButtonEnabled(true);
    choices_.append(field);
    chain();
    return field;
}

QToolButton* OptionRow::add_menu(const QString& name, const QString& accessible_name) {
    auto* button = new QToolButton(this);
    button->setObjectName(name);
    button->setAccessibleName(accessible_name);
    button->setToolTip(accessible_name);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setMenu(new QMenu(button));
    choices_.append(button);
    chain();
    return button;
}

QCheckBox* OptionRow::add_check(const QString& name, const QString& text, bool on) {
    auto* box = new QCheckBox(text, this);
    box->setObjectName(name);
    box->setChecked(on);
    box->installEventFilter(this);
    checks_.append(box);
    chain();
    return box;
}

QToolButton* OptionRow::add_button(const QString& name, const QString& icon, const QString& text) {
    auto* button = new QToolButton(this);
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    button->setProperty("icon_name", icon);
    button->setIconSize({kIcon, kIcon});
    buttons_.append(button);
    chain();
    load_icons();
    return button;
}

QSize OptionRow::sizeHint() const {
    int width = kEdge;
    for (const QWidget* choice : choices_) width += choice->sizeHint().width() + kOptionGap;
    for (const QCheckBox* check : checks_) width += check->sizeHint().width() + kOptionGap;
    for (const QToolButton* button : buttons_) width += button->sizeHint().width();
    return {width + kEdge, kHeight};
}

QSize OptionRow::minimumSizeHint() const {
    int width = kEdge;
    if (!folding_.empty() || std::ranges::any_of(checks_, &QCheckBox::isEnabled))
        width += more_->sizeHint().width() + kOptionGap;
    for (const QWidget* choice : choices_) {
        if (std::ranges::find(folding_, choice, &Folding::choice) != folding_.end()) continue;
        constexpr int kNarrowest = 60;
        const int whole = choice->sizeHint().width();
        width += (can_shrink(choice) ? std::min(kNarrowest, whole) : whole) + kOptionGap;
    }
    for (const QToolButton* button : buttons_) width += button->sizeHint().width();
    return {width + kEdge, kHeight};
}

void OptionRow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void OptionRow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) arrange();
}

bool OptionRow::event(QEvent* event) {
    const bool handled = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) arrange();  // a choice's size has changed
    return handled;
}

bool OptionRow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::EnabledChange) arrange();  // of a check box
    return QWidget::eventFilter(watched, event);
}

void OptionRow::arrange() {
    const auto put = [this](QWidget* widget, int left) {
        const QSize size = widget->sizeHint();
        widget->setGeometry(left, (height() - size.height()) / 2, size.width(), size.height());
    };
    int right = width() - kEdge;
    for (auto button = buttons_.crbegin(); button != buttons_.crend(); ++button) {
        right -= (*button)->sizeHint().width();
        put(*button, right);
    }
    // If the choices would reach the buttons, the foldable ones move to "More", and the others shrink: first
    // to their present entries, then further.
    const int room_for_choices =
        right - (checks_.empty() && folding_.empty() ? 0 : more_->sizeHint().width() + kOptionGap);
    int wanted = kEdge;
    for (const QWidget* choice : choices_) wanted += least_width(*choice) + kOptionGap;
    for (auto one = folding_.rbegin(); one != folding_.rend(); ++one) {
        one->folded = wanted > room_for_choices;
        one->choice->setVisible(!one->folded);
        if (one->folded) wanted -= least_width(*one->choice) + kOptionGap;
    }
    const bool folded = std::ranges::any_of(folding_, &Folding::folded);
    std::vector<int> widths;
    std::vector<int> least;
    std::vector<int> fixed;  // of those that cannot shrink
    int excess = kEdge - room_for_choices;
    for (const QWidget* choice : choices_) {
        if (is_folded(choice)) continue;
        least.push_back(least_width(*choice));
        widths.push_back(std::max(choice->sizeHint().width(), least.back()));
        fixed.push_back(can_shrink(choice) ? 0 : widths.back());
        excess += widths.back() + kOptionGap;
    }
    shrink(widths, fixed, shrink(widths, least, excess));
    int left = kEdge;
    auto own_width = widths.cbegin();
    for (QWidget* choice : choices_) {
        if (is_folded(choice)) continue;
        const int tall = choice->sizeHint().height();
        choice->setGeometry(left, (height() - tall) / 2, *own_width, tall);
        left += *own_width++ + kOptionGap;
    }
    int needed = 0;
    for (const QCheckBox* check : checks_) {
        if (check->isEnabled()) needed += check->sizeHint().width() + kOptionGap;
    }
    const bool folds = folded || (needed > 0 && left + needed > right);
    const int limit = folds ? right - more_->sizeHint().width() - kOptionGap : right;
    bool room = true;
    for (QCheckBox* check : checks_) {
        // An option that does not apply now needs no space.
        if (!check->isEnabled()) {
            check->hide();
            continue;
        }
        const int width = check->sizeHint().width();
        room = room && left + width <= limit;
        check->setVisible(room);
        if (!room) continue;
        put(check, left);
        left += width + kOptionGap;
    }
    more_->setVisible(folds);
    if (folds) put(more_, left);
}

void OptionRow::load_icons() {
    for (QToolButton* button : buttons_) {
        button->setIcon(tinted_icon(button->property("icon_name").toString(), current_theme().text));
    }
    more_->setIcon(tinted_icon(QStringLiteral("chevron-down"), current_theme().text));
    arrange();
}

void OptionRow::open_menu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const Folding& one : folding_) {
        if (!one.folded) continue;
        QMenu* entries = menu->addMenu(one.menu);
        for (int i = 0; i < one.choice->count(); ++i) {
            QAction* action = entries->addAction(one.choice->itemText(i));
            action->setCheckable(true);
            action->setChecked(i == one.choice->currentIndex());
            connect(action, &QAction::triggered, one.choice,
                    [choice = one.choice, i] { choice->setCurrentIndex(i); });
        }
    }
    for (QCheckBox* check : checks_) {
        if (check->isVisible() || !check->isEnabled()) continue;
        QAction* action = menu->addAction(check->text());
        action->setCheckable(true);
        action->setChecked(check->isChecked());
        connect(action, &QAction::toggled, check, &QCheckBox::setChecked);
    }
    menu->popup(more_->mapToGlobal(QPoint(0, more_->height())));
}

// The tab order follows the positions; the order of creation would begin with "More".
void OptionRow::chain() {
    QWidgetList order = choices_;
    for (QCheckBox* check : checks_) order.append(check);
    order.append(more_);
    for (QToolButton* button : buttons_) order.append(button);
    for (int i = 1; i < order.size(); ++i) setTabOrder(order[i - 1], order[i]);
}

}  // namespace shardscope
