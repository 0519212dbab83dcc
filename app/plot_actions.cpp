#include "app/plot_actions.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <algorithm>

#include "app/export_popover.h"
#include "app/exports.h"
#include "app/plot_tabs.h"
#include "app/session.h"
#include "app/workspace.h"
#include "widgets/encode.h"
#include "widgets/explainable.h"
#include "widgets/live_model.h"
#include "widgets/panels/headline.h"
#include "widgets/panels/launch_view.h"
#include "widgets/panels/memory_bar.h"
#include "widgets/panels/table_view.h"
#include "widgets/panels/waterfall.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plans/plans_plot.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/validation/validation_plot.h"
#include "widgets/report/report.h"
#include "widgets/text.h"

namespace shardscope {

PlotActions::PlotActions(const Parts& parts, QWidget& window) : parts_(parts), window_(window) {
    const auto offer = [this](LivePlot* plot) { offer_menu(*plot, plot->objectName()); };
    offer(&parts_.tabs.current());
    connect(&parts_.tabs, &PlotTabs::plot_created, this, offer);
    offer_menu(parts_.memory, text_of(kMemoryKind.name));
    offer_menu(parts_.waterfall, text_of(kWaterfallKind.name));
}

void PlotActions::explain_focus() {
    const auto subject = subject_of(QApplication::focusWidget());
    parts_.model.explain(subject ? *subject : *parts_.tabs.current().focused_subject());
}

void PlotActions::ask_for_launch_settings() {
    const auto* plans = qobject_cast<PlansPlot*>(&parts_.tabs.current());
    const QWidget* focus = QApplication::focusWidget();
    const bool in_plans = plans && focus && (focus == plans || plans->isAncestorOf(focus));
    parts_.launch->ask(in_plans ? plans->chosen() : std::nullopt);
}

void PlotActions::ask_for_report(const QString& format) {
    const QString file = parts_.dialogs.save_file(
        &window_, tr("Export a report"), parts_.session.folder() + QStringLiteral("/report.") + format,
        tr("Reports (*.html *.pdf *.md)"));
    if (!file.isEmpty()) export_report(file);
}

bool PlotActions::export_plot(const QString& plot, const QString& file) {
    return parts_.exports.plot(file_request_of(plot), parts_.model.answer(), file);
}

FigureRequest PlotActions::file_request_of(const QString& plot) const {
    FigureRequest request = request_of(plot);
    request.view = readable_view();
    return request;
}

SavedView PlotActions::readable_view() const {
    return parts_.workspace
        .readable(SavedScenario(parts_.model.answer().scenario, parts_.model.scenario().view))
        .view;
}

bool PlotActions::export_report(const QString& file) {
    ReportRequest request;
    request.figures = usual_figures();
    for (FigureRequest& figure : request.figures) figure = request_of(text_of(figure.plot));
    // The report always contains the current plot.
    const FigureRequest shown = parts_.tabs.current().request();
    if (std::ranges::find(request.figures, shown.plot, &FigureRequest::plot) == request.figures.end())
        request.figures.push_back(shown);
    request.pins = parts_.model.pins();
    request.view = readable_view();
    request.hypothetical = parts_.headline.hypothetical();
    request.carries = write_session(parts_.workspace.session(), false);
    return parts_.exports.report(request, parts_.model.answer(), file);
}

QString PlotActions::at_focus() const {
    if (parts_.memory.hasFocus()) return text_of(kMemoryKind.name);
    if (parts_.waterfall.hasFocus()) return text_of(kWaterfallKind.name);
    return parts_.tabs.current().objectName();
}

void PlotActions::ask_to_export(const QString& plot, const QString& format) {
    if (!popover_) {
        popover_ = new ExportPopover(
            parts_.model, [this](const QString& name) { return file_request_of(name); }, window_);
        connect(popover_, &ExportPopover::save_requested, this,
                [this](const FigureRequest& figure, const Answer& answer, const QString& ending) {
                    const QString file = ask_for_figure(parts_.dialogs, &window_, parts_.session.folder(),
                                                        QString::fromStdString(figure.plot), ending);
                    if (!file.isEmpty()) parts_.exports.plot(figure, answer, file);
                });
    }
    popover_->open(plot, format, window_.findChild<QWidget*>(QStringLiteral("toolbar/export")));
}

// Opens a context menu with the actions on a plot or panel at a right click or by the menu key.
void PlotActions::offer_menu(QWidget& view, const QString& plot) {
    view.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&view, &QWidget::customContextMenuRequested, this, [this, &view, plot](const QPoint& at) {
        auto* menu = new QMenu(&window_);
        menu->setObjectName(plot + QStringLiteral("/menu"));
        menu->setAttribute(Qt::WA_DeleteOnClose);
        // The menu key refers to the part that has the focus, a click to the part under the mouse.
        const auto* explainable = dynamic_cast<const Explainable*>(&view);
        const auto subject = view.hasFocus() && !view.underMouse() ? explainable->focused_subject()
                                                                   : explainable->subject_at(QPointF(at));
        if (subject) {
            const std::string title = shardscope::explain(*subject, parts_.model.answer()).title;
            menu->addAction(tr("Why: %1").arg(action_text(text_of(title))), this,
                            [this, subject] { parts_.model.explain(*subject); });
        }
        const auto* plans = qobject_cast<const PlansPlot*>(&view);
        if (const auto chosen = plans ? plans->chosen() : std::nullopt)
            menu->addAction(tr("Launch settings of this plan…"), this,
                            [this, chosen] { parts_.launch->ask(chosen); });
        const auto* runs = qobject_cast<const ValidationPlot*>(&view);
        if (const auto run = runs ? runs->chosen() : std::nullopt) {
            QAction* compare =
                menu->addAction(tr("Compare the step with that of %1").arg(action_text(text_of(run->name))),
                                this, [this, run] { compare_with(*run); });
            compare->setEnabled(pin_of(*run) || parts_.model.pins().size() < kMostPins);
        }
        menu->addAction(tr("Table"), this, [this, plot] { show_table(plot); });
        menu->addAction(tr("Export…"), this, [this, plot] { ask_to_export(plot, {}); });
        menu->addSeparator();
        add_copies(*menu, view, plot);
        if (const auto* shown = qobject_cast<const LivePlot*>(&view)) add_places(*menu, *shown, at);
        menu->popup(view.mapToGlobal(at));
    });
}

void PlotActions::add_copies(QMenu& menu, QWidget& view, const QString& plot) {
    menu.addAction(tr("Copy image"), this, [&view] {
        auto* shown = qobject_cast<LivePlot*>(&view);
        QApplication::clipboard()->setPixmap(shown ? shown->picture() : view.grab());
    });
    QAction* values = menu.addAction(tr("Copy values"), this, [this, plot] {
        parts_.exports.with_data(
            tr("Copy values"), {request_of(plot)}, parts_.model.answer(),
            [](const Exports::Figures& ready, const Answer& now) {
                const PlotKind& kind = *plot_kind(ready.front().plot);
                QApplication::clipboard()->setText(clipboard_text(table_of(kind, ready.front(), now)));
                return true;
            });
    });
    // A table that needs no background work is known at once.
    const PlotKind& kind = *plot_kind(plot.toStdString());
    const Answer& answer = parts_.model.answer();
    if (kind.compute_data || !answer.valid()) return;
    const FigureRequest request = request_of(plot);
    const QString reason = why_empty(table_of(kind, request, answer), kind, request, answer);
    values->setEnabled(reason.isEmpty());
    if (!reason.isEmpty()) values->setToolTip(wrapped_tool_tip(reason));
    menu.setToolTipsVisible(true);
}

// Returns the pin of this run; nullptr if it is not pinned.
const Pin* PlotActions::pin_of(const SavedScenario& run) const {
    const std::vector<Pin>& pins = parts_.model.pins();
    const auto found = std::ranges::find_if(
        pins, [&](const Pin& pin) { return SavedScenario(pin.answer.scenario, pin.view) == run; });
    return found == pins.end() ? nullptr : &*found;
}

void PlotActions::compare_with(const SavedScenario& run) {
    const Pin* pinned = pin_of(run);
    const char letter = pinned ? pinned->letter : parts_.model.pin(run);
    parts_.model.compare_with(letter);
    parts_.tabs.show_plot(text_of(kDifferenceKind.name));
}

// Adds what can be done with the place of a plot that was clicked.
void PlotActions::add_places(QMenu& menu, const LivePlot& plot, const QPoint& at) {
    const auto place = plot.place_at(QPointF(plot.canvas_position(at)));
    if (!place) return;
    menu.addSeparator();
    menu.addAction(tr("Set %1").arg(action_text(place->label)), this,
                   [this, place] { parts_.model.replace(place->scenario, place->label); });
    QAction* pin = menu.addAction(tr("Pin %1").arg(action_text(place->label)), this, [this, place] {
        parts_.model.pin(SavedScenario(place->scenario, parts_.model.scenario().view));
    });
    pin->setEnabled(parts_.model.pins().size() < kMostPins);
}

// Opens a window with the plot's table, or raises the window that already shows this table.
void PlotActions::show_table(const QString& plot) {
    const QString title = tr(plot_kind(plot.toStdString())->label);
    parts_.exports.with_data(title, {request_of(plot)}, parts_.model.answer(),
                             [this, title](const Exports::Figures& ready, const Answer& now) {
                                 const FigureRequest& figure = ready.front();
                                 const PlotKind& kind = *plot_kind(figure.plot);
                                 PlotTable table = table_of(kind, figure, now);
                                 for (TableView* view : window_.findChildren<TableView*>()) {
                                     if (!view->shows(title, table)) continue;
                                     view->raise();
                                     view->activateWindow();
                                     return true;
                                 }
                                 const QString reason = why_empty(table, kind, figure, now);
                                 auto* view = new TableView(title, std::move(table), reason, &window_);
                                 connect(&parts_.model, &LiveModel::changed, view, &TableView::set_stale);
                                 view->show();
                                 return true;
                             });
}

void PlotActions::export_all() {
    const QString folder =
        parts_.dialogs.choose_folder(&window_, tr("Export all plots into a folder"), parts_.session.folder());
    if (folder.isEmpty()) return;
    std::vector<FigureRequest> figures;
    for (const PlotKind* kind : plot_kinds()) {
        figures.push_back(file_request_of(text_of(kind->name)));
    }
    parts_.exports.plots(figures, parts_.model.answer(), folder);
}

FigureRequest PlotActions::request_of(const QString& plot) const {
    if (LivePlot* tab = parts_.tabs.plot(plot)) {
        // A plot that was never shown has not computed its axes yet.
        tab->bring_up_to_date();
        return tab->request();
    }
    FigureRequest request;
    request.plot = plot.toStdString();
    request.pins = parts_.model.pins();
    request.view = parts_.model.scenario().view;
    request.hypothetical = parts_.headline.hypothetical();
    return request;
}

}  // namespace shardscope
