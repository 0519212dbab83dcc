#include "app/side_panels.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <initializer_list>

#include "app/pane_line.h"
#include "widgets/panels/side_rail.h"
#include "widgets/panels/study_panel.h"
#include "widgets/panels/why_panel.h"
#include "widgets/text.h"

namespace shardscope {

SidePanels::SidePanels(LiveModel& model, QTabWidget& plots, QWidget* parent)
    : QWidget(parent),
      plots_(plots),
      cover_(new QWidget(&plots)),
      why_(new WhyPanel(model)),
      study_(new StudyPanel),
      why_rail_(
          new SideRail(QStringLiteral("why-rail"), tr("Why panel"), tr("Why? Opens the explanation (F9)"))),
      study_rail_(new SideRail(QStringLiteral("study-rail"), tr("Study panel"), tr("Opens the study"))) {
    auto* columns = new QHBoxLayout(this);
    auto* over = new QHBoxLayout(cover_);
    auto* rails = new QVBoxLayout;
    for (QBoxLayout* layout : std::initializer_list<QBoxLayout*>{columns, over, rails}) {
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(0);
    }
    over->addWidget(pane_line(true));
    cover_->hide();
    plots_.installEventFilter(this);
    columns->addWidget(why_);
    columns->addWidget(study_);
    columns->addLayout(rails);
    rails->addWidget(why_rail_);
    rails->addWidget(study_rail_);
    connect(why_rail_, &QToolButton::clicked, this, [this] { open(Side::why); });
    connect(study_rail_, &QToolButton::clicked, this, [this] { open(Side::study); });
    connect(why_, &WhyPanel::closed, this, [this] { open(Side::none); });
    connect(study_, &StudyPanel::closed, this, &SidePanels::study_closed);
    connect(study_, &StudyPanel::claim_chosen, this, &SidePanels::claim_chosen);
    show_only(wanted_);
}

void SidePanels::open(Side side) {
    wanted_ = side;
    show_only(side);
}

void SidePanels::explain(const Subject& subject) {
    open(Side::why);
    why_->show(subject);
}

void SidePanels::set_hypothetical(bool on) { why_->set_hypothetical(on); }

void SidePanels::explain_first() {
    why_->show(Subject::of(Output::mfu));
    why_rail_->setText(why_->title());
}

void SidePanels::prefer(Side side) {
    wanted_ = side;
    set_narrow(narrow_);
}

bool SidePanels::is_open(Side side) const {
    const bool why = !why_->isHidden();
    const bool study = !study_->isHidden();
    return side == Side::why ? why : side == Side::study ? study : !why && !study;
}

void SidePanels::set_narrow(bool narrow) {
    narrow_ = narrow;
    show_only(narrow ? Side::none : wanted_);
}

void SidePanels::set_study(std::optional<Study> study) {
    if (study) {
        study_rail_->setText(tr("Study: %1").arg(preset_text(study->title)));
        if (wanted_ != Side::study) before_study_ = wanted_;
        wanted_ = Side::study;
    } else if (wanted_ == Side::study) {
        wanted_ = before_study_;
    }
    study_->set_study(std::move(study));
    set_narrow(narrow_);
}

const std::optional<Study>& SidePanels::study() const { return study_->study(); }

void SidePanels::show_only(Side side) {
    const bool study = study_->study().has_value();
    const bool over = narrow_ && side == Side::why;
    QBoxLayout* target = static_cast<QBoxLayout*>(over ? cover_->layout() : layout());
    if (target->indexOf(why_) < 0) target->insertWidget(over ? 1 : 0, why_);
    cover_->setVisible(over);
    if (over) place_cover();
    why_->setVisible(side == Side::why);
    why_rail_->setText(why_->title());
    why_rail_->setVisible(side != Side::why);
    study_->setVisible(side == Side::study && study);
    study_rail_->setVisible(side != Side::study && study);
    layout()->activate();
    setFixedWidth(layout()->sizeHint().width());
    Q_EMIT shown_changed();
}

// Places the cover below the tabs at the right side of the plots.
void SidePanels::place_cover() {
    const int top = plots_.tabBar()->height();
    const int width = cover_->sizeHint().width();
    cover_->setGeometry(plots_.width() - width, top, width, plots_.height() - top);
    cover_->raise();
}

bool SidePanels::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && !cover_->isHidden()) place_cover();
    return QWidget::eventFilter(watched, event);
}

}  // namespace shardscope
