#include "app/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

#include "widgets/encode.h"
#include "widgets/panels/glyph_button.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

// Shows as many whole lines of a text as have room, and the button if there are more.
class WholeLines : public QWidget {
  public:
    WholeLines(QLabel& text, QAbstractButton& more) : text_(text), more_(more) {
        text_.setParent(this);
        QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override { return text_.heightForWidth(width); }
    [[nodiscard]] QSize sizeHint() const override { return text_.sizeHint(); }

  protected:
    bool event(QEvent* event) override {
        if (event->type() == QEvent::LayoutRequest) updateGeometry();  // the text or its font has changed
        if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show) place();
        return QWidget::event(event);
    }
    void resizeEvent(QResizeEvent*) override { place(); }

  private:
    void place() {
        const int line = text_.fontMetrics().lineSpacing();
        const int wanted = text_.heightForWidth(width());
        const bool is_cut = wanted > height();
        const int shown = is_cut ? std::max(1, height() / line) * line : wanted;
        text_.setGeometry(0, (height() - shown) / 2, width(), shown);
        text_.setToolTip(is_cut ? wrapped_tool_tip(text_.text()) : QString());
        more_.setVisible(is_cut || more_.isChecked());
    }

    QLabel& text_;
    QAbstractButton& more_;
};

}  // namespace

MessageBar::MessageBar(QWidget* parent)
    : QWidget(parent), text_(new QLabel), more_(new QToolButton(this)), end_(this) {
    setObjectName(QStringLiteral("message"));
    auto* row = new QHBoxLayout(this);
    text_->setObjectName(QStringLiteral("message/text"));
    text_->setTextFormat(Qt::PlainText);  // text from files is not markup
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    more_->setObjectName(QStringLiteral("message/more"));
    more_->setText(tr("More"));
    more_->setToolTip(tr("All lines of the message, or only the first ones"));
    more_->setCheckable(true);
    connect(more_, &QToolButton::toggled, this, [this](bool on) {
        more_->setText(on ? tr("Less") : tr("More"));
        end_.stop();
        Q_EMIT unfolded(on);
    });
    QSizePolicy keeps_room = more_->sizePolicy();
    keeps_room.setRetainSizeWhenHidden(true);  // so that the width of the text does not depend on its length
    more_->setSizePolicy(keeps_room);
    auto* dismiss = new GlyphButton(GlyphButton::cross, tr("Dismiss the message"), {}, this);
    connect(dismiss, &QToolButton::clicked, this, &QWidget::hide);
    row->addWidget(new WholeLines(*text_, *more_), 1);
    // At the top, where they stay under the pointer when the bar becomes higher.
    row->addWidget(more_, 0, Qt::AlignTop);
    row->addWidget(dismiss, 0, Qt::AlignTop);
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
    more_->setChecked(false);
    text_->setText(message);
    text_->parentWidget()->updateGeometry();  // a hidden widget does not hear of the text
    show();
}

void MessageBar::report(const QString& message) {
    say(message);
    end_.start();
}

// At the usual size of letters two lines of small text have room in the menu bar and the space below it.
void MessageBar::set_small() {
    for (QWidget* part : {static_cast<QWidget*>(text_), static_cast<QWidget*>(more_)})
        part->setFont(scaled_font(font(), kSmall));
}

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
