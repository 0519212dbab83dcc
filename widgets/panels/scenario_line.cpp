#include "widgets/panels/scenario_line.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <limits>

#include "widgets/drawing.h"
#include "widgets/panels/scenario_mark.h"

namespace shardscope {
namespace {

constexpr double kBetween = 20;
constexpr double kAfterMark = 5;
constexpr double kMostName = 260;
constexpr double kAnyName = std::numeric_limits<double>::infinity();

}  // namespace

ScenarioLine::ScenarioLine(LiveModel& model, ScenarioModel& scenarios, QWidget* parent)
    : QWidget(parent), model_(model), scenarios_(scenarios) {
    setObjectName(QStringLiteral("scenarios/line"));
    setAccessibleName(tr("Scenarios"));
    setCursor(Qt::PointingHandCursor);
    const auto refresh = [this] {
        describe();
        update();
    };
    connect(&scenarios_, &ScenarioModel::modelReset, this, refresh);
    connect(&scenarios_, &ScenarioModel::dataChanged, this, refresh);
    describe();
}

void ScenarioLine::describe() {
    // A hidden line needs no description; it is updated when the line is shown.
    if (!isVisible()) return;
    QStringList words;
    for (const ScenarioRow& row : scenarios_.rows())
        words << row.at(ScenarioColumn::scenario) + QLatin1Char(' ') + ScenarioModel::summary(row);
    setAccessibleDescription(words.join(QStringLiteral("; ")));
}

std::vector<ScenarioLine::Item> ScenarioLine::items(Detail detail) const {
    std::vector<Item> out;
    double x = 3;
    const double space = text_width(font(), QStringLiteral(" "));
    for (std::size_t i = 0; i < scenarios_.rows().size(); ++i) {
        const ScenarioRow& row = scenarios_.rows()[i];
        Item item;
        item.row = i;
        if (const double most = row.is_pin() ? detail.pin_name : detail.name; most > 0) {
            item.name = row.at(ScenarioColumn::scenario);
            if (most < kAnyName)
                item.name = QFontMetricsF(font()).elidedText(item.name, Qt::ElideRight, most);
        }
        if (detail.rest == Rest::summary) item.rest = ScenarioModel::summary(row);
        else if (detail.rest == Rest::mfu)
            item.rest = row.fits ? row.at(ScenarioColumn::mfu) + QStringLiteral(" %")
                                 : row.at(ScenarioColumn::verdict);
        double width = (row.letter == kMeasuredRun ? kMarkWidth / 2 : kMarkWidth) + kAfterMark;
        if (!item.name.isEmpty()) width += text_width(font(), item.name);
        if (!item.name.isEmpty() && !item.rest.isEmpty()) width += space;
        width += text_width(font(), item.rest);
        item.box = QRectF(x, 0, width, height());
        x += width + kBetween;
        out.push_back(item);
    }
    return out;
}

std::vector<ScenarioLine::Item> ScenarioLine::items() const {
    // Names become shorter before numbers are left out, and the scenario's own name goes last.
    using enum Rest;
    for (const Detail detail : {Detail{kAnyName, kAnyName, summary},
                                {kMostName, kMostName, summary},
                                {200, 200, summary},
                                {150, 150, summary},
                                {110, 110, summary},
                                {150, 150, mfu},
                                {110, 110, mfu},
                                {kMostName, 0, summary},
                                {kMostName, 0, mfu},
                                {110, 0, mfu}}) {
        std::vector<Item> found = items(detail);
        if (found.back().box.right() <= width()) return found;
    }
    return items(Detail{0, 0, none});
}

void ScenarioLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = current_theme();
    painter.setFont(font());
    for (const Item& item : items()) {
        const ScenarioRow& row = scenarios_.rows()[item.row];
        draw_scenario_mark(painter, item.box.left(), item.box, row.letter, row.compared, theme, font());
        QRectF text = item.box;
        text.setLeft(text.left() + (row.letter == kMeasuredRun ? kMarkWidth / 2 : kMarkWidth) + kAfterMark);
        text.setRight(width());
        painter.setPen(theme.text);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, item.name);
        if (!item.name.isEmpty())
            text.setLeft(text.left() + text_width(font(), item.name + QLatin1Char(' ')));
        painter.setPen(theme.muted);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, item.rest);
    }
}

bool ScenarioLine::event(QEvent* event) {
    if (event->type() == QEvent::Show) describe();
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        for (const Item& item : items()) {
            if (!item.box.contains(help->pos())) continue;
            const QModelIndex index = scenarios_.index(static_cast<int>(item.row), 0);
            QToolTip::showText(help->globalPos(), scenarios_.data(index, Qt::ToolTipRole).toString(), this);
            return true;
        }
        QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void ScenarioLine::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    for (const Item& item : items()) {
        if (!item.box.contains(event->position())) continue;
        const char letter = scenarios_.rows()[item.row].letter;
        if (letter == kMeasuredRun) Q_EMIT measured_requested();
        else if (tag_box(item.box.left(), item.box).adjusted(-4, -4, 4, 4).contains(event->position()))
            model_.compare_with(letter);
        else model_.make_current(letter);
        return;
    }
}

}  // namespace shardscope
