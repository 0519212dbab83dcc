#include "app/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QToolBar>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>

#include "app/about.h"
#include "app/command_line/command_line.h"
#include "app/commands/command.h"
#include "app/documents.h"
#include "app/exports.h"
#include "app/floating_notes.h"
#include "app/help_pages.h"
#include "app/help_window.h"
#include "app/language.h"
#include "app/menu_button.h"
#include "app/message_bar.h"
#include "app/openable.h"
#include "app/pane_line.h"
#include "app/pane_splitter.h"
#include "app/plan_news.h"
#include "app/plot_actions.h"
#include "app/plot_tabs.h"
#include "app/preset_picker.h"
#include "app/session.h"
#include "app/side_panels.h"
#include "app/study_picker.h"
#include "files/scenario_file.h"
#include "text/encode.h"
#include "text/translate.h"
#include "widgets/column.h"
#include "widgets/encode.h"
#include "widgets/panels/controls_panel.h"
#include "widgets/panels/headline.h"
#include "widgets/panels/launch_view.h"
#include "widgets/panels/measured_panel.h"
#include "widgets/panels/memory_bar.h"
#include "widgets/panels/repair_strip.h"
#include "widgets/panels/scenario_table.h"
#include "widgets/panels/solve_panel.h"
#include "widgets/panels/waterfall.h"
#include "widgets/plots/collectives/collectives_plot.h"
#include "widgets/progress_line.h"
#include "widgets/repairs.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kWidthForSidePanels = 1280;  // the panels at the right become rails in a narrower window

const QString kOpenGroups = QStringLiteral("open-groups");
const QString kWhyOpen = QStringLiteral("why-open");
const QString kTableOpen = QStringLiteral("scenarios-open");

}  // namespace

MainWindow::MainWindow(Catalogue& catalogue, Session& session, Dialogs dialogs, QWidget* parent)
    : QMainWindow(parent),
      catalogue_(catalogue),
      session_(session),
      dialogs_(std::move(dialogs)),
      model_(catalogue),
      facts_(catalogue),
      actions_(make_actions(this)),
      launch_([this] { return make_launch_view(); }),
      help_([this] { return new HelpWindow(this); }) {
    setObjectName(QStringLiteral("main-window"));
    setAcceptDrops(true);
    qApp->installEventFilter(this);  // for drags over the fields
    // Qt applies the application's style sheet to a widget and its children each time the widget gets a
    // parent. The style sheet is removed until all widgets have their places, so that it is applied only
    // once.
    const QString sheet = qApp->styleSheet();
    qApp->setStyleSheet({});
    setContextMenuPolicy(Qt::NoContextMenu);
    build_menus();
    build_toolbar();
    build_panes();
    workspace_ = std::make_unique<Workspace>(catalogue_, model_, *tabs_, *sides_);
    documents_ =
        std::make_unique<Documents>(catalogue_, session_, model_, *workspace_, *tabs_, *sides_, *message_);
    plots_ =
        std::make_unique<PlotActions>(PlotActions::Parts{model_, *workspace_, *tabs_, *memory_, *waterfall_,
                                                         *headline_, launch_, *exports_, session_, dialogs_},
                                      *this);
    new CommandLine(
        *controls_->search(), *centralWidget(),
        {model_, *controls_, *tabs_, *plots_, *solve_, help_, *documents_, facts_, actions_, *languages_});
    new PlanNews(model_, *message_, this);
    connect_file_actions();
    connect_edit_actions();
    connect_scenario_actions();
    connect_view_actions();
    connect(&model_, &LiveModel::changed, this, &MainWindow::refresh_titles);
    const auto tint = [this] { tint_actions(actions_, current_theme().text); };
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, tint);
    tint();
    refresh_titles();
    qApp->setStyleSheet(sheet);
    setMinimumSize(1024, 640);
    const QByteArray geometry = session_.geometry();
    fit_to_screen(!geometry.isEmpty() && restoreGeometry(geometry) ? this->geometry() : QRect());
    restore_arrangement();
}

MainWindow::~MainWindow() {
    // Members are destroyed before child widgets, but the panels need the model, so they are deleted first.
    // Hiding them before ends a drag or a number that is being typed.
    hide();
    delete takeCentralWidget();
    // The undo stack sends signals while the model is destroyed, when the actions no longer exist.
    model_.undo_stack()->disconnect(this);
}

void MainWindow::build_menus() {
    using enum ActionId;
    const auto menu = [&](const QString& title, std::initializer_list<ActionId> ids) {
        QMenu* added = menuBar()->addMenu(title);
        for (const ActionId id : ids) added->addAction(actions_.at(id));
        return added;
    };
    QMenu* file = menu(tr("&File"), {new_scenario, open, save, save_as, save_session, save_model, export_plot,
                                     export_all, export_report, launch_settings, quit});
    recent_ = new QMenu(tr("Open &recent"), file);
    recent_->setObjectName(QStringLiteral("menu/recent"));
    file->insertMenu(actions_.at(save), recent_);
    connect(file, &QMenu::aboutToShow, this, &MainWindow::refresh_recent);
    menu(tr("&Edit"), {undo, redo, copy, paste, find_or_do});
    QMenu* view = menu(tr("&View"), {explain, toggle_why, show_table, next_plot, previous_plot});
    QMenu* theme = view->addMenu(tr("T&heme"));
    auto* group = new QActionGroup(this);
    for (const ActionId id : {theme_system, theme_light, theme_dark}) {
        actions_.at(id)->setCheckable(true);
        group->addAction(actions_.at(id));
        theme->addAction(actions_.at(id));
    }
    add_languages(*view->addMenu(tr("&Language")));
    QMenu* scenarios = menu(tr("&Scenario"), {plan_automatic, plan_lock, best_repair, pin, unpin_all,
                                              solve_for, measured_run, rename_model});
    scenarios->addSeparator();
    for (const Preset* preset : catalogue_.all(PresetKind::scenario)) {
        QAction* entry = scenarios->addAction(action_text(text_of(preset->shown_title())));
        entry->setObjectName(QStringLiteral("scenario/") + QString::fromStdString(preset->name));
        connect(entry, &QAction::triggered, this, [this, preset] {
            const QString title = text_of(preset->shown_title());
            // Relative presets are resolved beside its file, which is a preset and must not be overwritten.
            documents_->open_text(
                {preset->text, title, tr("Load %1").arg(title), text_of(preset->path), true});
        });
    }
    menu(tr("&Help"), {help, shortcuts, about});
}

void MainWindow::add_languages(QMenu& menu) {
    languages_ = new QActionGroup(this);
    const auto add = [&](const QString& code, const QString& name) {
        QAction* entry = menu.addAction(name);
        entry->setObjectName(QStringLiteral("language/") + code);
        entry->setCheckable(true);
        entry->setChecked(session_.language() == code);
        languages_->addAction(entry);
        connect(entry, &QAction::triggered, this, [this, code, name] {
            session_.set_language(code);
            message_->report(tr("Language: %1, from the next start.").arg(name));
        });
    };
    add({}, tr("System"));
    for (const QString& code : languages()) add(code, language_name(code));
}

void MainWindow::refresh_recent() {
    recent_->clear();
    for (const QString& file : session_.recent()) {
        QAction* entry = recent_->addAction(action_text(QFileInfo(file).fileName()));
        entry->setToolTip(tool_tip(QDir::toNativeSeparators(file)));
        connect(entry, &QAction::triggered, this, [this, file] { documents_->open(file); });
    }
    recent_->setToolTipsVisible(true);
    recent_->setEnabled(!recent_->isEmpty());
}

void MainWindow::build_toolbar() {
    QToolBar* bar = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("toolbar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setIconSize({16, 16});
    cluster_picker_ = new PresetPicker(PresetKind::cluster, model_, facts_, this);
    model_picker_ = new PresetPicker(PresetKind::model, model_, facts_, this);
    bar->addWidget(cluster_picker_);
    bar->addWidget(model_picker_);
    bar->addWidget(make_study_picker(catalogue_, this,
                                     [this](const Preset& preset) { documents_->open_study(preset); }));
    bar->addSeparator();
    using enum ActionId;
    for (const ActionId id : {undo, redo, pin, solve_for}) bar->addAction(actions_.at(id));
    QToolButton* exports = make_menu_button(QStringLiteral("toolbar/export"), QStringLiteral("export"), this);
    exports->setText(tr("Export"));
    exports->setAccessibleName(tr("Export"));
    exports->setToolTip(tr("Plots, reports and launch settings as files"));
    for (const ActionId id : {export_plot, export_all, export_report, launch_settings})
        exports->menu()->addAction(actions_.at(id));
    // A click exports the plot; the arrow opens the menu of all exports.
    exports->setPopupMode(QToolButton::MenuButtonPopup);
    connect(exports, &QToolButton::clicked, actions_.at(export_plot), &QAction::trigger);
    bar->addWidget(exports);
    auto* between = new QWidget;
    between->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(between);
    bar->addAction(actions_.at(help));
}

void MainWindow::build_panes() {
    auto* whole = new QWidget;
    auto* rows = make_column(whole);

    panes_ = new PaneSplitter(Qt::Horizontal, QStringLiteral("panes"));
    rows->addWidget(panes_, 1);
    controls_ = new ControlsPanel(model_);
    panes_->addWidget(controls_);

    auto* middle = new QWidget;
    auto* middle_rows = make_column(middle);
    headline_ = new Headline(model_);
    auto* repairs = new RepairStrip(model_);
    const auto offer = [this, repairs] {
        actions_.at(ActionId::best_repair)->setEnabled(repairs->has_best());
    };
    connect(repairs, &RepairStrip::repairs_changed, this, offer);
    offer();
    on(ActionId::best_repair, [repairs] { repairs->use_best(); });
    middle_rows->addWidget(headline_);
    middle_rows->addWidget(pane_line(false));
    middle_rows->addWidget(repairs);

    plots_panes_ = new PaneSplitter(Qt::Horizontal, QStringLiteral("plot-panes"));
    tabs_ = new PlotTabs(model_);
    connect(tabs_, &PlotTabs::table_requested, actions_.at(ActionId::show_table), &QAction::trigger);
    connect(tabs_, &PlotTabs::export_requested, actions_.at(ActionId::export_plot), &QAction::trigger);
    connect(tabs_, &PlotTabs::plot_created, this, [this](LivePlot* plot) {
        const auto* collectives = qobject_cast<CollectivesPlot*>(plot);
        if (!collectives) return;
        connect(collectives, &CollectivesPlot::log_requested, this, [this] {
            const QString file = dialogs_.open_file(this, tr("Open a log of nccl-tests"), session_.folder(),
                                                    tr("Logs (*.log *.txt *.out);;All files (*)"));
            if (!file.isEmpty()) documents_->open(file);
        });
    });
    plots_panes_->addWidget(tabs_);
    column_ = new PaneSplitter(Qt::Vertical, QStringLiteral("column"));
    memory_ = new MemoryBar(model_);
    waterfall_ = new Waterfall(model_);
    column_->addWidget(memory_);
    column_->addWidget(waterfall_);
    plots_panes_->addWidget(column_);
    sides_ = new SidePanels(model_, *tabs_);
    plots_panes_->addWidget(sides_);
    plots_panes_->setStretchFactor(0, 1);
    middle_rows->addWidget(plots_panes_, 1);
    panes_->addWidget(middle);
    panes_->setStretchFactor(1, 1);
    for (PaneSplitter* panes : {panes_, plots_panes_, column_})
        connect(panes, &PaneSplitter::reset_requested, this, &MainWindow::share_space);

    rows->addWidget(pane_line(false));
    solve_ = new SolvePanel(model_);
    rows->addWidget(solve_);
    measured_ = new MeasuredPanel(model_);
    rows->addWidget(measured_);
    scenarios_ = new ScenarioTable(model_);
    rows->addWidget(scenarios_);
    auto* notes = new FloatingNotes(*menuBar(), *findChild<QToolBar*>(QStringLiteral("toolbar")), this);
    message_ = new MessageBar;
    connect(message_, &MessageBar::unfolded, notes, &FloatingNotes::set_unfolded);
    notes->add(message_);
    auto* progress = new ProgressLine(QStringLiteral("progress"), tr("Stops this task; nothing is written"));
    notes->add(progress);
    exports_ = new Exports(*message_, *progress, this);
    connect(exports_, &Exports::written, this,
            [this](const QString& file) { session_.set_folder(QFileInfo(file).absolutePath()); });
    setCentralWidget(whole);
    // At first no control has the focus, because the first control would look selected.
    whole->setFocusPolicy(Qt::ClickFocus);
    whole->setFocus();

    connect(&model_, &LiveModel::explanation_requested, sides_, &SidePanels::explain);
    connect(&model_, &LiveModel::definition_requested, this, [this](Term term) { help_->open_term(term); });
    connect(sides_, &SidePanels::shown_changed, this, &MainWindow::update_column_visibility);
    connect(sides_, &SidePanels::study_closed, this, [this] { workspace_->close_study(); });
    connect(sides_, &SidePanels::claim_chosen, this,
            [this](const Claim& claim) { workspace_->load_claim(claim); });
    connect(headline_, &Headline::hypothetical_toggled, this, [this](bool on) {
        waterfall_->set_hypothetical(on);
        tabs_->show_hypothetical(on);
        sides_->set_hypothetical(on);
    });
    connect(scenarios_, &ScenarioTable::measured_requested, actions_.at(ActionId::measured_run),
            &QAction::trigger);
    if (session_.first_use()) welcome();
}

LaunchView* MainWindow::make_launch_view() {
    auto* out = new LaunchView(model_, this);
    connect(out, &LaunchView::save_requested, this,
            [this, out](const QString& name, const std::string& text) {
                const QString file =
                    dialogs_.save_file(out, tr("Save the launch settings"),
                                       session_.folder() + QLatin1Char('/') + name, tr("All files (*)"));
                if (!file.isEmpty()) documents_->write_file(file, text);
            });
    return out;
}

// Shows one hint until the first gesture, pin or undo.
void MainWindow::welcome() {
    scenarios_->set_first_use(true);
    const auto end_first_use = [this] {
        session_.set_first_use(false);
        scenarios_->set_first_use(false);
    };
    connect(&model_, &LiveModel::gesture_ended, this, end_first_use);
    connect(&model_, &LiveModel::pins_changed, this, [this, end_first_use] {
        if (!model_.pins().empty()) end_first_use();
    });
    connect(actions_.at(ActionId::undo), &QAction::triggered, this, end_first_use);
}

template <typename Work>
void MainWindow::on(ActionId id, Work&& work) {
    connect(actions_.at(id), &QAction::triggered, this, std::forward<Work>(work));
}

void MainWindow::connect_file_actions() {
    const QString scenarios =
        tr("All supported files (*.json *.svg *.pdf *.png *.html *.md *.csv *.log *.txt *.out *.toml "
           "*.sh);;All files (*)");
    // A session without pins and study also closes those of the window.
    on(ActionId::new_scenario, [this] {
        message_->hide();
        workspace_->take(SavedSession{SavedScenario(Scenario::first_launch(catalogue_)), {}},
                         tr("New scenario"));
        sides_->explain_first();
    });
    on(ActionId::open, [this, scenarios] {
        if (const QString file =
                dialogs_.open_file(this, tr("Open a scenario"), session_.folder(), scenarios);
            !file.isEmpty())
            documents_->open(file);
    });
    on(ActionId::save, [this] {
        if (workspace_->file().isEmpty()) actions_.at(ActionId::save_as)->trigger();
        else documents_->save(workspace_->file());
    });
    on(ActionId::save_as, [this] {
        const QString suggestion = workspace_->file().isEmpty()
                                       ? session_.folder() + QStringLiteral("/scenario.shardscope.json")
                                       : workspace_->file();
        const QString file =
            dialogs_.save_ending_in(QStringLiteral(".json"), QStringLiteral(".shardscope.json"), this,
                                    tr("Save the scenario"), suggestion, tr("Scenarios (*.json)"));
        if (!file.isEmpty()) documents_->save(file);
    });
    on(ActionId::save_session, [this] {
        const QString file = dialogs_.save_ending_in(
            QStringLiteral(".json"), QStringLiteral(".shardscope-session.json"), this,
            tr("Save the session: the current scenario and all pins"),
            session_.folder() + QStringLiteral("/session.shardscope-session.json"), tr("Sessions (*.json)"));
        if (!file.isEmpty()) documents_->save_session(file);
    });
    on(ActionId::save_model, [this] {
        const QString folder = text_of(commands::preset_folder());
        QDir().mkpath(folder);  // a dialog cannot start in a missing folder
        const Preset* model = model_.scenario().model;
        const QString name = model ? text_of(preset_name_of(model->title)) : QStringLiteral("my-model");
        const QString file = dialogs_.save_ending_in(
            QStringLiteral(".json"), QStringLiteral(".json"), this,
            tr("Save the model as a preset; the file's name becomes the model's name"),
            QStringLiteral("%1/%2.json").arg(folder, name), tr("Presets (*.json)"));
        if (!file.isEmpty()) documents_->save_model(file);
    });
    on(ActionId::rename_model, [this] {
        model_picker_->edit_title([this](const QString& title) {
            Scenario scenario = model_.scenario();
            const std::string name = clean_title(title.trimmed().toStdString());
            scenario.model_name =
                scenario.model && text_of(scenario.model->shown_title()) == title ? "" : name;
            model_.replace(scenario, tr("Rename model"));
        });
    });
    on(ActionId::export_plot, [this] { plots_->ask_to_export(plots_->at_focus(), {}); });
    on(ActionId::export_all, [this] { plots_->export_all(); });
    on(ActionId::export_report, [this] { plots_->ask_for_report(); });
    on(ActionId::launch_settings, [this] { plots_->ask_for_launch_settings(); });
    on(ActionId::quit, [this] { close(); });
}

void MainWindow::connect_edit_actions() {
    QUndoStack* undo = model_.undo_stack();
    // During a gesture, undo takes back the gesture, and redo has nothing to do.
    on(ActionId::undo, [this, undo] {
        model_.end_gesture();
        undo->undo();
    });
    on(ActionId::redo, [this, undo] {
        model_.end_gesture();
        undo->redo();
    });
    const auto refresh_undo = [this, undo] {
        actions_.at(ActionId::undo)->setEnabled(undo->canUndo());
        actions_.at(ActionId::redo)->setEnabled(undo->canRedo());
        actions_.at(ActionId::undo)
            ->setToolTip(undo->canUndo() ? tool_tip(tr("Undo: %1").arg(undo->undoText()))
                                         : tr("Nothing to undo"));
        actions_.at(ActionId::redo)
            ->setToolTip(undo->canRedo() ? tool_tip(tr("Redo: %1").arg(undo->redoText()))
                                         : tr("Nothing to redo"));
    };
    connect(undo, &QUndoStack::indexChanged, this, refresh_undo);
    connect(undo, &QUndoStack::canUndoChanged, this, refresh_undo);
    refresh_undo();
    on(ActionId::copy, [this] {
        QApplication::clipboard()->setText(
            QString::fromStdString(write_scenario(workspace_->readable(model_.scenario()))));
    });
    on(ActionId::paste, [this] {
        const QString what = tr("the clipboard");
        documents_->open_text(
            {QApplication::clipboard()->text().toStdString(), what, tr("Load %1").arg(what), {}});
    });
}

void MainWindow::connect_scenario_actions() {
    on(ActionId::find_or_do, [this] {
        controls_->search()->setFocus(Qt::ShortcutFocusReason);
        controls_->search()->selectAll();
    });
    on(ActionId::plan_automatic, [this] { model_.set_all_automatic(true); });
    on(ActionId::plan_lock, [this] { model_.set_all_automatic(false); });
    on(ActionId::pin, [this] {
        if (model_.pins().size() < kMostPins) model_.pin();
        else message_->report(tr("At most six pins are possible; unpin one first."));
    });
    on(ActionId::unpin_all, [this] { model_.unpin_all(); });
    const auto offer = [this] { actions_.at(ActionId::unpin_all)->setEnabled(!model_.pins().empty()); };
    connect(&model_, &LiveModel::pins_changed, this, offer);
    offer();
    on(ActionId::solve_for, [this] { solve_->ask(); });
    on(ActionId::measured_run, [this] { measured_->ask(); });
}

void MainWindow::connect_view_actions() {
    on(ActionId::show_table, [this] { plots_->show_table(plots_->at_focus()); });
    on(ActionId::explain, [this] { plots_->explain_focus(); });
    on(ActionId::toggle_why, [this] {
        using enum SidePanels::Side;
        sides_->open(sides_->is_open(why) ? none : why);
    });
    on(ActionId::next_plot, [this] { tabs_->step(1); });
    on(ActionId::previous_plot, [this] { tabs_->step(-1); });
    // The actions also have the shortcuts of browsers.
    for (const auto& [id, key] :
         {std::pair{ActionId::next_plot, Qt::Key_PageDown},
          std::pair{ActionId::previous_plot, Qt::Key_PageUp}, std::pair{ActionId::find_or_do, Qt::Key_F}}) {
        actions_.at(id)->setShortcuts({actions_.at(id)->shortcut(), QKeySequence(Qt::CTRL | key)});
    }
    // F1 also works in the program's other windows.
    actions_.at(ActionId::help)->setShortcutContext(Qt::ApplicationShortcut);
    on(ActionId::help, [this] {
        const HelpPage* page = help_page_of(QApplication::focusWidget());
        help_->open_page(*(page ? page : help_page_of(&tabs_->current())));
    });
    on(ActionId::shortcuts, [this] { help_->open_page(*help_page("keyboard")); });
    on(ActionId::about, [this] { show_about(this); });

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

void MainWindow::refresh_titles() {
    const Scenario& scenario = model_.scenario();
    // Without a cluster it is named after its GPUs.
    const Preset* gpu = scenario.cluster ? nullptr : scenario.gpu;
    const std::string per_node = format(P::gpus_per_node, model_.answer().settings[P::gpus_per_node]);
    cluster_picker_->show_preset(tr("Cluster"), scenario.cluster,
                                 is_modified(scenario, Group::cluster) || is_modified(scenario, Group::gpu),
                                 gpu ? per_node + " × " + translate(gpu->title) : std::string());
    model_picker_->show_preset(tr("Model"), scenario.model, is_modified(scenario, Group::model),
                               scenario.model_name);
    setWindowTitle(QStringLiteral("%1 – Shardscope").arg(window_title(text_of(scenario.title()))));
}

// In a small window the memory bar and the waterfall are hidden while a study is open, so that the plot keeps
// its width.
void MainWindow::update_column_visibility() {
    column_->setVisible(!sides_->is_open(SidePanels::Side::study) ||
                        width() >= kWidthForSidePanels * zoom_of(font()));
    share_space();
}

void MainWindow::fold(const QSize& size) {
    const double zoom = zoom_of(font());
    const bool compact = size.width() < kNarrowWindow * zoom;
    measured_->set_compact(size.height() < kLowWindow * zoom);
    scenarios_->set_window_height(static_cast<int>(size.height() / zoom));
    tabs_->set_compact(compact);
    for (PresetPicker* picker : {cluster_picker_, model_picker_}) picker->set_compact(compact);
    fit_tool_bar(size.width());
    sides_->set_narrow(size.width() < kWidthForSidePanels * zoom);
}

// Shows the names of undo and redo beside their icons only where the last action still fits, because a tool
// bar hides what does not.
void MainWindow::fit_tool_bar(int width) {
    auto* bar = findChild<QToolBar*>(QStringLiteral("toolbar"));
    const auto set = [&](Qt::ToolButtonStyle style) {
        for (const ActionId id : {ActionId::undo, ActionId::redo})
            qobject_cast<QToolButton*>(bar->widgetForAction(actions_.at(id)))->setToolButtonStyle(style);
    };
    set(Qt::ToolButtonTextBesideIcon);
    if (bar->sizeHint().width() > width) set(Qt::ToolButtonIconOnly);
}

void MainWindow::share_space() {
    const double zoom = zoom_of(font());
    if (!panes_->is_moved()) {
        const int controls = ControlsPanel::width_for(width(), font());
        panes_->setSizes({controls, std::max(1, width() - controls - panes_->handleWidth())});
    }
    if (!plots_panes_->is_moved()) {
        const int design = width() >= 1440 * zoom ? 288 : 254;
        const int column = static_cast<int>(design * zoom);
        const int sides = sides_->sizeHint().width();
        plots_panes_->setSizes({std::max(1, plots_panes_->width() - column - sides), column, sides});
    }
    if (!column_->is_moved()) {
        // A splitter shares its height in the ratio of these numbers.
        column_->setSizes({1100, 1000});
    }
}

// The window keeps its last place and size, or at the first start has the size for which it is designed; on a
// smaller screen it fills that.
void MainWindow::fit_to_screen(const QRect& last) {
    constexpr QSize kDesign(1440, 900);
    constexpr QMargins kDecorations(4, 36, 4, 4);  // of the window, which are known only after it is shown
    const QRect free = screen()->availableGeometry().marginsRemoved(kDecorations);
    if (isMaximized() || isFullScreen() || free.contains(last)) return;
    const QSize size = last.isValid() ? last.size() : kDesign;
    resize(size.boundedTo(free.size()).expandedTo(minimumSize()));
    if (last.isValid())
        move(std::clamp(last.x(), free.left(), std::max(free.left(), free.right() + 1 - width())),
             std::clamp(last.y(), free.top(), std::max(free.top(), free.bottom() + 1 - height())));
}

void MainWindow::restore_arrangement() {
    for (PaneSplitter* panes : {panes_, plots_panes_, column_}) {
        const QByteArray state = session_.arrangement(panes->objectName()).toByteArray();
        panes->set_moved(!state.isEmpty() && panes->restoreState(state));
    }
    controls_->set_open_groups(session_.arrangement(kOpenGroups).toStringList());
    if (const QVariant unfolded = session_.arrangement(kTableOpen); unfolded.isValid())
        scenarios_->choose(unfolded.toBool());
    constexpr int kWidthForWhy = 1600;
    const QVariant why = session_.arrangement(kWhyOpen);
    const bool open = why.isValid() ? why.toBool() : width() >= kWidthForWhy * zoom_of(font());
    sides_->prefer(open ? SidePanels::Side::why : SidePanels::Side::none);
}

void MainWindow::store_arrangement() {
    for (const PaneSplitter* panes : {panes_, plots_panes_, column_}) {
        session_.set_arrangement(panes->objectName(),
                                 panes->is_moved() ? QVariant(panes->saveState()) : QVariant());
    }
    session_.set_arrangement(kOpenGroups, controls_->open_groups());
    session_.set_arrangement(kWhyOpen, sides_->is_open(SidePanels::Side::why));
    const std::optional<bool> unfolded = scenarios_->chosen();
    session_.set_arrangement(kTableOpen, unfolded ? QVariant(*unfolded) : QVariant());
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    fold(event->size());
}

// Lists, panels and fields have taken the Esc key that was for them. What is left belongs to the fixed ruler,
// and then to the preview of a repair.
void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape) return QMainWindow::keyPressEvent(event);
    if (!tabs_->current().clear_ruler()) Repairs::of(model_).preview(nullptr);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    session_.set_geometry(saveGeometry());
    store_arrangement();
    documents_->autosave();
    QMainWindow::closeEvent(event);
}

// Passes every drag to the window, because a field would take a scenario's text for a value. Qt offers a drag
// that a widget ignores to its parent.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::DragEnter && watched != this && watched->isWidgetType() &&
        static_cast<QWidget*>(watched)->window() == this) {
        event->ignore();
        return true;
    }
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() || event->mimeData()->hasText()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    documents_->drop(*event->mimeData());
    event->acceptProposedAction();
}

}  // namespace shardscope
