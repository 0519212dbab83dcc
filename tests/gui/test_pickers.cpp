// Tests the lists of clusters and models: search, key numbers, sorting, keyboard, and the offer of a plan
// that fits.
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QTemporaryDir>
#include <QTreeWidget>
#include <QUndoStack>

#include "explore/plan_report.h"
#include "support/desk.h"
#include "support/german.h"
#include "widgets/panels/memory_bar.h"
#include "widgets/panels/repair_button.h"
#include "widgets/panels/repair_strip.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/repairs.h"

namespace shardscope::testing {
namespace {

class Picker {
  public:
    Picker(Desk& desk, const char* kind)
        : picker_(*desk.find<PresetPicker>(QStringLiteral("picker/") + QLatin1String(kind))),
          search_(*picker_.list().findChild<QLineEdit*>()),
          list_(*picker_.list().findChild<QTreeWidget*>()),
          detail_(*picker_.list().findChild<QLabel*>()) {}

    void open() {
        QTest::mouseClick(&picker_, Qt::LeftButton);
        REQUIRE(picker_.list().isVisible());
        REQUIRE(search_.hasFocus());
    }
    void type(const QString& words) { QTest::keyClicks(&search_, words); }
    void press(Qt::Key key) { QTest::keyClick(&search_, key); }
    // Opens the list, types the words and closes it.
    std::vector<const Preset*> found(const QString& words) {
        open();
        type(words);
        const std::vector<const Preset*> out = shown();
        press(Qt::Key_Escape);
        CHECK_FALSE(picker_.list().isVisible());
        return out;
    }
    std::vector<const Preset*> shown() {
        std::vector<const Preset*> out;
        for (QTreeWidgetItemIterator it(&list_, QTreeWidgetItemIterator::NotHidden); *it; ++it)
            out.push_back(picker_.list().preset_of(*it));
        return out;
    }
    QStringList row_of(const char* name) {
        for (QTreeWidgetItemIterator it(&list_); *it; ++it) {
            if (picker_.list().preset_of(*it)->name != name) continue;
            QStringList out;
            for (int i = 0; i < list_.columnCount(); ++i) out << (*it)->text(i);
            return out;
        }
        return {};
    }
    [[nodiscard]] const Preset* chosen() const { return picker_.list().preset_of(list_.currentItem()); }
    [[nodiscard]] QString detail() const { return detail_.text(); }
    void sort_by(int column) {
        QHeaderView& header = *list_.header();
        const int x = header.sectionViewportPosition(column) + header.sectionSize(column) / 2;
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, QPoint(x, header.height() / 2));
    }
    [[nodiscard]] bool is_open() const { return picker_.list().isVisible(); }
    [[nodiscard]] QString text() const { return picker_.accessibleName(); }
    [[nodiscard]] PresetPicker& button() { return picker_; }

  private:
    PresetPicker& picker_;
    QLineEdit& search_;
    QTreeWidget& list_;
    QLabel& detail_;
};

bool has(const std::vector<const Preset*>& presets, const char* name) {
    return std::ranges::any_of(presets, [&](const Preset* one) { return one->name == name; });
}

}  // namespace

TEST_CASE("pickers: clusters are found by GPU, memory, year and network", "[gui][pickers]") {
    Desk desk;
    Picker clusters(desk, "cluster");
    const auto h200 = clusters.found(QStringLiteral("h200"));
    CHECK(has(h200, "dgx-h200"));
    CHECK(has(h200, "aws-p5e"));
    for (const Preset* one : h200) CHECK(one->gpu->name == "h200-sxm-141gb");
    for (const char* words : {"80 GB", "80gb", "80"}) {
        INFO(words);
        const auto found = clusters.found(QLatin1String(words));
        CHECK(has(found, "dgx-h100"));
        CHECK(has(found, "dgx-a100-80gb"));
        for (const Preset* one : found) CHECK(one->gpu->title.find("80 GB") != std::string::npos);
    }
    const auto large = clusters.found(QStringLiteral("141"));
    CHECK(has(large, "dgx-h200"));
    CHECK_FALSE(has(large, "dgx-h100"));
    const auto recent = clusters.found(QStringLiteral("2024"));
    CHECK(has(recent, "dgx-b200"));
    for (const Preset* one : recent) CHECK(one->gpu->year == 2024);
    const auto slingshot = clusters.found(QStringLiteral("slingshot"));
    CHECK(has(slingshot, "alps"));
    CHECK(has(slingshot, "frontier"));
    CHECK_FALSE(has(slingshot, "dgx-h100"));
    const auto fast = clusters.found(QStringLiteral("h100 400 Gbit/s"));
    CHECK(has(fast, "dgx-h100"));
    for (const Preset* one : fast) CHECK(one->gpu->title.find("H100") != std::string::npos);
    clusters.open();
    clusters.type(QStringLiteral("abacus"));
    CHECK(clusters.shown().empty());
    CHECK(clusters.detail().contains(QStringLiteral("Nothing is found")));
    clusters.press(Qt::Key_Return);  // takes nothing
    CHECK(clusters.is_open());
}

TEST_CASE("pickers: no column is cut on a screen of 1024 pixels", "[gui][pickers]") {
    const bool german = GENERATE(false, true);
    const German language(german);
    Desk desk;
    for (const char* kind : {"cluster", "model"}) {
        INFO(kind << (german ? ", German" : ""));
        Picker picker(desk, kind);
        picker.open();
        const PresetList& list = picker.button().list();
        list.fold_columns(1024);
        CHECK(list.wanted_width() > 500);
        CHECK(list.wanted_width() <= 1024);
        // All columns are there.
        const auto* columns = list.findChild<QTreeWidget*>();
        REQUIRE(columns);
        for (int column = 0; column < columns->columnCount(); ++column) {
            INFO(column);
            CHECK_FALSE(columns->isColumnHidden(column));
        }
        picker.press(Qt::Key_Escape);
    }
}

TEST_CASE("pickers: a long title takes the place of the kind on its button", "[gui][pickers]") {
    Desk desk;
    desk.window.resize(1024, 700);
    const auto text_with = [&](const char* kind, PresetKind of, const char* name) {
        const Preset& preset = *desk.window.model().catalogue().find(of, name);
        if (of == PresetKind::model) desk.window.model().apply_model(preset);
        else desk.window.model().apply_cluster(preset);
        return desk.find<PresetPicker>(QStringLiteral("picker/") + QLatin1String(kind))->text();
    };
    CHECK(text_with("cluster", PresetKind::cluster, "dgx-h100") == QStringLiteral("Cluster  DGX H100"));
    CHECK(text_with("cluster", PresetKind::cluster, "dgx-a100-40gb") == QStringLiteral("DGX A100 40 GB"));
    CHECK(text_with("model", PresetKind::model, "llama-3-70b") == QStringLiteral("Llama 3 70B"));
}

TEST_CASE("pickers: models are found by family, size, kind and year", "[gui][pickers]") {
    Desk desk;
    Picker models(desk, "model");
    const auto llama = models.found(QStringLiteral("llama 70b"));
    CHECK(llama.size() == 2);
    CHECK(has(llama, "llama-2-70b"));
    CHECK(has(llama, "llama-3-70b"));
    for (const char* words : {"moe", "experts"}) {
        INFO(words);
        const auto experts = models.found(QLatin1String(words));
        CHECK(has(experts, "mixtral-8x7b"));
        CHECK(has(experts, "deepseek-v3"));
        CHECK_FALSE(has(experts, "llama-3-70b"));
    }
    const auto hybrid = models.found(QStringLiteral("hybrid"));
    CHECK(has(hybrid, "nemotron-h-56b"));
    CHECK(has(hybrid, "qwen3-next-80b-a3b"));
    CHECK_FALSE(has(hybrid, "mixtral-8x7b"));
    const auto dense = models.found(QStringLiteral("dense 2023"));
    CHECK(has(dense, "llama-2-7b"));
    for (const Preset* one : dense) CHECK(one->year == 2023);
}

TEST_CASE("pickers: the key numbers are the published ones", "[gui][pickers]") {
    Desk desk;
    Picker models(desk, "model");
    models.open();
    // Jiang et al. 2024, arXiv 2401.04088: 46.7 B parameters, 12.9 B of them active.
    CHECK(models.row_of("mixtral-8x7b").join(QLatin1Char('|')).toStdString() ==
          "Mixtral 8x7B|46.7 B|12.9 B|experts|32 × 4,096|32,768|2023|compared");
    CHECK(models.row_of("llama-3-70b").join(QLatin1Char('|')).toStdString() ==
          "Llama 3 70B|70.6 B|–|dense|80 × 8,192|8,192|2024|compared");
    // GPT-2 learns 1,024 positions; ALiBi has no limit.
    CHECK(models.row_of("gpt2-1.5b").at(5) == QStringLiteral("1,024"));
    CHECK(models.row_of("bloom-176b").at(5) == QStringLiteral("–"));
    models.press(Qt::Key_Escape);
    Picker clusters(desk, "cluster");
    clusters.open();
    CHECK(clusters.row_of("dgx-h100").join(QLatin1Char('|')).toStdString() ==
          "DGX H100|8 × H100 SXM 80 GB|79.1|990|450.0|400.0|2022|compared");
    clusters.press(Qt::Key_Escape);
}

TEST_CASE("pickers: the keyboard opens, searches, chooses, takes and cancels", "[gui][pickers]") {
    Desk desk;
    Picker clusters(desk, "cluster");
    QUndoStack& undo = *desk.window.model().undo_stack();
    const Scenario start = desk.window.model().scenario();
    QTest::keyClick(&clusters.button(), Qt::Key_Down);
    REQUIRE(clusters.is_open());
    // The current cluster is chosen first.
    CHECK(clusters.chosen()->name == "dgx-h100");
    CHECK(clusters.detail().contains(QStringLiteral("current one")));
    clusters.type(QStringLiteral("h200"));
    const Preset* first = clusters.chosen();
    CHECK(first->gpu->name == "h200-sxm-141gb");
    clusters.press(Qt::Key_Down);
    const Preset* second = clusters.chosen();
    CHECK(second != first);
    // The line below predicts what the choice would do.
    CHECK(clusters.detail().contains(QStringLiteral("MFU ")));
    clusters.press(Qt::Key_Return);
    CHECK_FALSE(clusters.is_open());
    CHECK(desk.window.model().scenario().cluster == second);
    CHECK(clusters.text().contains(QString::fromStdString(second->title)));
    CHECK(undo.count() == 1);
    QTest::keySequence(&desk.window, QKeySequence::Undo);
    CHECK(desk.window.model().scenario() == start);
    clusters.open();
    clusters.type(QStringLiteral("frontier"));
    clusters.press(Qt::Key_Escape);
    CHECK_FALSE(clusters.is_open());
    CHECK(desk.window.model().scenario() == start);
}

TEST_CASE("pickers: a click on a column's title sorts by its number", "[gui][pickers]") {
    Desk desk;
    Picker clusters(desk, "cluster");
    clusters.open();
    const auto memory = [](const Preset* cluster) {
        return resolve(with_cluster(Scenario::first_launch(commands::catalogue()), *cluster))[P::memory];
    };
    clusters.sort_by(2);
    auto sorted = clusters.shown();
    REQUIRE(sorted.size() > 40);
    CHECK(std::ranges::is_sorted(sorted, {}, memory));
    clusters.sort_by(2);
    sorted = clusters.shown();
    CHECK(std::ranges::is_sorted(sorted, std::greater{}, memory));
    clusters.press(Qt::Key_Escape);
}

TEST_CASE("pickers: a machine on which nothing fits comes with the best repair, one key away",
          "[gui][pickers]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    auto* strip = desk.find<RepairStrip>("repairs");
    QAction* repair = desk.window.action(ActionId::best_repair);
    CHECK_FALSE(repair->isEnabled());
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/llama-2-70b"));
    desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/dgx-a100-40gb"));
    REQUIRE(desk.estimate().verdict == Verdict::does_not_fit);
    CHECK(strip->isVisible());
    REQUIRE(QTest::qWaitFor([&] { return !strip->pending(); }, kBackgroundTimeout));
    const SavedScenario before = model.scenario();
    // The best of all plans is named with its MFU, and no single change of this job has a higher one.
    const auto* button = desk.find<RepairButton>("repair/plan");
    CHECK(button->isVisible());
    CHECK(button->focusPolicy() == Qt::StrongFocus);
    const auto mfu_of = [](const QString& words) {
        return first_number(words.section(QStringLiteral("MFU "), 1));
    };
    const double best = mfu_of(button->accessibleName());
    CHECK(best > 20);
    for (const auto* other : desk.window.findChildren<RepairButton*>()) {
        if (!other->isEnabled() || other->objectName().isEmpty()) continue;
        const auto id = find_parameter(other->objectName().section(QLatin1Char('/'), 1).toStdString());
        if (id && parameter(*id).of_plan()) CHECK(mfu_of(other->accessibleName()) <= best);
    }
    // The key applies the best of all repairs, which may be another machine.
    const Repair first = *best_of(Repairs::of(model).all());
    CHECK(100 * first.mfu >= Approx(best).margin(0.06));
    REQUIRE(repair->isEnabled());
    const int steps = model.undo_stack()->count();
    QTest::keyClick(&desk.window, Qt::Key_R, Qt::ControlModifier);
    QApplication::processEvents();
    CHECK(desk.estimate().fits());
    CHECK(desk.estimate().mfu == first.mfu);
    CHECK(model.undo_stack()->count() == steps + 1);
    CHECK_FALSE(repair->isEnabled());
    QTest::keySequence(&desk.window, QKeySequence::Undo);
    CHECK(model.scenario() == before);
}

TEST_CASE("repairs: none moves under the pointer when the search ends", "[gui][pickers]") {
    Desk desk;
    desk.window.resize(1366, 768);
    LiveModel& model = desk.window.model();
    auto* strip = desk.find<RepairStrip>("repairs");
    model.edit(P::sequence_length, 10752);
    QApplication::processEvents();
    REQUIRE(strip->pending());
    REQUIRE(desk.find<RepairButton>("repair/plan")->isVisible());
    const auto shown = [&] {
        std::map<int, QString> out;
        for (const auto* button : strip->findChildren<RepairButton*>())
            if (button->isVisible()) out[button->x()] = button->objectName();
        return out;
    };
    const std::map<int, QString> before = shown();
    strip->setAttribute(Qt::WA_UnderMouse);
    REQUIRE(QTest::qWaitFor([&] { return !strip->pending(); }, kBackgroundTimeout));
    CHECK(shown() == before);
    // Without the pointer on them they are ranked.
    strip->setAttribute(Qt::WA_UnderMouse, false);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(strip, &leave);
    const Repair& first = Repairs::of(model).all().front();
    CHECK(shown().begin()->second == QStringLiteral("repair/") + (first.id ? text_of(parameter(*first.id).key)
                                                                           : QStringLiteral("plan")));
}

TEST_CASE("repairs: the pointer on one shows its result in the plot and the memory bar, before a click",
          "[gui][pickers]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/llama-2-70b"));
    desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/dgx-a100-40gb"));
    REQUIRE(
        QTest::qWaitFor([&] { return !desk.find<RepairStrip>("repairs")->pending(); }, kBackgroundTimeout));
    const Scenario before = model.scenario();
    const auto& plot = desk.find<ScalingPlot>("scaling")->figure().data();
    const auto& bar = desk.find<MemoryBar>("memory-bar")->data();
    // Plot and Why show the best of all repairs.
    const Repair best = *Repairs::of(model).shown();
    CHECK(best.label == best_of(Repairs::of(model).all())->label);
    CHECK(plot.repair == best.label);
    CHECK(desk.text("why/fix") == QString::fromStdString(best.label));
    CHECK_FALSE(bar.repaired.has_value());
    const Repair* other = nullptr;
    for (const Repair& repair : Repairs::of(model).all()) {
        if (repair.works && repair.id) other = &repair;
    }
    REQUIRE(other);
    auto* button = desk.find<RepairButton>(("repair/" + std::string(parameter(*other->id).key)).c_str());
    const Repair pointed = *other;
    QEnterEvent enter(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5));
    QApplication::sendEvent(button, &enter);
    CHECK(plot.repair == pointed.label);
    CHECK(plot.repaired.size() > 1);
    REQUIRE(bar.repaired);
    CHECK(bar.repaired->peak == pointed.peak);
    CHECK(bar.repaired->capacity == bar.capacity);
    CHECK(model.scenario() == before);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(button, &leave);
    CHECK(plot.repair == best.label);
    CHECK_FALSE(bar.repaired.has_value());

    // A repair that does not work has no result to show, and says why it is disabled.
    const auto& all = Repairs::of(model).all();
    const auto none = std::ranges::find_if(all, [](const Repair& one) { return !one.works && one.id; });
    REQUIRE(none != all.end());
    auto* disabled = desk.find<RepairButton>(("repair/" + std::string(parameter(*none->id).key)).c_str());
    REQUIRE_FALSE(disabled->isEnabled());
    CHECK(disabled->toolTip().contains(QString::fromStdString(none->result)));
    CHECK(disabled->toolTip().contains(QStringLiteral("It is disabled")));
    QApplication::sendEvent(disabled, &enter);
    CHECK(Repairs::of(model).shown() == nullptr);
    CHECK(plot.repair.empty());
    CHECK(plot.repaired.empty());
    CHECK_FALSE(bar.repaired.has_value());
    QApplication::sendEvent(disabled, &leave);
    CHECK(plot.repair == best.label);

    // A repair by more memory raises the limit, which the plot and the bar show.
    auto* larger = desk.find<RepairButton>("repair/cluster.gpu.memory");
    QApplication::sendEvent(larger, &enter);
    REQUIRE(bar.repaired);
    CHECK(bar.repaired->capacity > bar.capacity);
    CHECK(bar.top > bar.repaired->capacity);
    CHECK(plot.repair_raises_limit());
    CHECK(plot.repaired_capacity == bar.repaired->capacity);
    CHECK(desk.find<ScalingPlot>("scaling")->figure().y_range().to * kGiB > plot.repaired_capacity);
}

TEST_CASE("pickers: an imported model keeps its name, warns, and is saved under a new one",
          "[gui][pickers]") {
    const QTemporaryDir folder;
    QString asked;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString&, const QString&) { return asked; };
    Desk desk(dialogs);
    LiveModel& model = desk.window.model();
    QDir(folder.path()).mkdir(QStringLiteral("Acme-7B"));
    QFile config(folder.filePath(QStringLiteral("Acme-7B/config.json")));
    REQUIRE(config.open(QIODevice::WriteOnly));
    config.write(R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
                     "max_position_embeddings": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
                     "num_key_value_heads": 32, "vocab_size": 32000})");
    config.close();
    desk.drop(config.fileName());
    Picker models(desk, "model");
    CHECK(models.text().endsWith(QStringLiteral("Acme-7B")));
    CHECK(has(models.found(QStringLiteral("acme")), "acme-7b"));
    const auto sentence = [&] { return desk.find<QWidget>("headline/sentence")->toolTip(); };
    CHECK_FALSE(sentence().contains(QStringLiteral("4,096 positions")));
    desk.type("training.sequence_length", QStringLiteral("8192"));
    CHECK(sentence().contains(QStringLiteral("the context of Acme-7B, 4,096 positions")));
    // A changed model is saved with its changes.
    desk.type("model.layers", QStringLiteral("40"));
    CHECK(models.text().contains(QStringLiteral("(modified)")));
    const Scenario before = model.scenario();
    asked = folder.filePath(QStringLiteral("Acme Deep"));
    desk.choose(ActionId::save_model);
    CHECK(models.text().endsWith(QStringLiteral("Acme Deep")));
    CHECK(model.answer().settings[P::layers] == 40);
    CHECK(has(models.found(QStringLiteral("acme deep")), "acme-deep"));
    CHECK(desk.text("message/text").contains(folder.filePath(QStringLiteral("Acme Deep.json"))));
    QTest::keySequence(&desk.window, QKeySequence::Undo);
    CHECK(model.scenario() == before);
    // A name needs a letter or a digit, and a folder that exists.
    asked = folder.filePath(QStringLiteral("….json"));
    desk.choose(ActionId::save_model);
    CHECK(desk.text("message/text").contains(QStringLiteral("letters or digits")));
    asked = folder.filePath(QStringLiteral("missing/a.json"));
    desk.choose(ActionId::save_model);
    CHECK(desk.text("message/text").contains(QStringLiteral("missing/a.json")));
    CHECK(model.scenario() == before);
}

TEST_CASE("a modified model is called so in the window's title and in the heading of figures",
          "[gui][pickers]") {
    Desk desk;
    const auto heading = [&] {
        FigureRequest request;
        request.plot = "scaling";
        return page_title(request, desk.window.model().answer());
    };
    CHECK(desk.window.windowTitle().startsWith(QStringLiteral("MPT-13B on 64")));
    CHECK_FALSE(heading().contains(QStringLiteral("modified")));
    desk.type("model.layers", QStringLiteral("48"));
    CHECK(desk.window.windowTitle().startsWith(QStringLiteral("MPT-13B (modified) on 64")));
    CHECK(heading().contains(QStringLiteral("MPT-13B (modified) on 64")));
    QTest::keySequence(&desk.window, QKeySequence::Undo);
    CHECK(desk.window.windowTitle().startsWith(QStringLiteral("MPT-13B on 64")));
}

TEST_CASE("the model can be renamed in its place in the tool bar", "[gui][pickers]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    const auto rename = [&](const QString& name, Qt::Key end) {
        desk.choose(ActionId::rename_model);
        auto* field = desk.find<QLineEdit>(QStringLiteral("picker/model/title"));
        REQUIRE(field->isVisible());
        REQUIRE(field->hasFocus());
        QTest::keyClicks(field, name);
        QTest::keyClick(field, end);
        QApplication::processEvents();
    };
    const Scenario before = model.scenario();
    rename(QStringLiteral("Acme Wide"), Qt::Key_Escape);
    CHECK(model.scenario() == before);
    rename(QStringLiteral("Acme Wide"), Qt::Key_Return);
    CHECK(model.scenario().model_name == "Acme Wide");
    CHECK(Picker(desk, "model").text().contains(QStringLiteral("Acme Wide")));
    CHECK(desk.window.windowTitle().startsWith(QStringLiteral("Acme Wide on 64")));
    CHECK(model.undo_stack()->count() == 1);
    // Without a name it has that of its preset.
    rename(QString(QLatin1Char(' ')), Qt::Key_Return);
    CHECK(model.scenario() == before);
}

}  // namespace shardscope::testing
