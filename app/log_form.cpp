#include "app/log_form.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "scenario/with_preset.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

QString name_of(const MissingInput& input) {
    return QStringLiteral("log-form/") +
           QString::fromLatin1(input.key.data(), static_cast<qsizetype>(input.key.size()));
}

QComboBox* list_of(const std::vector<const Preset*>& presets, const Preset* current) {
    auto* list = new QComboBox;
    for (const Preset* preset : presets) {
        list->addItem(text_of(preset->title), text_of(preset->name));
        if (preset == current) list->setCurrentIndex(list->count() - 1);
    }
    return list;
}

}  // namespace

LogForm::LogForm(const QString& log, const std::vector<MissingInput>& missing, const Scenario& current,
                 Take take, QWidget* parent)
    : QDialog(parent), catalogue_(*current.catalogue), take_(std::move(take)) {
    setObjectName(QStringLiteral("log-form"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("What the log does not state"));
    auto* form = new QFormLayout(this);
    auto* what =
        new QLabel(tr("%1 does not state the following inputs, and a prediction needs them. The values "
                      "are those of the current scenario.")
                       .arg(log));
    what->setWordWrap(true);
    what->setTextFormat(Qt::PlainText);
    form->addRow(what);
    const Settings settings = resolve(current);
    for (const MissingInput& input : missing) {
        Row row{input};
        QWidget* field = nullptr;
        if (input.preset) {
            const Preset* now = *input.preset == PresetKind::model ? current.model : current.cluster;
            field = row.preset = list_of(catalogue_.all(*input.preset), now);
            if (*input.preset == PresetKind::model && !current.model_name.empty()) {
                row.preset->insertItem(0, text_of(current.model_name));
                row.preset->setCurrentIndex(0);
            }
            row.shown = row.preset->currentData().toString();
        } else {
            row.shown = text_of(format(input.parameter, settings[input.parameter]));
            field = row.value = new QLineEdit(row.shown);
        }
        field->setObjectName(name_of(input));
        field->setAccessibleName(text_of(input.label));
        form->addRow(text_of(input.label), field);
        if (rows_.empty()) field->setFocus();
        rows_.push_back(row);
    }
    problem_ = new QLabel;
    problem_->setObjectName(QStringLiteral("log-form/problem"));
    problem_->setWordWrap(true);
    problem_->setTextFormat(Qt::PlainText);
    problem_->hide();
    form->addRow(problem_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton* open = buttons->addButton(tr("&Open run"), QDialogButtonBox::AcceptRole);
    open->setObjectName(QStringLiteral("log-form/open"));
    form->addRow(buttons);
    open->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &LogForm::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &LogForm::reject);
}

// Returns whether the field is unchanged and the run already has its value from the current scenario: a
// preset would remove what was changed in it, and a text has fewer digits.
bool LogForm::keeps(const Row& row, const Scenario& scenario) {
    if (row.preset) return row.preset->currentData().toString() == row.shown;
    const P id = row.input.parameter;
    return row.value->text() == row.shown && !scenario.automatic[index(id)] &&
           text_of(format(id, resolve(scenario)[id])) == row.shown;
}

void LogForm::complete(Scenario& scenario, Problems& problems) const {
    for (const Row& row : rows_) {
        if (keeps(row, scenario)) continue;
        if (row.preset) {
            const std::string name = row.preset->currentData().toString().toStdString();
            const Preset* preset = catalogue_.find(*row.input.preset, name);
            // What the log states stays as it is. The list may be empty.
            if (preset) scenario = with_preset(scenario, *preset);
            continue;
        }
        const Parsed parsed = parse(row.input.parameter, row.value->text().toStdString(), true);
        if (parsed.ok) scenario = assigned(scenario, row.input.parameter, parsed.value);
        else problems.push_back({row.input.label, parsed.problem, "", parsed.suggestion});
    }
}

void LogForm::accept() {
    const Problems problems =
        take_([this](Scenario& scenario, Problems& found) { complete(scenario, found); });
    if (problems.empty()) {
        QDialog::accept();
        return;
    }
    problem_->setText(text_of(texts_of(problems)));
    problem_->show();
    adjustSize();
}

}  // namespace shardscope
