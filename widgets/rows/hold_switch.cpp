#include "widgets/rows/hold_switch.h"

#include <QButtonGroup>
#include <QEvent>
#include <QFontMetrics>
#include <QLabel>
#include <QStyle>
#include <QToolButton>
#include <algorithm>

#include "widgets/encode.h"
#include "widgets/rows/parameter_row.h"
#include "widgets/text.h"

namespace shardscope {

HoldSwitch::HoldSwitch(LiveModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setObjectName(QStringLiteral("hold"));
    setAccessibleName(tr("Hold"));
    const QString help =
        tr("What stays constant when the number of GPUs changes: the batch of each GPU (weak scaling) or the "
           "global batch (strong scaling).");
    setToolTip(wrapped_tool_tip(help));
    label_ = new QLabel(tr("Hold"), this);
    per_gpu_ = make_segment(QStringLiteral("hold/per-gpu"), "first", Hold::per_gpu_batch);
    global_ = make_segment(QStringLiteral("hold/global"), "last", Hold::global_batch);
    auto* group = new QButtonGroup(this);
    group->addButton(per_gpu_);
    group->addButton(global_);
    for (QToolButton* segment : {per_gpu_, global_}) segment->setAccessibleDescription(help);
    connect(&model_, &LiveModel::changed, this, &HoldSwitch::refresh);
    per_gpu_->setAccessibleName(tr("Hold the per-GPU batch"));
    global_->setAccessibleName(tr("Hold the global batch"));
    place();
    refresh();
}

QToolButton* HoldSwitch::make_segment(const QString& name, const char* end, Hold hold) {
    auto* segment = new QToolButton(this);
    segment->setObjectName(name);
    segment->setProperty("segment", QLatin1String(end));
    segment->setCheckable(true);
    segment->setFocusPolicy(Qt::StrongFocus);
    // This uses `toggled` instead of `clicked`, because arrow keys change the choice without a click.
    connect(segment, &QToolButton::toggled, this, [this, hold](bool on) {
        if (on && model_.scenario().hold() != hold) model_.hold(hold);
    });
    return segment;
}

void HoldSwitch::refresh() {
    (model_.scenario().hold() == Hold::global_batch ? global_ : per_gpu_)->setChecked(true);
}

bool HoldSwitch::matches(const QString& words) {
    const QString all = tr("Hold per-GPU batch global batch weak strong scaling");
    const QStringList wanted = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(wanted,
                               [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

void HoldSwitch::place() {
    const RowGeometry g = RowGeometry::of(font(), width());
    setFixedHeight(g.height);
    const int height = g.control - 2;
    const auto put = [&](QWidget* widget, int x, int width) {
        widget->setGeometry(QStyle::visualRect(layoutDirection(), QRect(0, 0, this->width(), g.height),
                                               QRect(x, (g.height - height) / 2, width, height)));
    };
    constexpr int kMargins = 18;
    const auto width_of = [&](const QString& text) {
        return fontMetrics().horizontalAdvance(text) + kMargins;
    };
    const int start = g.groove_x();
    const bool short_words =
        start + width_of(tr("per-GPU batch")) + width_of(tr("global batch")) + g.left > width();
    per_gpu_->setText(short_words ? tr("per GPU") : tr("per-GPU batch"));
    global_->setText(short_words ? tr("global") : tr("global batch"));
    put(label_, g.left, g.label);
    put(per_gpu_, start, width_of(per_gpu_->text()));
    put(global_, start + width_of(per_gpu_->text()), width_of(global_->text()));
}

void HoldSwitch::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

void HoldSwitch::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && global_) place();
}

}  // namespace shardscope
