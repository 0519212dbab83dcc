#include "app/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>

#include "widgets/panels/glyph_button.h"
#include "widgets/theme/theme.h"

namespace shardscope {

MessageBar::MessageBar(QWidget* parent) : QWidget(parent), text_(new QLabel), end_(this) {
    setObjectName(QStringLiteral("message"));
    auto* row = new QHBoxLayout(this);
    text_->setObjectName(QStringLiteral("message/text"));
    text_->setTextFormat(Qt::PlainText);  // text from files is not markup
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(text_, 1);
    auto* dismiss = new GlyphButton(GlyphButton::cross, tr("Dismiss the message"), {}, this);
    connect(dismiss, &QToolButton::clicked, this, &QWidget::hide);
    row->addWidget(dismiss);
    set_small();
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

// Two lines of small text are not higher than the menu bar with the space below it.
void MessageBar::set_small() { text_->setFont(scaled_font(font(), kSmall)); }

void MessageBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) set_small();
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
