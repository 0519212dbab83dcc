#include "widgets/panels/scenario_table.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/panels/scenario_grid.h"
#include "widgets/panels/scenario_line.h"
#include "widgets/panels/scenario_model.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr double kMostOfWindow = 0.27;  // share of its height; more rows scroll
constexpr int kEdge = 12;
constexpr std::size_t kRowsWithHint = 2;

}  // namespace

ScenarioTable::ScenarioTable(LiveModel& model, QWidget* parent)
    : QWidget(parent), model_(model), scenarios_(new ScenarioModel(model, this)) {
    setObjectName(QStringLiteral("scenarios"));
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);

    auto* head = new QHBoxLayout;
    head->setContentsMargins(kEdge - 6, 1, kEdge, 2);
    head->setSpacing(8);
    fold_ = new QToolButton;
    fold_->setObjectName(QStringLiteral("scenarios/fold"));
    fold_->setText(tr("Scenarios"));
    fold_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    fold_->setAutoRaise(true);
    head->addWidget(fold_);
    caption_ = new QLabel(tr("up to six pins; drag a letter to swap"));
    head->addWidget(caption_);
    line_ = new ScenarioLine(model, *scenarios_);
    line_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
    head->addWidget(line_, 1);
    head->addStretch(0);
    line_hint_ = new QLabel;
    line_hint_->setObjectName(QStringLiteral("scenarios/line-hint"));
    head->addWidget(line_hint_);
    differences_ = new QCheckBox(tr("&Differences only"));
    differences_->setObjectName(QStringLiteral("scenarios/differences-only"));
    differences_->setToolTip(tr("Leaves out what is the same in all scenarios"));
    head->addWidget(differences_);
    auto* measured = new QPushButton(tr("My run…"));
    measured->setObjectName(QStringLiteral("scenarios/measured"));
    measured->setToolTip(tr("Compare with your own run"));
    measured->setAutoDefault(false);
    head->addWidget(measured);
    all->addLayout(head);

    grid_ = new ScenarioGrid(model, *scenarios_);
    all->addWidget(grid_);
    hint_ = new QLabel;
    hint_->setObjectName(QStringLiteral("scenarios/hint"));
    hint_->setAutoFillBackground(true);
    hint_->setBackgroundRole(QPalette::Base);
    hint_->setIndent(kEdge);
    all->addWidget(hint_);

    connect(fold_, &QToolButton::clicked, this, [this] {
        (low_ ? chosen_low_ : chosen_) = !is_unfolded();
        refresh();
    });
    connect(differences_, &QCheckBox::toggled, grid_, &ScenarioGrid::set_differences_only);
    connect(measured, &QPushButton::clicked, this, &ScenarioTable::measured_requested);
    connect(grid_, &ScenarioGrid::measured_requested, this, &ScenarioTable::measured_requested);
    connect(line_, &ScenarioLine::measured_requested, this, &ScenarioTable::measured_requested);
    connect(scenarios_, &ScenarioModel::modelReset, this, &ScenarioTable::refresh);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ScenarioTable::restyle);
    restyle();
}

bool ScenarioTable::is_unfolded() const {
    if (low_) return chosen_low_.value_or(false);
    return chosen_.value_or(scenarios_->rows().size() > 1);
}

void ScenarioTable::choose(bool unfolded) {
    chosen_ = unfolded;
    refresh();
}

void ScenarioTable::set_window_height(int height) {
    const int row = grid_->row_height();
    const int available = static_cast<int>(kMostOfWindow * height) - row - grid_->header_height();
    most_rows_ = std::max(3, available / row);
    if (const bool low = height < kLowWindow; low != low_) {
        low_ = low;
        chosen_low_.reset();
    }
    refresh();
}

void ScenarioTable::set_first_use(bool on) {
    first_use_ = on;
    refresh();
}

void ScenarioTable::refresh() {
    const std::size_t count = scenarios_->rows().size();
    const bool unfolded = is_unfolded();
    const int row = grid_->row_height();
    grid_->setFixedHeight(grid_->header_height() + row * std::min(static_cast<int>(count), most_rows_));
    grid_->setVisible(unfolded);
    hint_->setText(first_use_ ? tr("Drag any slider: its track shows MFU along it. P pins the current "
                                   "scenario here, Ctrl+I explains, F1 helps")
                              : tr("Press P to pin the current scenario here"));
    line_hint_->setText(first_use_ ? tr("Drag any slider, P pins, F1 helps")
                        : low_     ? tr("P pins")
                                   : tr("P pins to compare · Shift on a track is 10× finer"));
    hint_->setVisible(unfolded && count <= kRowsWithHint);
    caption_->setVisible(unfolded);
    differences_->setVisible(unfolded);
    differences_->setEnabled(!model_.pins().empty());
    line_->setVisible(!unfolded);
    line_hint_->setVisible(!unfolded && model_.pins().empty());
    fold_->setArrowType(unfolded ? Qt::DownArrow : Qt::RightArrow);
    fold_->setToolTip(unfolded ? tr("Fold the scenarios into one line") : tr("Show the table of scenarios"));
}

void ScenarioTable::restyle() {
    const Theme& theme = current_theme();
    QFont bold = font();
    bold.setBold(true);
    fold_->setFont(bold);
    for (QLabel* label : {caption_, hint_, line_hint_}) {
        label->setFont(scaled_font(font(), kSmall));
        QPalette palette = label->palette();
        palette.setColor(QPalette::WindowText, theme.muted);
        palette.setColor(QPalette::Text, theme.muted);  // of a label with the Base background
        palette.setColor(QPalette::Base, theme.pane);
        label->setPalette(palette);
    }
    hint_->setFixedHeight(grid_->row_height());
    refresh();
}

void ScenarioTable::paintEvent(QPaintEvent*) {
    // The line between the header and the rows.
    if (is_unfolded()) QPainter(this).fillRect(0, grid_->y() - 1, width(), 1, current_theme().line);
}

void ScenarioTable::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) restyle();
}

}  // namespace shardscope
