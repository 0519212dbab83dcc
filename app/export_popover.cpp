#include "app/export_popover.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <array>
#include <cmath>

#include "planner/planner.h"
#include "widgets/column.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kPixelsPerMillimetre = 96 / 25.4;
constexpr int kDpi = 96;
constexpr QSize kPreview(340, 250);
constexpr int kSmallest = 53;        // mm, of an own size: 200 px
constexpr int kLargest = 2116;       // mm: 8,000 px
constexpr double kMostPixels = 1e8;  // of a PNG: 400 MB of memory

constexpr std::array kEndings{"svg", "pdf", "png", "csv"};  // in the order of FigureFormat

// A size that people use, px. Without a height the height follows.
struct PageSize {
    const char* name;
    int width;
    int height;
};
constexpr std::array kSizes{
    PageSize{translatable("Default, 254 × 159 mm"), 960, 600},
    PageSize{translatable("Column, 85 mm wide"), 321, 0},
    PageSize{translatable("Page, 170 mm wide"), 643, 0},
    PageSize{translatable("Slide, 16:9"), 1280, 720},
};

int pixels_of(int millimetres) { return static_cast<int>(std::lround(millimetres * kPixelsPerMillimetre)); }
QString millimetres_of(int pixels) { return QString::number(std::lround(pixels / kPixelsPerMillimetre)); }

// The beginning of a table, as the preview shows it.
QString first_lines(const QByteArray& csv) {
    constexpr int kLines = 12;
    constexpr int kLetters = 46;
    QStringList lines = QString::fromUtf8(csv).split(QLatin1Char('\n')).mid(0, kLines);
    for (QString& line : lines) {
        line.remove(QLatin1Char('\r'));
        if (line.size() > kLetters) line = line.left(kLetters) + QStringLiteral("…");
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

ExportPopover::ExportPopover(LiveModel& model, Ask request_of, QWidget& window)
    : QFrame(&window), model_(model), request_of_(std::move(request_of)) {
    setObjectName(QStringLiteral("export"));
    setAccessibleName(tr("Export"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    hide();
    make_controls();
    connect(&model_, &LiveModel::changed, this, &ExportPopover::compute);
    connect(&model_, &LiveModel::pins_changed, this, &ExportPopover::compute);
}

QComboBox* ExportPopover::add_choice(const QString& name, const QString& label, const QString& help,
                                     const QStringList& choices) {
    auto* box = new QComboBox;
    box->setObjectName(QStringLiteral("export/") + name);
    box->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    box->setToolTip(help);
    box->addItems(choices);
    connect(box, &QComboBox::currentIndexChanged, this, &ExportPopover::take_choices);
    static_cast<QFormLayout*>(layout()->itemAt(0)->layout())->addRow(label, box);
    return box;
}

QSpinBox* ExportPopover::add_length(const QString& name, const QString& label, const QString& help) {
    auto* field = new QSpinBox;
    field->setObjectName(QStringLiteral("export/") + name);
    field->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    field->setToolTip(help);
    field->setRange(kSmallest, kLargest);
    field->setSuffix(tr(" mm"));
    connect(field, &QSpinBox::valueChanged, this, &ExportPopover::take_choices);
    static_cast<QFormLayout*>(layout()->itemAt(0)->layout())->addRow(label, field);
    return field;
}

void ExportPopover::make_controls() {
    constexpr int kMargin = 12;
    auto* columns = new QHBoxLayout(this);
    columns->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
    columns->setSpacing(kMargin);
    auto* form = new QFormLayout;
    columns->addLayout(form);
    preview_ = new QLabel;
    preview_->setObjectName(QStringLiteral("export/preview"));
    preview_->setAccessibleName(tr("Preview"));
    preview_->setFixedSize(kPreview);
    preview_->setAlignment(Qt::AlignCenter);
    preview_->setFrameShape(QFrame::StyledPanel);
    preview_->setTextFormat(Qt::PlainText);
    columns->addWidget(preview_);

    QStringList formats;
    for (const char* ending : kEndings) formats << QString::fromLatin1(ending).toUpper();
    format_ =
        add_choice(QStringLiteral("format"), tr("&Format"),
                   tr("SVG and PDF stay sharp at any size, PNG is an image, CSV is the table"), formats);
    QStringList sizes;
    for (const PageSize& size : kSizes) sizes << tr(size.name);
    sizes << tr("Custom size");
    size_ = add_choice(QStringLiteral("size"), tr("&Size"),
                       tr("Size in print; text has its nominal font size only at this size"), sizes);
    width_ = add_length(QStringLiteral("width"), tr("&Width"), tr("Width of the figure in print"));
    height_ = add_length(QStringLiteral("height"), tr("&Height"), tr("Height of the figure in print"));
    // Below the least height is the one that follows from the width and the texts.
    height_->setMinimum(kSmallest - 1);
    height_->setSpecialValueText(tr("automatic"));
    constexpr int kUsual = 120;
    width_->setValue(kUsual);
    height_->setValue(height_->minimum());
    QStringList resolutions;
    for (int scale = static_cast<int>(kMinScale); scale <= static_cast<int>(kMaxScale); ++scale)
        resolutions << tr("%1 dpi (%2×)").arg(scale * kDpi).arg(scale);
    resolution_ =
        add_choice(QStringLiteral("resolution"), tr("&Resolution"), tr("Pixels of a PNG"), resolutions);
    resolution_->setCurrentIndex(static_cast<int>(kDefaultScale - kMinScale));

    state_ = new QLabel;
    state_->setObjectName(QStringLiteral("export/state"));
    state_->setWordWrap(true);
    form->addRow(state_);
    copy_ = new QPushButton(tr("&Copy"));
    copy_->setObjectName(QStringLiteral("export/copy"));
    copy_->setToolTip(tr("Puts the figure on the clipboard in this format and as an image; a table as text"));
    save_ = new QPushButton(tr("Save &as…"));
    save_->setObjectName(QStringLiteral("export/save"));
    save_->setToolTip(tr("Asks for the name of the file"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(copy_);
    buttons->addWidget(save_);
    form->addRow(buttons);
    connect(copy_, &QPushButton::clicked, this, &ExportPopover::copy);
    connect(save_, &QPushButton::clicked, this, [this] {
        const FigureRequest figure = sized(figure_);
        const QString ending = QLatin1String(kEndings.at(static_cast<std::size_t>(format_->currentIndex())));
        close_it();
        Q_EMIT save_requested(figure, model_.answer(), ending);
    });
    take_choices();
}

// ---- opening and closing ---------------------------------------------------------------------------------

void ExportPopover::open(const QString& plot, const QString& format, const QWidget* anchor) {
    if (!isVisible()) focus_before_ = QApplication::focusWidget();
    plot_ = plot;
    anchor_ = anchor;
    const auto ending =
        std::ranges::find(kEndings, format, [](const char* one) { return QLatin1String(one); });
    if (ending != kEndings.end()) format_->setCurrentIndex(static_cast<int>(ending - kEndings.begin()));
    show();
    compute();
    place();
    raise();
    format_->setFocus(Qt::PopupFocusReason);
    qApp->installEventFilter(this);
}

void ExportPopover::place() {
    adjustSize();
    const QPoint under =
        anchor_ && anchor_->isVisible() ? anchor_->mapTo(window(), QPoint(0, anchor_->height())) : QPoint();
    const int right = std::max(0, window()->width() - width());
    const int bottom = std::max(0, window()->height() - height());
    move(std::clamp(under.x(), 0, right), std::clamp(under.y(), 0, bottom));
}

void ExportPopover::close_it() {
    hide();
    if (focus_before_) focus_before_->setFocus(Qt::PopupFocusReason);
}

void ExportPopover::hideEvent(QHideEvent* event) {
    QFrame::hideEvent(event);
    if (event->spontaneous()) return;  // the window is minimised
    qApp->removeEventFilter(this);
    work_.cancel();
    ready_ = false;
}

void ExportPopover::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) close_it();
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        (copy_->hasFocus() ? copy_ : save_)->click();
    // Other keys are not for the plot behind.
    event->accept();
}

// A click elsewhere closes the frame; the list of a choice is a window of its own.
bool ExportPopover::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonPress && watched->isWidgetType()) {
        const auto* at = static_cast<const QWidget*>(watched);
        if (at->window() == window() && at != this && !isAncestorOf(at)) hide();
    }
    return QFrame::eventFilter(watched, event);
}

// The Tab key stays in the frame.
bool ExportPopover::focusNextPrevChild(bool next) {
    if (!isVisible()) return QFrame::focusNextPrevChild(next);
    QWidgetList stops = focus_stops(this);
    stops.removeIf([](const QWidget* stop) { return !stop->isVisible() || !stop->isEnabled(); });
    if (stops.isEmpty()) return false;
    const qsizetype now = stops.indexOf(QApplication::focusWidget());
    const qsizetype count = stops.size();
    const qsizetype to = now < 0 ? 0 : (now + (next ? 1 : count - 1)) % count;
    stops[to]->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
}

// ---- the figure ------------------------------------------------------------------------------------------

FigureFormat ExportPopover::format() const { return static_cast<FigureFormat>(format_->currentIndex()); }

bool ExportPopover::has_own_size() const { return size_->currentIndex() == static_cast<int>(kSizes.size()); }

FigureRequest ExportPopover::sized(FigureRequest figure) const {
    figure.scale = kMinScale + resolution_->currentIndex();
    if (has_own_size()) {
        figure.own_height = height_->value() > height_->minimum();
        figure.size = QSize(pixels_of(width_->value()), pixels_of(height_->value()));
        return figure;
    }
    const PageSize& size = kSizes.at(static_cast<std::size_t>(size_->currentIndex()));
    figure.own_height = size.height > 0;
    figure.size = QSize(size.width, size.height);
    return figure;
}

void ExportPopover::take_choices() {
    if (!save_) return;  // the controls are still being made
    const bool table = format() == FigureFormat::csv;
    size_->setEnabled(!table);
    auto& form = *static_cast<QFormLayout*>(layout()->itemAt(0)->layout());
    for (QSpinBox* field : {width_, height_}) form.setRowVisible(field, !table && has_own_size());
    resolution_->setEnabled(format() == FigureFormat::png);
    draw_preview();
}

void ExportPopover::compute() {
    if (!isVisible()) return;
    ready_ = false;
    figure_ = request_of_(plot_);
    preview_->setText(tr("The preview is being drawn …"));
    state_->clear();
    copy_->setEnabled(false);
    save_->setEnabled(false);
    work_.cancel();
    if (model_.planning()) return;  // until the plan is found the window shows the previous one
    save_->setEnabled(true);
    answer_ = model_.answer();
    work_.ask([figure = figure_, answer = answer_](
                  const std::stop_token& stop) { return with_computed_data(figure, answer, stop); },
              [this](FigureRequest found) {
                  figure_ = std::move(found);
                  ready_ = true;
                  draw_preview();
              });
}

void ExportPopover::draw_preview() {
    if (!ready_ || !isVisible()) return;
    const QString objection = objection_to(figure_, answer_);
    copy_->setEnabled(objection.isEmpty());
    save_->setEnabled(objection.isEmpty());
    if (!objection.isEmpty()) {
        preview_->clear();
        state_->setText(objection);
        return;
    }
    if (format() == FigureFormat::csv) {
        const PlotKind& kind = *plot_kind(figure_.plot);
        const PlotTable table = table_of(kind, figure_, answer_);
        preview_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        preview_->setText(first_lines(QByteArray::fromStdString(to_csv(table))));
        const QString reason = why_empty(table, kind, figure_, answer_);
        for (QPushButton* button : {copy_, save_}) button->setEnabled(reason.isEmpty());
        state_->setText(reason.isEmpty() ? tr("%1 rows").arg(table.rows.size()) : reason);
        return;
    }
    const FigureRequest figure = with_height(sized(figure_), answer_);
    const QSize room = kPreview - QSize(8, 8);
    const double ratio = devicePixelRatioF();
    const double fit = std::min(static_cast<double>(room.width()) / figure.size.width(),
                                static_cast<double>(room.height()) / figure.size.height());
    QPixmap picture = QPixmap::fromImage(draw_figure(figure, answer_, fit * ratio));
    picture.setDevicePixelRatio(ratio);
    preview_->setAlignment(Qt::AlignCenter);
    preview_->setPixmap(picture);
    QString words =
        tr("%1 × %2 mm").arg(millimetres_of(figure.size.width()), millimetres_of(figure.size.height()));
    if (format() == FigureFormat::png) {
        const QSize pixels = (QSizeF(figure.size) * figure.scale).toSize();
        words += tr(", %1 × %2 pixels").arg(pixels.width()).arg(pixels.height());
        const bool possible = static_cast<double>(pixels.width()) * pixels.height() <= kMostPixels;
        for (QPushButton* button : {copy_, save_}) button->setEnabled(possible);
        if (!possible) words += tr(": too many, choose a lower resolution");
    }
    state_->setText(words);
}

void ExportPopover::copy() {
    const FigureRequest figure = with_height(sized(figure_), answer_);
    const QByteArray bytes = render_figure(figure, answer_, format());
    auto* content = new QMimeData;
    if (format() == FigureFormat::csv) {
        content->setText(QString::fromUtf8(bytes));
    } else {
        constexpr std::array kTypes{"image/svg+xml", "application/pdf", "image/png"};
        content->setImageData(draw_figure(figure, answer_, format() == FigureFormat::png ? figure.scale : 1));
        content->setData(QLatin1String(kTypes.at(static_cast<std::size_t>(format_->currentIndex()))), bytes);
    }
    QApplication::clipboard()->setMimeData(content);
    state_->setText(tr("Copied"));
}

}  // namespace shardscope
