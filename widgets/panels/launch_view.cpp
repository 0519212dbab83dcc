#include "widgets/panels/launch_view.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/live_model.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kPadding = 12;
constexpr int kNotesHeight = 132;  // maximum; longer notes scroll
constexpr int kBar = 12;           // kept free for the scroll bar

QLabel* label(const char* name) {
    auto* out = new QLabel;
    out->setObjectName(QLatin1String(name));
    out->setTextFormat(Qt::PlainText);
    out->setWordWrap(true);
    out->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return out;
}

// Returns "mpt-13b-on-16384-h100" for "MPT-13B on 16,384 H100", which needs no quotes in a shell.
QString as_file_name(const QString& title) {
    constexpr int kMost = 80;
    QString out;
    for (const QChar c : title.toLower()) {
        if (c == QLatin1Char(',')) continue;
        const bool kept = c.isLetterOrNumber() || (c == QLatin1Char('.') && !out.isEmpty());
        if (kept) out += c;
        else if (!out.isEmpty() && !out.endsWith(QLatin1Char('-'))) out += QLatin1Char('-');
    }
    out.truncate(kMost);
    while (out.endsWith(QLatin1Char('-')) || out.endsWith(QLatin1Char('.'))) out.chop(1);
    return out;
}

}  // namespace

LaunchView::LaunchView(const LiveModel& model, QWidget* parent)
    : QDialog(parent),
      model_(model),
      tools_(new QTabBar),
      command_(label("launch/command")),
      text_(new QPlainTextEdit),
      notes_title_(label("launch/notes-title")),
      notes_(label("launch/notes")),
      notes_area_(new QScrollArea),
      copy_(new QPushButton(tr("&Copy"))),
      save_(new QPushButton(tr("&Save…"))) {
    setObjectName(QStringLiteral("launch"));
    setWindowTitle(tr("Launch settings"));
    tools_->setObjectName(QStringLiteral("launch/tools"));
    tools_->setAccessibleName(tr("Training tool"));
    tools_->setDrawBase(false);
    tools_->setExpanding(false);
    for (const LaunchFormat* format : launch_formats()) tools_->addTab(text_of(format->label));
    text_->setObjectName(QStringLiteral("launch/text"));
    text_->setAccessibleName(tr("Launch settings"));
    text_->setAccessibleDescription(tr("The scenario as settings of the tool chosen above"));
    text_->setReadOnly(true);
    text_->setLineWrapMode(QPlainTextEdit::NoWrap);
    command_->setAccessibleName(tr("Command that starts it"));
    notes_->setAccessibleName(tr("What the tool cannot express"));
    notes_->setAlignment(Qt::AlignTop);
    notes_->setTextFormat(Qt::RichText);
    notes_area_->setObjectName(QStringLiteral("launch/notes-area"));
    notes_area_->setAccessibleName(tr("Notes"));
    notes_area_->setFrameShape(QFrame::NoFrame);
    notes_area_->setWidgetResizable(true);
    notes_area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    notes_area_->setWidget(notes_);
    copy_->setObjectName(QStringLiteral("launch/copy"));
    save_->setObjectName(QStringLiteral("launch/save"));
    copy_->setToolTip(tr("Copies the whole text"));
    save_->setToolTip(tr("Writes the text to a file"));
    copy_->setAutoDefault(false);
    save_->setAutoDefault(false);

    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(kPadding, kPadding, kPadding, kPadding);
    rows->setSpacing(8);
    rows->addWidget(tools_);
    rows->addWidget(text_, 1);
    auto* below = new QHBoxLayout;
    below->addWidget(command_, 1);
    below->addWidget(copy_);
    below->addWidget(save_);
    rows->addLayout(below);
    rows->addWidget(notes_title_);
    rows->addWidget(notes_area_);
    // All tools have their names in the row.
    resize(std::max(760, tools_->sizeHint().width() + 2 * kPadding), 700);

    connect(tools_, &QTabBar::currentChanged, this, &LaunchView::refresh);
    connect(&model_, &LiveModel::changed, this, [this] {
        if (isVisible()) refresh();
    });
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(text_->toPlainText()); });
    connect(save_, &QPushButton::clicked, this,
            [this] { Q_EMIT save_requested(file_name(), text_->toPlainText().toStdString()); });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &LaunchView::restyle);
    restyle();
}

const LaunchFormat& LaunchView::tool() const {
    return *launch_formats()[static_cast<std::size_t>(tools_->currentIndex())];
}

QString LaunchView::file_name() const {
    QString usual = text_of(tool().file_name);
    QString name = as_file_name(text_of(answer().scenario.title()));
    if (name.isEmpty()) return usual;
    const QString ending = QFileInfo(usual).suffix();
    // The name of a Python module must be an identifier.
    if (ending == QLatin1String("py"))
        name = QStringLiteral("wrap_") +
               name.replace(QLatin1Char('-'), QLatin1Char('_')).replace(QLatin1Char('.'), QLatin1Char('_'));
    return name + QLatin1Char('.') + ending;
}

const Answer& LaunchView::answer() const { return other_ ? *other_ : model_.answer(); }

void LaunchView::ask(const std::optional<Scenario>& other) {
    other_ = other ? std::optional(shardscope::answer(*other)) : std::nullopt;
    setWindowTitle(other_ ? tr("Launch settings of the chosen plan") : tr("Launch settings"));
    if (!isVisible() && answer().valid()) {
        const auto& formats = launch_formats();
        for (std::size_t i = 0; i < formats.size(); ++i) {
            if (formats[i] == launch_format_for(answer().settings))
                tools_->setCurrentIndex(static_cast<int>(i));
        }
    }
    refresh();
    show();
    raise();
    activateWindow();
    text_->setFocus();
}

void LaunchView::showEvent(QShowEvent* event) {
    refresh();
    QDialog::showEvent(event);
}

void LaunchView::refresh() {
    const Answer& answer = this->answer();
    const QString tool_name = text_of(tool().label);
    LaunchText launch;
    QStringList notes;
    if (answer.valid()) {
        launch = tool().write_as(answer, file_name().toStdString());
        for (const std::string& note : launch.notes) notes << QString::fromStdString(note);
    } else {
        for (const Problem& problem : answer.problems) notes << QString::fromStdString(problem.text());
    }
    const QString text = QString::fromStdString(launch.text);
    if (text != text_->toPlainText()) {
        // The scroll position stays the same while values change.
        const int at = text_->verticalScrollBar()->value();
        text_->setPlainText(text);
        text_->verticalScrollBar()->setValue(at);
    }
    command_->setText(launch.command.empty() ? QString()
                                             : tr("Start: %1").arg(QString::fromStdString(launch.command)));
    command_->setVisible(!launch.command.empty());
    copy_->setEnabled(!text.isEmpty());
    save_->setEnabled(!text.isEmpty());
    tell(!answer.valid()   ? tr("The scenario cannot run:")
         : notes.isEmpty() ? tr("%1 can express the whole plan.").arg(tool_name)
                           : tr("What %1 cannot express, or reads from another place:").arg(tool_name),
         notes);
}

void LaunchView::tell(const QString& title, const QStringList& notes) {
    notes_title_->setText(title);
    QString items;
    for (const QString& note : notes) items += QStringLiteral("<li>%1</li>").arg(html_text(note));
    notes_->setText(QStringLiteral("<ul style='margin:0; margin-left:-24px'>%1</ul>").arg(items));
    notes_area_->setVisible(!notes.isEmpty());
    fit_notes();
}

// Makes the notes as high as their text, up to kNotesHeight.
void LaunchView::fit_notes() {
    notes_area_->setFixedHeight(
        std::min(kNotesHeight, notes_->heightForWidth(std::max(200, width() - 2 * kPadding - kBar)) + 2));
}

void LaunchView::resizeEvent(QResizeEvent* event) {
    QDialog::resizeEvent(event);
    fit_notes();
}

void LaunchView::restyle() {
    text_->setFont(scaled_font(QFontDatabase::systemFont(QFontDatabase::FixedFont), 1));
    notes_title_->setFont(scaled_font(font(), kSmall, true));
    command_->setFont(scaled_font(font(), kSmall));
    for (QLabel* muted : {command_, notes_title_}) muted->setForegroundRole(QPalette::PlaceholderText);
}

void LaunchView::changeEvent(QEvent* event) {
    QDialog::changeEvent(event);
    if (event->type() == QEvent::FontChange) restyle();
}

}  // namespace shardscope
