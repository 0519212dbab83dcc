#include "widgets/plots/collectives/collectives_plot.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QFileInfo>
#include <QSignalBlocker>
#include <QToolButton>
#include <QToolTip>

#include "evidence/fabric_fit.h"
#include "evidence/nccl_log.h"
#include "system/file_io.h"
#include "text/translate.h"
#include "widgets/chart/option_row.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

CollectivesData collectives_data_of(const FigureRequest& request, const Answer& answer) {
    const auto options = options_in<CollectivesOptions>(request);
    return collectives_data(answer, options.own, options.chosen);
}

}  // namespace

CollectivesPlot::CollectivesPlot(LiveModel& model, QWidget* parent)
    : LivePlot(kCollectivesKind, model, parent) {
    tables_ = options().add_choice(QStringLiteral("collectives/tables"), tr("Selected table"), {});
    connect(tables_, &QComboBox::currentIndexChanged, this, [this](int index) {
        chosen_ = static_cast<std::size_t>(std::max(0, index));
        refresh();
    });
    const auto* open = options().add_button(QStringLiteral("collectives/open"), QStringLiteral("open"),
                                            tr("Open a log of nccl-tests"));
    connect(open, &QToolButton::clicked, this, &CollectivesPlot::log_requested);
    take_ = options().add_button(QStringLiteral("collectives/take"), QStringLiteral("check"),
                                 tr("Use my log’s fabric in the scenario"));
    take_->setEnabled(false);
    connect(take_, &QToolButton::clicked, this, &CollectivesPlot::apply_fitted_fabric);
    figure_ = std::make_unique<CollectivesFigure>(canvas());
    use_zoom(*figure_);
    start();
}

CollectivesPlot::~CollectivesPlot() = default;

const CollectivesFigure& CollectivesPlot::figure() {
    bring_up_to_date();
    return *figure_;
}

FigureRequest CollectivesPlot::request() const {
    FigureRequest out = LivePlot::request();
    out.options = CollectivesOptions{own_, chosen_};
    return out;
}

bool CollectivesPlot::add_log(const std::string& path, Problems& problems) {
    const std::string name = QFileInfo(QString::fromStdString(path)).fileName().toStdString();
    Problems unreadable;
    const std::string text = read_text(path, unreadable);
    std::vector<MeasuredTable> read;
    if (unreadable.empty()) read = named_after(name, read_nccl_log(text, unreadable));
    problems.insert(problems.end(), unreadable.begin(), unreadable.end());
    if (read.empty()) return false;
    // The newest tables come first. The others stay, for comparison.
    own_.insert(own_.begin(), read.begin(), read.end());
    chosen_ = 0;
    take_->setEnabled(true);
    figure_->set_data({});
    refresh();
    return true;
}

void CollectivesPlot::update_figure() {
    const Answer& answer = model().answer();
    if (!answer.valid() && !figure_->data().series.empty()) return;
    const bool filled = figure_->data().series.size() == static_cast<std::size_t>(tables_->count());
    figure_->set_data(collectives_data(answer, own_, chosen_));
    if (tables_->count() == 0 || !filled) fill_tables();
    const QSignalBlocker quiet(tables_);
    tables_->setCurrentIndex(static_cast<int>(figure_->data().shown));
}

void CollectivesPlot::fill_tables() {
    const QSignalBlocker quiet(tables_);
    tables_->clear();
    for (const CollectiveSeries& series : figure_->data().series)
        tables_->addItem(QString::fromStdString(series.title()));
}

void CollectivesPlot::refit_figure() { figure_->refit(); }

void CollectivesPlot::style_figure(const Theme& theme, const QFont& font) { figure_->set_style(theme, font); }

QString CollectivesPlot::description() const { return collectives_caption(figure_->data()); }

void CollectivesPlot::move(QMouseEvent* event) {
    const auto point = figure_->point_at(event->position());
    if (!point) {
        QToolTip::hideText();
        return;
    }
    const CollectiveSeries& series = figure_->data().current();
    const CollectivePoint& at = series.measured.table.points[*point];
    QStringList words{tr("%1: %2 in %3")
                          .arg(QString::fromStdString(series.title()), shown(at.bytes, Quantity::bytes),
                               shown(at.seconds, Quantity::seconds)),
                      tr("measured %1").arg(shown(at.bus_bandwidth, Quantity::link_bandwidth))};
    if (series.fit.points > 0)
        words += tr("sigmoid %1").arg(shown(series.fit.curve.at(at.bytes), Quantity::link_bandwidth));
    words +=
        tr("engine %1")
            .arg(shown(figure_->data().engine(series.measured.table, at.bytes), Quantity::link_bandwidth));
    QToolTip::showText(event->globalPosition().toPoint(), tool_tip(words.join(QLatin1Char('\n'))), &canvas());
}

// Fits the engine's constants to all of the user's own tables, as `shardscope import nccl` does.
void CollectivesPlot::apply_fitted_fabric() {
    const Answer& answer = model().answer();
    std::vector<CollectiveTable> tables;
    for (const MeasuredTable& own : own_) tables.push_back(own.table);
    Problems problems;
    const FabricFit fit = fit_fabric(
        tables, {answer.settings[P::intra_node_bandwidth], answer.settings[P::inter_node_bandwidth]},
        problems);
    if (!problems.empty()) {
        QToolTip::showText(take_->mapToGlobal(QPoint(0, take_->height())),
                           tool_tip(text_of(problems.front().text())), take_);
        return;
    }
    Scenario next = model().scenario();
    for (const FabricConstant& constant : fit.constants) {
        if (constant.identified) next.give(constant.id, constant.value);
    }
    model().replace(next, tr("Use the fabric of %1").arg(QString::fromStdString(own_.front().name)));
}

const PlotKind kCollectivesKind{
    .name = "collectives",
    .label = translatable("Collectives"),
    .accessible_name = translatable("Collectives plot"),
    .options = [](const View&, const Scenario&) -> PlotOptions { return CollectivesOptions{}; },
    .shows_pin = [](const FigureRequest&, const Pin&) { return false; },
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            QCustomPlot plot;
            CollectivesFigure figure(plot);
            figure.set_style(Theme::print(), page_font());
            figure.set_data(collectives_data_of(request, answer));
            figure.refit();
            paint_plot(painter, area, plot);
        },
    .words = [](const FigureRequest& request,
                const Answer& answer) { return collectives_caption(collectives_data_of(request, answer)); },
    .table = [](const FigureRequest& request,
                const Answer& answer) { return collectives_table(collectives_data_of(request, answer)); },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new CollectivesPlot(model); }};

}  // namespace shardscope
