#include "app/command_line/command_line.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QStyle>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/drawing.h"
#include "widgets/live_model.h"
#include "widgets/panels/controls_panel.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

enum Column { what, effect, columns };

constexpr int kMargin = 8;
constexpr int kPaddingLeft = 4, kPaddingRight = 8;  // of a cell, px

// Returns the text without the last parts that do not fit. The first part always stays.
QString fitting_parts(QString text, const QFont& font, double room) {
    while (text_width(font, text) > room && text.contains(kBetweenParts))
        text.truncate(text.lastIndexOf(kBetweenParts));
    return text;
}

}  // namespace

CommandLine::CommandLine(QLineEdit& field, QWidget& window, const CommandTargets& targets)
    : QFrame(&window),
      field_(field),
      field_description_(field.accessibleDescription()),
      list_(new QTreeWidget(this)),
      targets_(targets) {
    setObjectName(QStringLiteral("commands"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    list_->setObjectName(QStringLiteral("commands/list"));
    list_->setAccessibleName(tr("Commands"));
    list_->setAccessibleDescription(tr("Commands that match the typed words; Enter runs the chosen one"));
    list_->setColumnCount(columns);
    list_->header()->hide();
    list_->header()->setSectionResizeMode(what, QHeaderView::ResizeToContents);
    list_->setRootIsDecorated(false);
    list_->setStyleSheet(QStringLiteral("QTreeWidget::item { padding: 3px %1px 3px %2px; }")
                             .arg(kPaddingRight)
                             .arg(kPaddingLeft));
    list_->setUniformRowHeights(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(4, 4, 4, 4);
    rows->addWidget(list_);
    // A click on the list leaves the focus in the field.
    setFocusPolicy(Qt::ClickFocus);
    setFocusProxy(&field_);
    hide();
    field_.installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget* from, QWidget* to) {
        if (to == &field_ && from) before_ = from;
    });
    connect(&field_, &QLineEdit::textChanged, this, &CommandLine::refresh);
    connect(&targets_.model, &LiveModel::changed, this, [this] {
        if (isVisible()) fill(chosen());
    });
    connect(list_, &QTreeWidget::currentItemChanged, this, &CommandLine::describe);
    connect(list_, &QTreeWidget::itemClicked, this,
            [this](QTreeWidgetItem* item) { run(list_->indexOfTopLevelItem(item)); });
}

void CommandLine::refresh() { fill({}); }

QString CommandLine::chosen() const {
    const int row = list_->indexOfTopLevelItem(list_->currentItem());
    return row < 0 ? QString() : commands_[static_cast<std::size_t>(row)].name;
}

void CommandLine::fill(const QString& chosen) {
    const QSignalBlocker quiet(list_);
    list_->clear();
    commands_ = field_.hasFocus() ? commands_for(field_.text(), targets_) : WindowCommands{};
    for (const WindowCommand& command : commands_) {
        auto* item = new QTreeWidgetItem(list_, {command.text, command.effect});
        item->setForeground(effect, current_theme().muted);
        item->setToolTip(effect, command.effect);
        if (!command.run) item->setForeground(what, current_theme().muted);
    }
    targets_.controls.set_words_are_command(!commands_.empty());
    setVisible(!commands_.empty());
    const auto same = std::ranges::find(commands_, chosen, &WindowCommand::name);
    const auto row = same == commands_.end() ? 0 : same - commands_.begin();
    list_->setCurrentItem(list_->topLevelItem(static_cast<int>(row)));
    describe();
    if (commands_.empty()) return;
    place();
    raise();
}

void CommandLine::describe() {
    const int row = list_->indexOfTopLevelItem(list_->currentItem());
    if (row < 0) {
        field_.setAccessibleDescription(field_description_);
        return;
    }
    const WindowCommand& command = commands_[static_cast<std::size_t>(row)];
    field_.setAccessibleDescription(tr("%1: %2").arg(command.text, command.effect));
}

// Places the list beside the field, and within the window.
void CommandLine::place() {
    const double zoom = zoom_of(font());
    const QPoint beside = field_.mapTo(parentWidget(), QPoint(field_.width() + kMargin, 0));
    // As wide as its longest row, if the window is.
    const QAbstractItemView& view = *list_;
    const int frames = 2 * frameWidth() + 2 * 4 + kMargin;
    const int wanted = view.sizeHintForColumn(what) + view.sizeHintForColumn(effect) + frames;
    const int least = static_cast<int>(620 * zoom);
    const int width = std::min(std::max(least, wanted), parentWidget()->width() - beside.x() - kMargin);
    const int row = list_->sizeHintForRow(0);
    const int height = row * static_cast<int>(commands_.size()) + 2 * frameWidth() + 2 * 4 + 2;
    setGeometry(beside.x(), beside.y(), width, height);
    layout()->activate();
    // The style adds this margin at both sides of a text, inside the padding.
    const int margin = list_->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, list_) + 1;
    const int around = kPaddingLeft + kPaddingRight + 2 * margin;
    const double room = list_->viewport()->width() - list_->columnWidth(what) - around;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        QTreeWidgetItem* item = list_->topLevelItem(static_cast<int>(i));
        item->setText(effect, fitting_parts(commands_[i].effect, list_->font(), room));
    }
}

void CommandLine::step(int by) {
    const int count = list_->topLevelItemCount();
    const int now = list_->indexOfTopLevelItem(list_->currentItem());
    list_->setCurrentItem(list_->topLevelItem((now + by + count) % count));
}

// The focus moves before the command runs, because some commands give it to another widget.
void CommandLine::run(int row) {
    if (row < 0 || row >= static_cast<int>(commands_.size())) return;
    const auto work = commands_[static_cast<std::size_t>(row)].run;
    if (!work) return;
    field_.clear();
    QWidget* back = before_ && before_->isVisible() ? before_.data() : parentWidget();
    back->setFocus(Qt::OtherFocusReason);
    work();
}

bool CommandLine::press_key(int key) {
    switch (key) {
        case Qt::Key_Down: step(1); return true;
        case Qt::Key_Up: step(-1); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: run(list_->indexOfTopLevelItem(list_->currentItem())); return true;
        default: return false;
    }
}

bool CommandLine::eventFilter(QObject* watched, QEvent* event) {
    if (watched != &field_) return QFrame::eventFilter(watched, event);
    switch (event->type()) {
        case QEvent::KeyPress:
            if (isVisible() && press_key(static_cast<QKeyEvent*>(event)->key())) return true;
            break;
        case QEvent::ShortcutOverride: {
            // In an empty field, undo and redo are those of the window.
            const auto* key = static_cast<QKeyEvent*>(event);
            if (field_.text().isEmpty() &&
                (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo))) {
                event->ignore();
                return true;
            }
            break;
        }
        case QEvent::FocusIn: refresh(); break;
        case QEvent::FocusOut:
            if (static_cast<QFocusEvent*>(event)->reason() != Qt::ActiveWindowFocusReason) hide();
            break;
        default: break;
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace shardscope
