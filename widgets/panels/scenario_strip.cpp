#include "widgets/panels/scenario_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "explain/output.h"
#include "widgets/panels/drawing.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

// "fits, 40.1 %, compute"
QString summary(const Answer& answer) {
    if (!answer.valid()) return QObject::tr("not valid");
    QString verdict = text_of(name_of(answer.estimate.verdict)).replace(QLatin1Char('-'), QLatin1Char(' '));
    if (!answer.fits()) return verdict;
    return QStringLiteral("%1, %2, %3")
        .arg(verdict, QString::fromStdString(text_of(Output::mfu, answer)),
             text_of(label_of(answer.estimate.wall)));
}

QString html(char letter, const QColor& color, const QString& name, const QString& rest) {
    const QColor& ink = current_theme().pane;
    return QStringLiteral(
               "<span style='background:%1;color:%2'><b>&nbsp;%3&nbsp;</b></span> %4 <span "
               "style='color:%5'>%6</span>")
        .arg(color.name(), ink.name(), QString(QLatin1Char(letter)), name.toHtmlEscaped(),
             current_theme().muted.name(), rest.toHtmlEscaped());
}

}  // namespace

ScenarioStrip::ScenarioStrip(LiveModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setObjectName(QStringLiteral("scenarios"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(16);
    auto* title = new QLabel(QStringLiteral("<b>%1</b>").arg(tr("Scenarios")));
    row->addWidget(title);
    current_ = new QLabel;
    current_->setObjectName(QStringLiteral("scenarios/A"));
    row->addWidget(current_);
    pins_ = new QHBoxLayout;
    pins_->setSpacing(4);
    row->addLayout(pins_);
    row->addStretch(1);
    hint_ = new QLabel(tr("P pins the current scenario"));
    row->addWidget(hint_);
    auto* measured = new QToolButton;
    measured->setObjectName(QStringLiteral("scenarios/measured"));
    measured->setText(tr("Measured run…"));
    measured->setToolTip(tr("Compare with a run of one's own"));
    row->addWidget(measured);
    connect(measured, &QToolButton::clicked, this, &ScenarioStrip::measured_requested);
    connect(&model_, &LiveModel::changed, this, &ScenarioStrip::refresh_current);
    connect(&model_, &LiveModel::pins_changed, this, &ScenarioStrip::rebuild_pins);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        refresh_current();
        rebuild_pins();
    });
    refresh_current();
    rebuild_pins();
}

void ScenarioStrip::refresh_current() {
    current_->setText(html('A', current_theme().text, QString::fromStdString(model_.scenario().title()),
                           summary(model_.answer())));
}

void ScenarioStrip::rebuild_pins() {
    while (QLayoutItem* item = pins_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const Pin& pin : model_.pins()) {
        auto* button = new QToolButton;
        button->setObjectName(QStringLiteral("scenarios/") + QLatin1Char(pin.letter));
        button->setAutoRaise(true);
        QPixmap tag(12, 12);
        tag.fill(pin_color(current_theme(), pin.letter));
        button->setIcon(QIcon(tag));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setText(QStringLiteral("%1  %2").arg(QLatin1Char(pin.letter)).arg(summary(pin.answer)));
        button->setToolTip(
            tr("%1: click takes it up again").arg(QString::fromStdString(pin.answer.scenario.title())));
        const char letter = pin.letter;
        connect(button, &QToolButton::clicked, this, [this, letter] {
            for (const Pin& entry : model_.pins()) {
                if (entry.letter != letter) continue;
                model_.replace(Scenario(entry.answer.scenario), tr("Take up %1").arg(QLatin1Char(letter)));
                return;
            }
        });
        pins_->addWidget(button);
        auto* close = new QToolButton;
        close->setObjectName(QStringLiteral("scenarios/%1/unpin").arg(QLatin1Char(letter)));
        close->setAutoRaise(true);
        close->setText(QStringLiteral("×"));
        close->setToolTip(tr("Unpin %1").arg(QLatin1Char(letter)));
        // Deleting the button inside its own signal would pull the floor from under it.
        connect(
            close, &QToolButton::clicked, this, [this, letter] { model_.unpin(letter); },
            Qt::QueuedConnection);
        pins_->addWidget(close);
    }
    hint_->setVisible(model_.pins().empty());
}

}  // namespace shardscope
