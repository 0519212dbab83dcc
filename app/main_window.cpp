#include "app/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSaveFile>
#include <QStyle>
#include <QTabBar>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>

#include "app/desk_step.h"
#include "app/pickers.h"
#include "app/session.h"
#include "files/hf_config.h"
#include "files/nccl_log.h"
#include "files/scenario_file.h"
#include "files/session_file.h"
#include "studies/study.h"
#include "widgets/panels/controls_panel.h"
#include "widgets/panels/headline.h"
#include "widgets/panels/measured_panel.h"
#include "widgets/panels/memory_bar.h"
#include "widgets/panels/repair_strip.h"
#include "widgets/panels/scenario_table.h"
#include "widgets/panels/side_rail.h"
#include "widgets/panels/solve_panel.h"
#include "widgets/panels/study_panel.h"
#include "widgets/panels/table_view.h"
#include "widgets/panels/waterfall.h"
#include "widgets/panels/why_panel.h"
#include "widgets/plots/collectives_plot.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/sensitivity_plot.h"
#include "widgets/plots/sweep_plot.h"
#include "widgets/text.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kSideFolds = 1280;     // narrower than this the panels at the right become rails
constexpr int kLowBelow = 820;       // lower than this the bottom keeps to one line
constexpr int kCompactBelow = 1200;  // narrower than this controls and side column shrink

QWidget* line(bool vertical) {
    auto* widget = new QWidget;
    widget->setObjectName(QStringLiteral("pane-line"));
    widget->setAttribute(Qt::WA_StyledBackground);
    if (vertical) widget->setFixedWidth(1);
    else widget->setFixedHeight(1);
    const auto paint = [widget] {
        widget->setStyleSheet(QStringLiteral("background:%1").arg(current_theme().line.name()));
    };
    QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, widget, paint);
    paint();
    return widget;
}

QVBoxLayout* column(QWidget* parent) {
    auto* layout = new QVBoxLayout(parent);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    return layout;
}

// Pins by letter, the first one compared with.
SavedSession lettered(const Scenario& current, const std::vector<Scenario>& pins) {
    SavedSession out{current, {}, pins.empty() ? char(0) : kFirstPin};
    char letter = kFirstPin;
    for (const Scenario& pin : pins) out.pins.push_back({letter++, pin});
    return out;
}

// The desk as a view asks for it; what it does not speak of stays.
DeskState desk_of(const View& view, DeskState desk) {
    desk.study = view.study;
    if (view.plot.empty()) return desk;
    desk.tab = view.plot;
    for (View& plot : desk.plots) {
        if (plot.plot != view.plot) continue;
        plot = view;
        plot.study.clear();
    }
    return desk;
}

}  // namespace

Dialogs Dialogs::native() {
    return {
        [](QWidget* parent, const QString& title, const QString& folder, const QString& filter) {
            return QFileDialog::getOpenFileName(parent, title, folder, filter);
        },
        [](QWidget* parent, const QString& title, const QString& suggestion, const QString& filter) {
            return QFileDialog::getSaveFileName(parent, title, suggestion, filter);
        },
        [](QWidget* parent, const QString& title, const QString& folder) {
            return QFileDialog::getExistingDirectory(parent, title, folder);
        },
    };
}

MainWindow::MainWindow(Catalogue& catalogue, Session& session, Dialogs dialogs, QWidget* parent)
    : QMainWindow(parent),
      catalogue_(catalogue),
      session_(session),
      dialogs_(std::move(dialogs)),
      model_(catalogue),
      actions_(make_actions(this)) {
    setObjectName(QStringLiteral("main-window"));
    setAcceptDrops(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    build_menus();
    build_toolbar();
    build_panes();
    connect_actions();
    connect(&model_, &LiveModel::changed, this, &MainWindow::refresh_titles);
    // A crash costs no more than the last second.
    constexpr int kAutosave = 1000;  // ms
    autosave_.setSingleShot(true);
    connect(&autosave_, &QTimer::timeout, this, &MainWindow::keep_session);
    const auto keep_soon = [this] {
        if (!autosave_.isActive()) autosave_.start(kAutosave);
    };
    connect(&model_, &LiveModel::changed, this, keep_soon);
    connect(&model_, &LiveModel::pins_changed, this, keep_soon);
    const auto tint = [this] { tint_actions(actions_, current_theme().text); };
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, tint);
    tint();
    refresh_titles();
    setMinimumSize(1024, 640);
    resize(1440, 900);
    if (const QByteArray geometry = session_.geometry(); !geometry.isEmpty()) restoreGeometry(geometry);
}

MainWindow::~MainWindow() {
    // Members go before child widgets: the panels have to be gone before the model they show. Hidden first,
    // they end in it what is under way, a drag or a number being typed.
    hide();
    delete takeCentralWidget();
    // The undo stack reports once more while the model is taken down, when the actions are gone already.
    model_.undo_stack()->disconnect(this);
}

void MainWindow::build_menus() {
    using enum ActionId;
    const auto menu = [&](const QString& title, std::initializer_list<ActionId> ids) {
        QMenu* added = menuBar()->addMenu(title);
        for (const ActionId id : ids) added->addAction(actions_.at(id));
        return added;
    };
    menu(tr("&File"), {new_scenario, open, save, save_as, save_session, export_plot, export_all, quit});
    menu(tr("&Edit"), {undo, redo, copy, paste, find_parameter});
    QMenu* theme = menu(tr("&View"), {toggle_why, show_table})->addMenu(tr("T&heme"));
    auto* group = new QActionGroup(this);
    for (const ActionId id : {theme_system, theme_light, theme_dark}) {
        actions_.at(id)->setCheckable(true);
        group->addAction(actions_.at(id));
        theme->addAction(actions_.at(id));
    }
    QMenu* scenarios =
        menu(tr("&Scenario"), {plan_automatic, plan_lock, pin, unpin_all, solve_for, measured_run});
    scenarios->addSeparator();
    for (const Preset* preset : catalogue_.all(PresetKind::scenario)) {
        QAction* entry = scenarios->addAction(preset->title.empty() ? QString::fromStdString(preset->name)
                                                                    : QString::fromStdString(preset->title));
        entry->setObjectName(QStringLiteral("scenario/") + QString::fromStdString(preset->name));
        connect(entry, &QAction::triggered, this, [this, preset] {
            const QString title = QString::fromStdString(preset->title);
            load_text(preset->text, title, {}, tr("Load %1").arg(title));
        });
    }
    menu(tr("&Help"), {shortcuts, about});
}

void MainWindow::build_toolbar() {
    QToolBar* bar = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("toolbar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setIconSize({16, 16});
    cluster_picker_ = make_cluster_picker(model_, this);
    model_picker_ = make_model_picker(model_, this);
    bar->addWidget(cluster_picker_);
    bar->addWidget(model_picker_);
    bar->addWidget(make_study_picker(catalogue_, this, [this](const Preset& preset) { open_study(preset); }));
    bar->addSeparator();
    for (const ActionRow& row : action_table()) {
        if (!row.in_toolbar || row.id == ActionId::export_plot) continue;
        bar->addAction(actions_.at(row.id));
    }
    bar->addAction(actions_.at(ActionId::export_plot));
}

void MainWindow::build_panes() {
    auto* whole = new QWidget;
    auto* rows = column(whole);

    // What went wrong, above everything and in nobody's way: no dialog to click away.
    message_ = new QWidget;
    message_->setObjectName(QStringLiteral("message"));
    auto* message_row = new QHBoxLayout(message_);
    message_row->setContentsMargins(12, 4, 12, 4);
    message_text_ = new QLabel;
    message_text_->setObjectName(QStringLiteral("message/text"));
    message_text_->setWordWrap(true);
    message_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    message_row->addWidget(message_text_, 1);
    auto* dismiss = new QToolButton;
    dismiss->setText(QStringLiteral("×"));
    dismiss->setAccessibleName(tr("Dismiss the message"));
    connect(dismiss, &QToolButton::clicked, message_, &QWidget::hide);
    message_row->addWidget(dismiss);
    message_->hide();
    rows->addWidget(message_);

    auto* panes = new QHBoxLayout;
    panes->setContentsMargins(0, 0, 0, 0);
    panes->setSpacing(0);
    rows->addLayout(panes, 1);

    controls_ = new ControlsPanel(model_);
    panes->addWidget(controls_);
    panes->addWidget(line(true));

    auto* middle = new QWidget;
    auto* middle_rows = column(middle);
    headline_ = new Headline(model_);
    repairs_ = new RepairStrip(model_);
    middle_rows->addWidget(headline_);
    middle_rows->addWidget(line(false));
    middle_rows->addWidget(repairs_);

    auto* plots = new QHBoxLayout;
    plots->setContentsMargins(0, 0, 0, 0);
    plots->setSpacing(0);
    tabs_ = new QTabWidget;
    tabs_->setObjectName(QStringLiteral("tabs"));
    tabs_->setDocumentMode(true);
    for (const PlotKind* kind : plot_kinds()) {
        if (!kind->make_tab) continue;
        LivePlot* plot = kind->make_tab(model_);
        tabs_->addTab(plot, QCoreApplication::translate("PlotKind", kind->label));
        connect(plot, &LivePlot::table_requested, actions_.at(ActionId::show_table), &QAction::trigger);
        connect(plot, &LivePlot::export_requested, actions_.at(ActionId::export_plot), &QAction::trigger);
    }
    add_menu_of_tabs();
    auto* sweep = tabs_->findChild<SweepPlot*>();
    connect(tabs_->findChild<SensitivityPlot*>(), &SensitivityPlot::sweep_requested, this,
            [this, sweep](P id, Output output) {
                sweep->show_sweep(id, output);
                tabs_->setCurrentWidget(sweep);
            });
    connect(tabs_->findChild<CollectivesPlot*>(), &CollectivesPlot::log_requested, this, [this] {
        const QString file = dialogs_.open_file(this, tr("Open a log of nccl-tests"), session_.folder(),
                                                tr("Logs (*.log *.txt *.out);;All files (*)"));
        if (file.isEmpty()) return;
        open_log(file);
    });
    plots->addWidget(tabs_, 1);
    plots->addWidget(line(true));
    side_ = new QWidget;
    auto* side_rows = column(side_);
    memory_ = new MemoryBar(model_);
    waterfall_ = new Waterfall(model_);
    side_rows->addWidget(memory_, 11);
    side_rows->addWidget(line(false));
    side_rows->addWidget(waterfall_, 10);
    plots->addWidget(side_);
    middle_rows->addLayout(plots, 1);
    panes->addWidget(middle, 1);
    panes->addWidget(line(true));

    why_ = new WhyPanel(model_);
    panes->addWidget(why_);
    study_ = new StudyPanel;
    study_->hide();
    panes->addWidget(study_);
    auto* rails = new QWidget;
    auto* rail_rows = column(rails);
    why_rail_ =
        new SideRail(QStringLiteral("why-rail"), tr("Why panel"), tr("Why? Opens the explanation (F9)"));
    study_rail_ = new SideRail(QStringLiteral("study-rail"), tr("Study panel"), tr("Opens the study"));
    study_rail_->hide();
    connect(why_rail_, &QToolButton::clicked, this, [this] { show_side(Side::why); });
    connect(study_rail_, &QToolButton::clicked, this, [this] { show_side(Side::study); });
    rail_rows->addWidget(why_rail_);
    rail_rows->addWidget(study_rail_);
    panes->addWidget(rails);

    rows->addWidget(line(false));
    solve_ = new SolvePanel(model_);
    rows->addWidget(solve_);
    measured_ = new MeasuredPanel(model_);
    rows->addWidget(measured_);
    scenarios_ = new ScenarioTable(model_);
    rows->addWidget(scenarios_);
    setCentralWidget(whole);
    // At first nothing is focused: the first control would look chosen.
    whole->setFocusPolicy(Qt::ClickFocus);
    whole->setFocus();

    connect(headline_, &Headline::why_requested, this, &MainWindow::explain);
    connect(memory_, &MemoryBar::why_requested, this, &MainWindow::explain);
    connect(waterfall_, &Waterfall::why_requested, this, &MainWindow::explain);
    connect(why_, &WhyPanel::closed, this, [this] { show_side(Side::none); });
    connect(study_, &StudyPanel::closed, this, [this] { show_study({}); });
    connect(study_, &StudyPanel::claim_chosen, this, &MainWindow::take_claim);
    connect(headline_, &Headline::hypothetical_toggled, this, [this](bool on) {
        waterfall_->set_hypothetical(on);
        for (int i = 0; i < tabs_->count(); ++i)
            static_cast<LivePlot*>(tabs_->widget(i))->show_hypothetical(on);
    });
    connect(scenarios_, &ScenarioTable::measured_requested, actions_.at(ActionId::measured_run),
            &QAction::trigger);
}

void MainWindow::connect_actions() {
    const auto on = [&](ActionId id, auto&& work) {
        connect(actions_.at(id), &QAction::triggered, this, std::forward<decltype(work)>(work));
    };
    QUndoStack* undo = model_.undo_stack();
    on(ActionId::undo, [undo] { undo->undo(); });
    on(ActionId::redo, [undo] { undo->redo(); });
    const auto refresh_undo = [this, undo] {
        actions_.at(ActionId::undo)->setEnabled(undo->canUndo());
        actions_.at(ActionId::redo)->setEnabled(undo->canRedo());
        actions_.at(ActionId::undo)
            ->setToolTip(undo->canUndo() ? tr("Undo: %1").arg(undo->undoText()) : tr("Nothing to undo"));
        actions_.at(ActionId::redo)
            ->setToolTip(undo->canRedo() ? tr("Redo: %1").arg(undo->redoText()) : tr("Nothing to redo"));
    };
    connect(undo, &QUndoStack::indexChanged, this, refresh_undo);
    connect(undo, &QUndoStack::canUndoChanged, this, refresh_undo);
    refresh_undo();

    const QString scenarios = tr("Scenarios, sessions and figures (*.json *.svg *.pdf *.png)");
    on(ActionId::new_scenario, [this] {
        file_.clear();
        model_.replace(Scenario::first_launch(catalogue_), tr("New scenario"));
    });
    on(ActionId::open, [this, scenarios] {
        if (const QString file =
                dialogs_.open_file(this, tr("Open a scenario"), session_.folder(), scenarios);
            !file.isEmpty())
            open(file);
    });
    on(ActionId::save, [this] {
        if (file_.isEmpty()) actions_.at(ActionId::save_as)->trigger();
        else save(file_);
    });
    on(ActionId::save_as, [this] {
        const QString suggestion =
            file_.isEmpty() ? session_.folder() + QStringLiteral("/scenario.json") : file_;
        QString file =
            dialogs_.save_file(this, tr("Save the scenario"), suggestion, tr("Scenarios (*.json)"));
        if (file.isEmpty()) return;
        if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".json");
        save(file);
    });
    on(ActionId::save_session, [this] {
        QString file =
            dialogs_.save_file(this, tr("Save the session: the current scenario and all pins"),
                               session_.folder() + QStringLiteral("/session.json"), tr("Sessions (*.json)"));
        if (file.isEmpty()) return;
        if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".json");
        save_session(file);
    });
    on(ActionId::export_plot, [this] {
        const QString file = dialogs_.save_file(
            this, tr("Export the plot"),
            QStringLiteral("%1/%2.svg").arg(session_.folder(), current_plot().objectName()),
            tr("Figures and tables (*.svg *.pdf *.png *.csv)"));
        if (!file.isEmpty()) export_plot(current_plot().objectName(), file);
    });
    on(ActionId::export_all, [this] { export_all(); });
    on(ActionId::quit, [this] { close(); });
    on(ActionId::copy, [this] {
        QApplication::clipboard()->setText(QString::fromStdString(write_scenario(model_.scenario())));
    });
    on(ActionId::paste, [this] {
        const QString what = tr("the clipboard");
        load_text(QApplication::clipboard()->text().toStdString(), what, {}, tr("Load %1").arg(what));
    });
    on(ActionId::find_parameter, [this] { controls_->search()->setFocus(Qt::ShortcutFocusReason); });
    on(ActionId::plan_automatic, [this] { model_.set_all_automatic(true); });
    on(ActionId::plan_lock, [this] { model_.set_all_automatic(false); });
    on(ActionId::pin, [this] { model_.pin(); });
    on(ActionId::unpin_all, [this] { model_.unpin_all(); });
    on(ActionId::solve_for, [this] { solve_->ask(); });
    on(ActionId::measured_run, [this] { measured_->ask(); });
    on(ActionId::show_table, [this] {
        const FigureRequest request = current_plot().request();
        const PlotTable table = plot_kind(request.plot)->table(request, model_.answer());
        (new TableView(tabs_->tabText(tabs_->currentIndex()), table, this))->show();
    });
    on(ActionId::toggle_why, [this] { show_side(why_->isVisible() ? Side::none : Side::why); });
    on(ActionId::shortcuts, [this] {
        QString text;
        for (const ActionRow& row : action_table()) {
            if (*row.shortcut)
                text += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                            .arg(QLatin1String(row.shortcut),
                                 actions_.at(row.id)->text().remove(QLatin1Char('&')));
        }
        auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Keyboard"),
                                    QStringLiteral("<table>%1</table>").arg(text), QMessageBox::Close, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->open();
    });
    on(ActionId::about, [this] {
        auto* box = new QMessageBox(
            QMessageBox::NoIcon, tr("About Shardscope"),
            tr("<b>Shardscope %1</b><p>Where memory or bandwidth becomes the wall of training a large "
               "transformer.</p>"
               "<p>Free software under the GNU General Public License, version 3 or later.</p>")
                .arg(QStringLiteral(SHARDSCOPE_VERSION)),
            QMessageBox::Close, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->open();
    });

    const std::pair<ActionId, ThemeManager::Choice> themes[] = {
        {ActionId::theme_system, ThemeManager::Choice::system},
        {ActionId::theme_light, ThemeManager::Choice::light},
        {ActionId::theme_dark, ThemeManager::Choice::dark}};
    for (const auto& [id, choice] : themes) {
        actions_.at(id)->setChecked(ThemeManager::instance().choice() == choice);
        on(id, [this, choice = choice] {
            session_.set_theme(choice);
            ThemeManager::instance().choose(choice);
        });
    }
}

bool MainWindow::open(const QString& file) {
    Problems problems;
    std::string text = read_text(file.toStdString(), problems);
    if (problems.empty()) {
        const QByteArray bytes(text.data(), static_cast<qsizetype>(text.size()));
        if (const QByteArray inside = scenario_in_figure(bytes); !inside.isEmpty())
            text = inside.toStdString();
    }
    const QString name = QFileInfo(file).fileName();
    if (!problems.empty()) {
        say_all(problems, name);
        return false;
    }
    if (is_nccl_log(text)) return open_log(file);
    const QString folder = QFileInfo(file).absolutePath();
    if (!load_text(text, name, folder, tr("Open %1").arg(name))) return false;
    // Save writes one scenario, which must not replace a session or a model's own file.
    const bool scenario = file.endsWith(QLatin1String(".json")) && !is_session(text) && !is_hf_config(text);
    file_ = scenario ? file : QString();
    session_.set_folder(folder);
    session_.add_recent(file);
    refresh_titles();
    return true;
}

void MainWindow::restore() {
    const std::string text = session_.scenarios().toStdString();
    if (text.empty()) return;
    // What this version cannot read, a newer one's perhaps, is left alone.
    Problems problems;
    if (is_session(text)) {
        const SavedSession session = read_session(text, catalogue_, {}, problems);
        if (problems.empty()) {
            model_.start_with(session);
            show_desk(desk_of(session.view, desk()));
        }
    } else {
        const Scenario scenario = read_scenario(text, catalogue_, {}, problems);
        if (problems.empty()) model_.start_with(scenario);
    }
}

SavedSession MainWindow::session_as_shown() const {
    SavedSession out = model_.session();
    out.view = current_plot().view();
    if (study_->study()) out.view.study = study_->study()->name;
    return out;
}

void MainWindow::keep_session() {
    session_.set_scenarios(QString::fromStdString(write_session(session_as_shown(), false)));
}

bool MainWindow::load_text(const std::string& text, const QString& what, const QString& folder,
                           const QString& step) {
    Problems problems;
    message_->hide();
    if (is_session(text)) {
        const SavedSession session = read_session(text, catalogue_, folder.toStdString(), problems);
        if (problems.empty()) take(session, step);
    } else if (is_study(text)) {
        const Preset* study = catalogue_.add(text, folder.toStdString() + "/study.json", problems);
        if (study) return open_study(*study);
    } else if (is_hf_config(text)) {
        import_model(text, folder.isEmpty() ? QString() : folder + QLatin1Char('/') + what, problems);
    } else {
        const Scenario scenario = read_scenario(text, catalogue_, folder.toStdString(), problems);
        if (problems.empty()) take_scenario(scenario, step);
    }
    if (!problems.empty()) say_all(problems, what);
    return problems.empty();
}

bool MainWindow::open_study(const Preset& preset) {
    Problems problems;
    const Study study = read_study(preset, catalogue_, problems);
    if (problems.empty()) {
        message_->hide();
        take(lettered(study.scenario, study.pins), tr("Study %1").arg(QString::fromStdString(study.title)));
        side_wanted_ = Side::study;
        fold(size());
    } else {
        say_all(problems, QString::fromStdString(preset.name));
    }
    return problems.empty();
}

void MainWindow::take(const SavedSession& session, const QString& step) {
    const DeskState before = desk();
    QUndoStack* undo = model_.undo_stack();
    undo->beginMacro(step);
    model_.open_session(session, step);
    undo->push(
        new DeskStep([this](const DeskState& desk) { show_desk(desk); }, before,
                     desk_of(session.view.plot.empty() ? view_of(session.current) : session.view, before)));
    undo->endMacro();
}

void MainWindow::take_scenario(const Scenario& scenario, const QString& step) {
    Problems none;  // the scenario's reader has read them before
    const std::vector<Scenario> pins = pins_of(scenario, catalogue_, none);
    if (view_of(scenario).plot.empty() && pins.empty()) {
        model_.replace(scenario, step);
        return;
    }
    SavedSession session = pins.empty() ? model_.session() : lettered(scenario, pins);
    session.current = scenario;
    session.view = view_of(scenario);
    take(session, step);
}

// The scenarios that are compared: the last one is looked at, beside the others as pins. Along an input it is
// the first that the others are to overtake.
void MainWindow::take_claim(const Claim& claim) {
    std::vector<Scenario> others = claim.scenarios;
    if (claim.measure == Measure::crossover) std::rotate(others.begin(), others.begin() + 1, others.end());
    Scenario current = others.back();
    others.pop_back();
    if (study_->study()) current = with_view(current, view_of(study_->study()->scenario));
    const QString step = tr("Claim: %1").arg(QString::fromStdString(claim.says));
    if (others.empty()) model_.replace(current, step);
    else model_.open_session(lettered(current, others), step);
}

DeskState MainWindow::desk() const {
    DeskState out;
    out.tab = current_plot().objectName().toStdString();
    if (study_->study()) out.study = study_->study()->name;
    for (int i = 0; i < tabs_->count(); ++i)
        out.plots.push_back(static_cast<LivePlot*>(tabs_->widget(i))->view());
    return out;
}

void MainWindow::show_desk(const DeskState& desk) {
    // Hidden plots take their views without drawing them.
    for (const View& view : desk.plots) {
        auto* plot = tabs_->findChild<LivePlot*>(QString::fromStdString(view.plot));
        if (plot && !(plot->view() == view)) plot->show_view(view);
    }
    if (auto* tab = tabs_->findChild<LivePlot*>(QString::fromStdString(desk.tab)))
        tabs_->setCurrentWidget(tab);
    show_study(desk.study);
}

void MainWindow::show_study(const std::string& name) {
    // A file that is opened again is another preset of the same name.
    const Preset* preset = catalogue_.find(PresetKind::study, name);
    if (preset == (study_->study() ? study_->study()->preset : nullptr)) return;
    Problems problems;
    std::optional<Study> study;
    if (preset) study = read_study(*preset, catalogue_, problems);
    if (!study || !problems.empty()) {
        study_->set_study(std::nullopt);
        if (side_wanted_ == Side::study) side_wanted_ = Side::why;
    } else {
        study_rail_->setText(tr("Study: %1").arg(QString::fromStdString(study->title)));
        study_->set_study(std::move(study));
        side_wanted_ = Side::study;
    }
    fold(size());
}

// Beside the public tables, where it can be compared and taken.
bool MainWindow::open_log(const QString& file) {
    auto* collectives = tabs_->findChild<CollectivesPlot*>();
    const Problems problems = collectives->add_log(file.toStdString());
    session_.set_folder(QFileInfo(file).absolutePath());
    message_->hide();
    if (problems.empty()) tabs_->setCurrentWidget(collectives);
    else say_all(problems, QFileInfo(file).fileName());
    return problems.empty();
}

// Every plot by its name, also those whose tabs have no room.
void MainWindow::add_menu_of_tabs() {
    auto* all = new QToolButton;
    all->setObjectName(QStringLiteral("tabs/all"));
    all->setText(tr("All plots"));
    all->setAccessibleName(all->text());
    all->setToolTip(all->text());
    const auto tint = [all] {
        all->setIcon(tinted_icon(QStringLiteral("chevron-down"), current_theme().text));
    };
    tint();
    connect(&ThemeManager::instance(), &ThemeManager::changed, all, tint);
    auto* menu = new QMenu(all);
    for (int i = 0; i < tabs_->count(); ++i) {
        QAction* entry = menu->addAction(tabs_->tabText(i), this, [this, i] { tabs_->setCurrentIndex(i); });
        entry->setCheckable(true);
    }
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        for (int i = 0; i < tabs_->count(); ++i)
            menu->actions().at(i)->setChecked(i == tabs_->currentIndex());
    });
    connect(all, &QToolButton::clicked, menu,
            [all, menu] { menu->popup(all->mapToGlobal(QPoint(0, all->height()))); });
    tabs_->setCornerWidget(all, Qt::TopRightCorner);
}

// The model of a config.json under the scenario's own cluster and training.
void MainWindow::import_model(const std::string& text, const QString& file, Problems& problems) {
    if (file.isEmpty()) {
        problems.push_back({"", "a model's config.json is read from its file", "the scenario refers to it",
                            "open or drop the file itself"});
        return;
    }
    const Preset* model = catalogue_.add(text, file.toStdString(), problems);
    if (!model) return;
    model_.replace(with_model(model_.scenario(), *model), tr("Model %1").arg(text_of(model->title)));
    // What was assumed stands in its source.
    say(tr("%1: %2.").arg(text_of(model->title), text_of(model->source)));
}

bool MainWindow::write_file(const QString& file, const std::string& content) {
    Problems problems;
    if (!write_whole(file.toStdString(), content, problems)) {
        say(QString::fromStdString(problems.front().text(file.toStdString())));
        return false;
    }
    session_.set_folder(QFileInfo(file).absolutePath());
    session_.add_recent(file);
    return true;
}

bool MainWindow::save(const QString& file) {
    if (!write_file(file, write_scenario(model_.scenario()))) return false;
    file_ = file;
    model_.undo_stack()->setClean();
    refresh_titles();
    return true;
}

bool MainWindow::save_session(const QString& file) {
    return write_file(file, write_session(session_as_shown()));
}

bool MainWindow::export_plot(const QString& plot, const QString& file) {
    const auto format = format_of(file);
    if (!format) {
        say(tr("%1: the ending decides the format; end it in .svg, .pdf, .png or .csv").arg(file));
        return false;
    }
    QString problem;
    const QByteArray bytes = render_figure(request_of(plot), model_.answer(), *format, &problem);
    if (bytes.isEmpty()) {
        say(problem);
        return false;
    }
    QSaveFile output(file);
    if (!output.open(QIODevice::WriteOnly) || output.write(bytes) != bytes.size() || !output.commit()) {
        say(tr("%1 cannot be written (%2); choose another place").arg(file, output.errorString()));
        return false;
    }
    session_.set_folder(QFileInfo(file).absolutePath());
    return true;
}

void MainWindow::export_all() {
    const QString folder =
        dialogs_.choose_folder(this, tr("Export all plots into a folder"), session_.folder());
    if (folder.isEmpty()) return;
    int written = 0;
    for (const PlotKind* kind : plot_kinds()) {
        const QString plot = text_of(kind->name);
        for (const char* ending : {"svg", "pdf", "png", "csv"}) {
            const QString file = QStringLiteral("%1.%2").arg(plot, QLatin1String(ending));
            if (!export_plot(plot, QDir(folder).filePath(file))) return;
            ++written;
        }
    }
    say(tr("%n files written to %1", nullptr, written).arg(folder));
}

LivePlot& MainWindow::current_plot() const { return *static_cast<LivePlot*>(tabs_->currentWidget()); }

FigureRequest MainWindow::request_of(const QString& plot) const {
    if (const auto* tab = tabs_->findChild<LivePlot*>(plot)) return tab->request();
    FigureRequest request;
    request.plot = plot.toStdString();
    return request;
}

void MainWindow::say(const QString& message) {
    message_text_->setText(message);
    message_->show();
}

void MainWindow::say_all(const Problems& problems, const QString& file) {
    if (problems.empty()) return;
    QStringList lines;
    for (const Problem& problem : problems) lines << QString::fromStdString(problem.text(file.toStdString()));
    say(lines.join(QLatin1Char('\n')));
}

void MainWindow::refresh_titles() {
    const Scenario& scenario = model_.scenario();
    refresh_picker(*cluster_picker_, tr("Cluster"), scenario.cluster,
                   is_modified(scenario, Group::cluster) || is_modified(scenario, Group::gpu));
    refresh_picker(*model_picker_, tr("Model"), scenario.model, is_modified(scenario, Group::model));
    setWindowTitle(QStringLiteral("%1 – Shardscope").arg(QString::fromStdString(scenario.title())));
}

void MainWindow::explain(Output id) {
    show_side(Side::why);
    why_->show(id);
}

void MainWindow::show_side(Side side) {
    side_wanted_ = side;
    fold_sides(side);
}

void MainWindow::fold_sides(Side shown) {
    why_->setVisible(shown == Side::why);
    why_rail_->setText(tr("Why: %1").arg(text_of(output(why_->current()).label)));
    why_rail_->setVisible(shown != Side::why);
    study_->setVisible(shown == Side::study && study_->study());
    study_rail_->setVisible(shown != Side::study && study_->study());
    // In a small window the plot keeps its room: a study is read beside it.
    side_->setVisible(!study_->isVisibleTo(this) || width() >= kSideFolds);
}

void MainWindow::fold(const QSize& size) {
    const bool compact = size.width() < kCompactBelow;
    controls_->set_compact(compact);
    measured_->set_compact(size.height() < kLowBelow);
    scenarios_->set_window_height(size.height());
    side_->setFixedWidth(compact ? 214 : 262);
    QTabBar* tabs = tabs_->tabBar();
    if (tabs->property("compact").toBool() != compact) {
        tabs->setProperty("compact", compact);
        tabs->style()->unpolish(tabs);
        tabs->style()->polish(tabs);
    }
    fold_sides(size.width() < kSideFolds ? Side::none : side_wanted_);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    fold(event->size());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    session_.set_geometry(saveGeometry());
    keep_session();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() || event->mimeData()->hasText()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    if (event->mimeData()->hasUrls() && !event->mimeData()->urls().isEmpty())
        open(event->mimeData()->urls().first().toLocalFile());
    else if (event->mimeData()->hasText()) {
        const QString what = tr("the dropped text");
        load_text(event->mimeData()->text().toStdString(), what, {}, tr("Load %1").arg(what));
    }
    event->acceptProposedAction();
}

}  // namespace shardscope
