#include "widgets/panels/study_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "widgets/drawing.h"
#include "widgets/panels/claim_row.h"
#include "widgets/panels/glyph_button.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kWidth = 244;  // same as the Why panel, which it replaces
constexpr int kPadding = 14;

}  // namespace

StudyPanel::StudyPanel(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("study"));
    setAccessibleName(tr("Study"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setFixedWidth(kWidth);
    const auto label = [](const char* name, const QString& text = {}) {
        auto* out = new QLabel(text);
        out->setObjectName(QLatin1String(name));
        out->setTextFormat(Qt::PlainText);
        out->setWordWrap(true);
        return out;
    };
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(kPadding, 6, kPadding - 4, 4);
    title_ = label("study/title");
    close_ = new GlyphButton(GlyphButton::cross, tr("Close the study"), QStringLiteral("study/close"), this);
    connect(close_, &QToolButton::clicked, this, &StudyPanel::closed);
    head->addWidget(title_, 1);
    head->addWidget(close_, 0, Qt::AlignTop);
    whole->addLayout(head);

    scroll_ = new QScrollArea;
    scroll_->setAccessibleName(tr("Study"));
    scroll_->setObjectName(QStringLiteral("study/scroll"));
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->verticalScrollBar()->setProperty("slim", true);
    scroll_->setWidgetResizable(true);
    auto* content = new QWidget;
    content->setAutoFillBackground(true);
    content->setBackgroundRole(QPalette::Base);
    rows_ = new QVBoxLayout(content);
    rows_->setContentsMargins(kPadding, 2, kPadding, 12);
    rows_->setSpacing(4);
    origin_ = label("study/origin");
    look_title_ = label("study/look-title", tr("What to look at"));
    look_ = label("study/look");
    drag_title_ = label("study/drag-title", tr("What to drag"));
    drag_ = label("study/drag");
    claims_title_ = label("study/claims-title", tr("Claims, and what the engine says"));
    for (QLabel* title : {look_title_, drag_title_, claims_title_}) title->setContentsMargins(0, 8, 0, 0);
    for (QLabel* row : {origin_, look_title_, look_, drag_title_, drag_, claims_title_})
        rows_->addWidget(row);
    rows_->addStretch(1);
    scroll_->setWidget(content);
    whole->addWidget(scroll_, 1);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &StudyPanel::restyle);
    restyle();
}

void StudyPanel::set_study(std::optional<Study> study) {
    study_ = std::move(study);
    background_.cancel();
    set_claims();
    if (!study_) return;
    const QString title = preset_text(study_->title);
    title_->setText(title);
    setAccessibleName(tr("Study: %1").arg(title));
    origin_->setText(QString::fromStdString(study_->paper.title + " (" + study_->origin() + ")"));
    look_->setText(unbroken(preset_text(study_->look)));
    drag_->setText(unbroken(preset_text(study_->drag)));
    scroll_->verticalScrollBar()->setValue(0);
    if (const auto known = known_.find(study_->preset); known != known_.end()) {
        set_findings(known->second);
        return;
    }
    background_.ask(
        [claims = study_->claims](const std::stop_token& stop) {
            std::vector<Finding> out;
            for (const Claim& claim : claims) {
                if (stop.stop_requested()) break;
                out.push_back(evaluate_claim(claim, stop));
            }
            return out;
        },
        [this](const std::vector<Finding>& findings) {
            known_[study_->preset] = findings;
            set_findings(findings);
        });
}

void StudyPanel::set_claims() {
    for (ClaimRow* row : claims_) delete row;
    claims_.clear();
    if (!study_) return;
    for (const Claim& claim : study_->claims) {
        auto* row = new ClaimRow(claim);
        connect(row, &QAbstractButton::clicked, this, [this, row] { Q_EMIT claim_chosen(row->claim()); });
        rows_->insertWidget(rows_->count() - 1, row);
        claims_.push_back(row);
    }
}

void StudyPanel::set_findings(const std::vector<Finding>& findings) {
    for (std::size_t i = 0; i < claims_.size(); ++i) claims_[i]->set_finding(findings[i]);
}

void StudyPanel::restyle() {
    const auto style = [](QLabel* label, const QFont& face, bool muted = false) {
        label->setFont(face);
        // The palette role is set, because the application's style sheet would override a label's palette.
        label->setForegroundRole(muted ? QPalette::PlaceholderText : QPalette::WindowText);
    };
    style(title_, scaled_font(font(), 1, true));
    style(origin_, scaled_font(font(), kSmall), true);
    for (QLabel* title : {look_title_, drag_title_, claims_title_})
        style(title, scaled_font(font(), kSmall, true), true);
    for (QLabel* text : {look_, drag_}) style(text, font());
    for (ClaimRow* row : claims_) row->update();
}

void StudyPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) restyle();
}

}  // namespace shardscope
