#include "widgets/panels/term_panel.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/drawn_words.h"
#include "widgets/live_model.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

// Returns the index of the row with this output, or the first if there is none.
std::size_t place_of(std::optional<Output> output, const std::vector<TermPanel::Row>& rows) {
    const auto found = std::ranges::find(rows, output, &TermPanel::Row::output);
    return found == rows.end() ? 0 : static_cast<std::size_t>(found - rows.begin());
}

}  // namespace

TermPanel::TermPanel(const QString& name, LiveModel& model, QWidget* parent)
    : QWidget(parent), model_(model), name_(name) {
    setAccessibleName(name);
    setFocusPolicy(Qt::TabFocus);
}

void TermPanel::explain(Output output) const { model_.explain(Subject::of(output)); }

std::optional<Subject> TermPanel::focused_subject() const {
    const std::vector<Row> all = rows();
    return Subject::of(all[place_of(focused_, all)].output);
}

void TermPanel::paint_focus(QPainter& painter) const {
    if (!hasFocus()) return;
    const std::vector<Row> all = rows();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(current_theme().accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(all[place_of(focused_, all)].box, 2, 2);
}

std::optional<Term> TermPanel::term_at(const QPointF& at) {
    return is_on_row(at) ? std::nullopt : shardscope::term_at(drawn_words(*this), at);
}

void TermPanel::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !rect().contains(event->pos())) return;
    if (const auto term = term_at(event->position())) return model_.define(*term);
    explain(output_at(event->position()));
}

void TermPanel::mouseMoveEvent(QMouseEvent* event) {
    const bool is_link = is_on_row(event->position()) || term_at(event->position());
    setCursor(is_link ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TermPanel::keyPressEvent(QKeyEvent* event) {
    const std::vector<Row> all = rows();
    std::size_t at = place_of(focused_, all);
    switch (event->key()) {
        case Qt::Key_Up: at -= at > 0 ? 1 : 0; break;
        case Qt::Key_Down: at = std::min(at + 1, all.size() - 1); break;
        case Qt::Key_Home: at = 0; break;
        case Qt::Key_End: at = all.size() - 1; break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space: explain(all[at].output); return;
        default: QWidget::keyPressEvent(event); return;
    }
    focused_ = all[at].output;
    name_focused();
    update();
}

void TermPanel::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    name_focused();
    update();
}

void TermPanel::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    setAccessibleName(name_);
    update();
}

void TermPanel::name_focused() {
    const std::vector<Row> all = rows();
    const Row& row = all[place_of(focused_, all)];
    focused_ = row.output;
    setAccessibleName(QStringLiteral("%1: %2").arg(name_, row.words));
    QAccessibleEvent changed(this, QAccessible::NameChanged);
    QAccessible::updateAccessibility(&changed);
}

}  // namespace shardscope
