#include "app/help_window.h"

#include <QAbstractTextDocumentLayout>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/help_pages.h"
#include "widgets/panels/glyph_button.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kPadding = 12;
constexpr int kGap = 8;

// Pages link to each other by file name, so that the links also work in the source folder.
QUrl url_of(const HelpPage& page) { return QUrl(QStringLiteral("help:/%1.md").arg(text_of(page.id))); }

const HelpPage* page_at(const QUrl& url) {
    QString file = url.fileName();
    if (file.endsWith(QStringLiteral(".md"))) file.chop(3);
    return help_page(file.toStdString());
}

// Draws a picture of a page sharply on this screen, on the light ground for which its colours are chosen.
QImage picture_at(const QUrl& url, qreal ratio) {
    QSvgRenderer renderer(QStringLiteral(":/help") + url.path());
    QImage image((QSizeF(renderer.defaultSize()) * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(Theme::print().pane);
    QPainter painter(&image);
    renderer.render(&painter, QRectF(QPointF(), renderer.defaultSize()));
    return image;
}

class PageText : public QTextBrowser {
  public:
    QVariant loadResource(int type, const QUrl& url) override {
        if (type == QTextDocument::ImageResource && url.scheme() == QLatin1String("help"))
            return picture_at(url, devicePixelRatioF());
        const HelpPage* page = page_at(url);
        return page ? help_text(*page) : QTextBrowser::loadResource(type, url);
    }
};

// Adds what Qt's Markdown lacks: space between lines and in tables, and underlined links.
void add_formats(QTextDocument& page, const QColor& line) {
    constexpr int kLineHeight = 118;  // per cent
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
        QTextCursor at(block);
        QTextBlockFormat format;
        format.setLineHeight(kLineHeight, QTextBlockFormat::ProportionalHeight);
        at.mergeBlockFormat(format);
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            if (!part.fragment().charFormat().isAnchor()) continue;
            at.setPosition(part.fragment().position());
            at.setPosition(part.fragment().position() + part.fragment().length(), QTextCursor::KeepAnchor);
            QTextCharFormat link;
            link.setFontUnderline(true);
            at.mergeCharFormat(link);
        }
    }
    for (QTextFrame* frame : page.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table) continue;
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderBrush(line);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setCellPadding(3);
        format.setTopMargin(kGap);
        format.setBottomMargin(kPadding);
        table->setFormat(format);
    }
    page.setDocumentMargin(kPadding);
}

}  // namespace

HelpWindow::HelpWindow(QWidget* parent)
    : QDialog(parent),
      search_(new QLineEdit),
      back_(new GlyphButton(GlyphButton::left, tr("Back"), QStringLiteral("help/back"), this)),
      none_found_(new QLabel(tr("No page contains all of these words."))),
      pages_(new QListWidget),
      text_(new PageText) {
    setObjectName(QStringLiteral("help"));
    setWindowTitle(tr("Help"));
    search_->setObjectName(QStringLiteral("help/search"));
    search_->setAccessibleName(tr("Search the help"));
    search_->setAccessibleDescription(tr("Lists the pages that contain all of these words"));
    search_->setPlaceholderText(tr("Search"));
    search_->setClearButtonEnabled(true);
    back_->setShortcut(QKeySequence(QStringLiteral("Alt+Left")));
    back_->setToolTip(tr("Previous page (Alt+Left)"));
    back_->setEnabled(false);
    none_found_->setObjectName(QStringLiteral("help/none-found"));
    none_found_->setWordWrap(true);
    none_found_->setContentsMargins(kPadding, 0, 0, kGap);
    none_found_->hide();
    pages_->setObjectName(QStringLiteral("help/pages"));
    pages_->setAccessibleName(tr("Pages"));
    pages_->setAccessibleDescription(tr("The selected page is shown beside the list"));
    pages_->setFrameShape(QFrame::NoFrame);
    pages_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    text_->setObjectName(QStringLiteral("help/text"));
    text_->setAccessibleName(tr("Help page"));
    text_->setAccessibleDescription(tr("The page that is open; links lead to others"));
    text_->setFrameShape(QFrame::NoFrame);
    text_->setWordWrapMode(QTextOption::WordWrap);  // does not break keys
    for (const HelpPage& page : help_pages()) {
        pages_->addItem(help_title(page));
        texts_.push_back(help_text(page));
    }

    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(kPadding, kGap, kPadding, kGap);
    top->setSpacing(kGap);
    top->addWidget(search_);
    top->addWidget(back_);
    top->addStretch(1);
    rows->addLayout(top);
    auto* panes = new QHBoxLayout;
    panes->setSpacing(0);
    auto* list = new QVBoxLayout;
    list->addWidget(none_found_);
    list->addWidget(pages_, 1);
    panes->addLayout(list);
    panes->addWidget(text_, 1);
    rows->addLayout(panes, 1);
    // The size follows the font size, within the screen.
    const QSizeF wanted = QSizeF(860, 600) * zoom_of(font());
    resize(wanted.toSize().boundedTo(screen()->availableSize()));

    connect(search_, &QLineEdit::textChanged, this, &HelpWindow::search);
    connect(back_, &QToolButton::clicked, text_, &QTextBrowser::backward);
    connect(text_, &QTextBrowser::backwardAvailable, back_, &QWidget::setEnabled);
    connect(text_, &QTextBrowser::historyChanged, this, &HelpWindow::update_page);
    connect(pages_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0) text_->setSource(url_of(help_pages()[static_cast<std::size_t>(row)]));
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &HelpWindow::restyle);
    restyle();
}

void HelpWindow::open_page(const HelpPage& page) {
    search_->clear();
    text_->setSource(url_of(page));
    show();
    raise();
    activateWindow();
    text_->setFocus();
}

void HelpWindow::open_term(Term term) {
    open_page(*help_page("glossary"));
    // The sections are in the order of the terms, in every language.
    constexpr int kSection = 2;  // level of their headings
    int sections = 0;
    for (QTextBlock block = text_->document()->begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() != kSection || sections++ != static_cast<int>(term)) continue;
        const QRectF place = text_->document()->documentLayout()->blockBoundingRect(block);
        text_->verticalScrollBar()->setValue(static_cast<int>(place.top()));
        return;
    }
}

const HelpPage* HelpWindow::page() const { return page_at(text_->source()); }

void HelpWindow::update_page() {
    const HelpPage* now = page();
    if (!now) return;
    setWindowTitle(tr("Help: %1").arg(help_title(*now)));
    const QSignalBlocker quiet(pages_);
    pages_->setCurrentRow(static_cast<int>(now - help_pages().data()));
    add_formats(*text_->document(), current_theme().border);
    mark_found();
}

// ---- searching -------------------------------------------------------------------------------------------

QStringList HelpWindow::wanted() const { return search_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts); }

// Lists the pages that contain all words. The open page stays open if it is one of them.
void HelpWindow::search(const QString&) {
    const QStringList words = wanted();
    int first = -1;
    for (int row = 0; row < pages_->count(); ++row) {
        const QString& text = texts_[static_cast<std::size_t>(row)];
        const bool found = std::ranges::all_of(
            words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
        pages_->setRowHidden(row, !found);
        const bool in_title =
            !words.isEmpty() && pages_->item(row)->text().contains(words.front(), Qt::CaseInsensitive);
        if (found && (first < 0 || (in_title && !pages_->item(first)->text().contains(words.front(),
                                                                                      Qt::CaseInsensitive))))
            first = row;
    }
    none_found_->setVisible(first < 0);
    const int now = pages_->currentRow();
    if (first >= 0 && (now < 0 || pages_->isRowHidden(now))) pages_->setCurrentRow(first);
    else mark_found();
}

void HelpWindow::mark_found() {
    QList<QTextEdit::ExtraSelection> marks;
    for (const QString& word : wanted()) {
        QTextCursor at(text_->document());
        while (!(at = text_->document()->find(word, at)).isNull()) {
            QTextEdit::ExtraSelection mark;
            mark.cursor = at;
            mark.format.setBackground(current_theme().flash);
            marks.append(mark);
        }
    }
    text_->setExtraSelections(marks);
}

// ---- look ------------------------------------------------------------------------------------------------

void HelpWindow::restyle() {
    const Theme& theme = current_theme();
    pages_->setStyleSheet(
        QStringLiteral("QListWidget { background: %1; border-right: 1px solid %2; outline: 0; }"
                       "QListWidget::item { border: 0; background: transparent; padding: 0 8px 0 %3px; "
                       "color: %4; }"
                       "QListWidget::item:selected { background: %2; color: %4; }"
                       "QListWidget::item:focus { border: 2px solid %5; padding: 0 6px 0 %6px; }")
            .arg(theme.window.name(), theme.line.name(), QString::number(kPadding), theme.text.name(),
                 theme.accent.name(), QString::number(kPadding - 2)));
    int widest = 0;
    for (int row = 0; row < pages_->count(); ++row) {
        const int text = fontMetrics().horizontalAdvance(pages_->item(row)->text());
        widest = std::max(widest, text);
        pages_->item(row)->setSizeHint({text, fontMetrics().height() + kGap});
    }
    const int width = widest + 2 * kPadding + kGap + pages_->verticalScrollBar()->sizeHint().width();
    pages_->setFixedWidth(width);
    none_found_->setFixedWidth(width);
    search_->setFixedWidth(width - kPadding);
    // The text contains the colours of links and table lines, so it is loaded again.
    if (!page()) return;
    text_->reload();
    update_page();
}

void HelpWindow::changeEvent(QEvent* event) {
    QDialog::changeEvent(event);
    if (event->type() == QEvent::FontChange) restyle();
}

}  // namespace shardscope
