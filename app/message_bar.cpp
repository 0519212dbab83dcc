#include "app/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace shardscope {

MessageBar::MessageBar(QWidget* parent) : QWidget(parent), text_(new QLabel), end_(this) {
    setObjectName(QStringLiteral("message"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 4);
    text_->setObjectName(QStringLiteral("message/text"));
    text_->setTextFormat(Qt::PlainText);  // text from files is not markup
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(text_, 1);
    auto* dismiss = new QToolButton;
    dismiss->setText(QStringLiteral("×"));
    dismiss->setAccessibleName(tr("Dismiss the message"));
    dismiss->setToolTip(dismiss->accessibleName());
    connect(dismiss, &QToolButton::clicked, this, &QWidget::hide);
    row->addWidget(dismiss);
    constexpr int kShown = 12000;  // ms
    end_.setInterval(kShown);
    connect(&end_, &QTimer::timeout, this, [this] {
        if (!underMouse()) hide();
    });
    hide();
}

void MessageBar::say(const QString& message) {
    end_.stop();
    text_->setText(message);
    show();
}

void MessageBar::report(const QString& message) {
    say(message);
    end_.start();
}

void MessageBar::hideEvent(QHideEvent* event) {
    if (isHidden()) end_.stop();
    QWidget::hideEvent(event);
}

void MessageBar::withdraw(const QString& message) {
    if (text() == message) hide();
}

QString MessageBar::text() const { return text_->text(); }

void MessageBar::say(const Problems& problems, const QString& file) {
    if (problems.empty()) return;
    QStringList lines;
    for (const Problem& problem : problems) lines << QString::fromStdString(problem.text(file.toStdString()));
    say(lines.join(QLatin1Char('\n')));
}

}  // namespace shardscope
