#include "widgets/plots/operators/operators_plot.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "text/translate.h"
#include "widgets/chart/option_row.h"
#include "widgets/encode.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/operators/operator_grid.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

std::vector<OperatorsFigure::Ghost> ghosts_of(const std::vector<Pin>& pins) {
    std::vector<OperatorsFigure::Ghost> out;
    for (const Pin& pin : pins) {
        if (!pin.answer.valid()) continue;
        const OperatorsData pinned = operators_data(pin.answer, true);
        out.push_back({pin.letter, pinned.reached_peak, pinned.reached_bandwidth});
    }
    return out;
}

}  // namespace

OperatorsPlot::OperatorsPlot(LiveModel& model, QWidget* parent) : LivePlot(kOperatorsKind, model, parent) {
    // In the orders of OperatorGrid::Order and Columns.
    order_ = options().add_choice(QStringLiteral("operators/order"), tr("Order of the operators"),
                                  {tr("by block"), tr("longest first")});
    columns_ = options().add_choice(QStringLiteral("operators/columns"), tr("Columns of the list"),
                                    {tr("times"), tr("sizes")});
    list_ = new OperatorGrid;
    static_cast<QVBoxLayout*>(layout())->addWidget(list_);
    connect(order_, &QComboBox::currentIndexChanged, this, [this](int order) {
        list_->set_order(static_cast<OperatorGrid::Order>(order));
        list_->choose(figure_->highlight());
    });
    connect(columns_, &QComboBox::currentIndexChanged, this,
            [this](int columns) { list_->set_columns(static_cast<OperatorGrid::Columns>(columns)); });
    connect(list_, &OperatorGrid::room_changed, this,
            [this] { columns_->setEnabled(!list_->shows_all_columns()); });
    connect(list_, &OperatorGrid::chosen, this, [this](std::optional<std::size_t> row) {
        figure_->set_highlight(row);
        replot();
    });
    figure_ = std::make_unique<OperatorsFigure>(canvas());
    use_zoom(*figure_);
    start();
}

OperatorsPlot::~OperatorsPlot() = default;

const OperatorsFigure& OperatorsPlot::figure() {
    bring_up_to_date();
    return *figure_;
}

void OperatorsPlot::update_figure() {
    const Answer& answer = model().answer();
    // While an input is not valid, the last valid picture stays.
    figure_->set_dimmed(!answer.valid());
    list_->setEnabled(answer.valid());
    if (!answer.valid()) return;
    figure_->set_data(operators_data(answer, hypothetical()));
    list_->set_data(figure_->data());
    list_->choose(figure_->highlight());
}

void OperatorsPlot::refit_figure() { figure_->refit(); }

void OperatorsPlot::style_figure(const Theme& theme, const QFont& font) { figure_->set_style(theme, font); }

QString OperatorsPlot::description() const { return figure_->description(); }

void OperatorsPlot::update_pins() { figure_->set_ghosts(ghosts_of(model().pins())); }

std::optional<Subject> OperatorsPlot::focused_subject() const {
    const auto row = figure_->highlight();
    const auto& rows = figure_->data().table.rows;
    return row && *row < rows.size() ? Subject::op(rows[*row].path()) : LivePlot::focused_subject();
}

void OperatorsPlot::choose(std::optional<std::size_t> row) {
    if (row == figure_->highlight()) return;
    figure_->set_highlight(row);
    list_->choose(row);
    replot();
}

void OperatorsPlot::move(QMouseEvent* event) {
    const auto row = figure_->row_at(event->position());
    if (row) {
        choose(row);
        QToolTip::showText(event->globalPosition().toPoint(), tool_tip(operator_words(figure_->data(), *row)),
                           &canvas());
    } else {
        QToolTip::hideText();
    }
}

void OperatorsPlot::press(QMouseEvent* event) { choose(figure_->row_at(event->position())); }

// The list gets the larger part of the height; both keep some of it if there is little.
void OperatorsPlot::divide_height() {
    constexpr double kList = 0.56;
    const int room = height() - options().height();
    // The canvas never gets less than its minimum height, because a list on top of it would hide its axis.
    const QWidget& plot = canvas();
    const int beside_plot = room - std::max(plot.minimumSizeHint().height(), plot.minimumHeight());
    list_->setFixedHeight(std::max(0, std::min(static_cast<int>(kList * room), beside_plot)));
}

void OperatorsPlot::resizeEvent(QResizeEvent* event) {
    LivePlot::resizeEvent(event);
    divide_height();
}

const PlotKind kOperatorsKind{
    .name = "operators",
    .label = translatable("Operators"),
    .accessible_name = translatable("Operators plot"),
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            QCustomPlot plot;
            OperatorsFigure figure(plot);
            figure.set_style(Theme::print(), page_font());
            figure.set_ghosts(ghosts_of(request.pins));
            figure.set_data(operators_data(answer, request.hypothetical));
            figure.refit();
            paint_plot(painter, area, plot);
        },
    .words =
        [](const FigureRequest& request, const Answer& answer) {
            return operators_caption(operators_data(answer, request.hypothetical));
        },
    .table =
        [](const FigureRequest& request, const Answer& answer) {
            return with_pins(
                [&](const Answer& of) { return operators_table(operators_data(of, request.hypothetical)); },
                answer, request.pins);
        },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new OperatorsPlot(model); }};

}  // namespace shardscope
