#include "widgets/panels/repair_strip.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/panels/repair_button.h"
#include "widgets/panels/run_label.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kPadding = 16;
constexpr int kGap = 8;
constexpr int kEdge = 3;  // above and below the buttons

}  // namespace

RepairStrip::RepairStrip(LiveModel& model, QWidget* parent)
    : QWidget(parent), model_(model), search_(Repairs::of(model)) {
    setObjectName(QStringLiteral("repairs"));
    setAccessibleName(tr("Repairs"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    caption_ = new RunLabel(QStringLiteral("repairs/caption"), this);
    note_ = new RunLabel(QStringLiteral("repairs/note"), this);
    more_ = new QToolButton(this);
    more_->setObjectName(QStringLiteral("repairs/more"));
    more_->setText(tr("More"));
    more_->setToolTip(tr("More repairs"));
    more_->setPopupMode(QToolButton::InstantPopup);
    more_->setMenu(new QMenu(more_));
    connect(more_->menu(), &QMenu::aboutToShow, this, &RepairStrip::fill_menu);
    more_->hide();
    connect(&search_, &Repairs::changed, this, &RepairStrip::refresh);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &RepairStrip::arrange);
    refresh();
}

void RepairStrip::refresh() {
    const Answer& answer = model_.answer();
    // A fix beside an automatic plan needs a search, for which there is no time during a drag.
    const bool searches = !needs_repair(answer) && answer.scenario.automatic.any();
    if (!answer.valid() || (searches && model_.in_gesture())) return take({});
    std::vector<Repair> found = search_.all();
    // A placeholder keeps room for the best plan of all during the search.
    if (needs_repair(answer) && search_.awaits_plan()) {
        Repair looking;
        looking.label = translate("Best plan");
        looking.result = translate("searching…");
        found.insert(found.begin(), std::move(looking));
    }
    const bool stays = underMouse() && repaired_ == answer.scenario;
    if (stays) keep_places(found);
    repaired_ = answer.scenario;
    take(std::move(found));
    if (stays && pointed_) search_.preview(*pointed_ < repairs_.size() ? &repairs_[*pointed_] : nullptr);
}

void RepairStrip::keep_places(std::vector<Repair>& found) const {
    auto next = found.begin();
    for (const Repair& shown : repairs_) {
        const auto its =
            std::find_if(next, found.end(), [&](const Repair& one) { return one.id == shown.id; });
        if (its == found.end()) continue;
        std::rotate(next, its, its + 1);
        ++next;
    }
}

void RepairStrip::leaveEvent(QEvent*) { refresh(); }

void RepairStrip::take(std::vector<Repair> found) {
    repairs_ = std::move(found);
    while (buttons_.size() < repairs_.size()) {
        auto* button = new RepairButton(this);
        const std::size_t which = buttons_.size();
        // A click applies the repair that was shown when the button was pressed. The index may be out of
        // range, because assistive technology can press a hidden button.
        connect(button, &QAbstractButton::pressed, this,
                [this, which] { pressed_ = which < repairs_.size() ? repairs_[which] : Repair(); });
        connect(button, &QAbstractButton::clicked, this, [this] { use(pressed_); });
        connect(button, &RepairButton::pointed, this, [this, which](bool on) {
            if (on) pointed_ = which;
            else if (pointed_ == which) pointed_.reset();
            search_.preview(on && which < repairs_.size() ? &repairs_[which] : nullptr);
        });
        buttons_.push_back(button);
    }
    const Repair* best = best_of(repairs_);
    best_ = best ? static_cast<std::size_t>(best - repairs_.data()) : repairs_.size();
    for (std::size_t i = 0; i < buttons_.size(); ++i) {
        if (i >= repairs_.size() || !repairs_[i].works) keep_focus(*buttons_[i]);
        if (i < repairs_.size()) {
            buttons_[i]->set_repair(repairs_[i], i == best_);
        } else {
            // A test or a script that looks a repair up by name must not find an old one.
            buttons_[i]->setObjectName(QString());
            buttons_[i]->hide();
        }
    }
    arrange();
    Q_EMIT repairs_changed();
}

void RepairStrip::keep_focus(const QWidget& part) {
    if (window()->focusWidget() == &part) setFocus();
}

void RepairStrip::use_best() {
    if (has_best()) use(Repair(repairs_[best_]));
}

void RepairStrip::use(const Repair& repair) {
    if (!repair.works) return;
    model_.replace(repair.scenario, QString::fromStdString(repair.label));
}

void RepairStrip::write_caption() {
    const Answer& answer = model_.answer();
    QString title;
    QString note;
    if (needs_repair(answer)) {
        title = tr("Repairs");
        note = tr("best: Ctrl+R");
    } else if (answer.valid()) {
        title = tr("Next best fix");
        if (repairs_.empty() && !model_.in_gesture())
            note =
                pending() ? text_of(translate("searching…")) : tr("No single change of the plan raises MFU");
        else if (!repairs_.empty() && repairs_.front().risky) note = tr("each is risky");
    }
    const QFont small = scaled_font(font(), kSmall);
    caption_->set_runs({{title, small, current_theme().text}});
    note_->set_runs({{note, small, current_theme().muted}});
}

void RepairStrip::arrange() {
    write_caption();
    const QFont small = scaled_font(font(), kSmall);
    const int line = caption_->sizeHint().height();
    double widest = 0;
    for (const QString& text : {tr("Repairs"), tr("best: Ctrl+R"), tr("Next best fix"), tr("each is risky")})
        widest = std::max(widest, text_width(small, text));
    const int left = kPadding + static_cast<int>(std::ceil(widest)) + 2 * kGap;
    const int caption_top = (height() - 2 * line) / 2;
    const int caption_width = (repairs_.empty() ? width() : left) - kPadding;
    caption_->setGeometry(kPadding, caption_top, caption_width, line);
    note_->setGeometry(kPadding, caption_top + line, caption_width, line);
    if (repairs_.empty()) {
        keep_focus(*more_);
        more_->hide();
        return;
    }

    const int end = width() - kPadding;
    const int button_height = buttons_.front()->sizeHint().height();
    const int top = (height() - button_height) / 2;
    const QSize more = more_->sizeHint();
    // The best plan has its room while it is searched, so that nothing moves under the pointer when it is
    // found.
    constexpr double kLongest = 0.45;    // of the space, for one label
    constexpr double kPlanLetters = 52;  // of the first line of a usual plan
    const double room = end - left - more.width() - kGap;
    const bool is_alone = repairs_.size() == 1 && repairs_.front().id;
    const double longest = is_alone ? end - left
                                    : std::clamp(kPlanLetters * QFontMetricsF(font()).averageCharWidth(),
                                                 kLongest * (end - left), std::max(room, 1.0));
    const auto width_of = [&](std::size_t i) {
        const int own = buttons_[i]->sizeHint().width();
        return !repairs_[i].id ? std::max(own, static_cast<int>(longest)) : own;
    };
    const auto end_of = [&](std::size_t count) {
        int x = left;
        for (std::size_t i = 0; i < count; ++i) x += width_of(i) + kGap;
        return x - kGap;
    };
    const auto fitting_count = [&] {
        std::size_t count = repairs_.size();
        if (end_of(count) > end) {
            while (count > 1 && end_of(count) + kGap + more.width() > end) --count;
        }
        return count;
    };
    constexpr std::size_t kEnough = 4;  // repairs to show outside of the menu
    for (RepairButton* button : buttons_) {
        button->set_brief(false);
        button->set_longest(longest);
    }
    std::size_t shown = fitting_count();
    if (shown < std::min(kEnough, repairs_.size())) {
        for (RepairButton* button : buttons_) button->set_brief(true);
        shown = fitting_count();
    }
    int x = left;
    for (std::size_t i = 0; i < repairs_.size(); ++i) {
        if (i >= shown) keep_focus(*buttons_[i]);
        buttons_[i]->setVisible(i < shown);
        const int w = width_of(i);
        buttons_[i]->setGeometry(x, top, w, button_height);
        if (i < shown) x += w + kGap;
    }
    if (shown == repairs_.size()) keep_focus(*more_);
    more_->setVisible(shown < repairs_.size());
    more_->setGeometry(x, top + (button_height - more.height()) / 2, more.width(), more.height());
    shown_ = shown;
}

// Called before the menu opens: an open menu keeps its entries when the repairs change.
void RepairStrip::fill_menu() {
    more_->menu()->clear();
    for (std::size_t i = shown_; i < repairs_.size(); ++i) {
        QAction* action =
            more_->menu()->addAction(action_text(text_of(repairs_[i].label + ": " + repairs_[i].result)));
        action->setEnabled(repairs_[i].works);
        connect(action, &QAction::triggered, this, [this, repair = repairs_[i]] { use(repair); });
    }
}

QSize RepairStrip::sizeHint() const { return {824, RepairButton::height_for(font()) + 2 * kEdge}; }

QSize RepairStrip::minimumSizeHint() const { return {300, sizeHint().height()}; }

void RepairStrip::resizeEvent(QResizeEvent*) { arrange(); }

void RepairStrip::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) arrange();
}

}  // namespace shardscope
