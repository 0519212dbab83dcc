#include "widgets/panels/repair_strip.h"

#include <QCursor>
#include <QEvent>
#include <QFontMetricsF>
#include <QLayout>
#include <QMenu>
#include <QToolButton>
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

}  // namespace

RepairStrip::RepairStrip(LiveModel& model, QWidget* parent)
    : QWidget(parent), model_(model), search_(Repairs::of(model)) {
    setObjectName(QStringLiteral("repairs"));
    setAccessibleName(tr("Repairs"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    caption_ = new RunLabel(QStringLiteral("repairs/caption"), this);
    more_ = new QToolButton(this);
    more_->setObjectName(QStringLiteral("repairs/more"));
    more_->setText(tr("More"));
    more_->setToolTip(tr("Repairs that have no room beside the others"));
    more_->setPopupMode(QToolButton::InstantPopup);
    more_->setMenu(new QMenu(more_));
    more_->hide();
    connect(&search_, &Repairs::changed, this, &RepairStrip::refresh);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &RepairStrip::arrange);
    look_again_.setSingleShot(true);
    connect(&look_again_, &QTimer::timeout, this, &RepairStrip::refresh);
    setVisible(false);
    refresh();
}

void RepairStrip::refresh() {
    const bool needed = model_.answer().valid() && !model_.answer().fits();
    // During a drag, and while the pointer is in use below, the strip neither appears nor vanishes, because
    // what is under the pointer would move.
    if (needed == isHidden() && (model_.in_gesture() || pointer_is_used_below())) return take({});
    setVisible(needed);
    if (!needed) return take({});
    std::vector<Repair> found = search_.all();
    // A placeholder keeps room for the best plan of all during the search.
    if (search_.awaits_plan()) {
        Repair looking;
        looking.label = translate("Best plan");
        looking.result = translate("searching…");
        found.insert(found.begin(), std::move(looking));
    }
    take(std::move(found));
}

// Returns whether the pointer is on what the strip moves and was moved there within a second and a half. The
// strip then looks again.
bool RepairStrip::pointer_is_used_below() {
    constexpr int kInterval = 100;  // ms
    constexpr int kLooks = 15;
    const auto* around = parentWidget();
    const auto* rows = around ? around->layout() : nullptr;
    if (!rows) return false;
    const QPoint at = around->mapFromGlobal(QCursor::pos());
    const QLayoutItem* below = rows->itemAt(rows->indexOf(this) + 1);
    const int top = isHidden() && below ? below->geometry().top() : y();
    if (!around->underMouse() || at.y() < top || at.y() >= around->height()) return false;
    looks_ = at == pointer_ ? looks_ + 1 : 0;
    pointer_ = at;
    if (looks_ >= kLooks) {
        looks_ = 0;
        return false;
    }
    look_again_.start(kInterval);
    return true;
}

void RepairStrip::take(std::vector<Repair> found) {
    repairs_ = std::move(found);
    while (buttons_.size() < repairs_.size()) {
        auto* button = new RepairButton(this);
        const std::size_t which = buttons_.size();
        // A click applies the repair that was shown when the button was pressed. The index may be out of
        // range, because a button that is hidden while another window is active keeps the focus of its own
        // window, so a key can still press it.
        connect(button, &QAbstractButton::pressed, this,
                [this, which] { pressed_ = which < repairs_.size() ? repairs_[which] : Repair(); });
        connect(button, &QAbstractButton::clicked, this, [this] { use(pressed_); });
        connect(button, &RepairButton::pointed, this, [this, which](bool on) {
            search_.preview(on && which < repairs_.size() ? &repairs_[which] : nullptr);
        });
        buttons_.push_back(button);
    }
    const Repair* best = best_of(repairs_);
    best_ = best ? static_cast<std::size_t>(best - repairs_.data()) : repairs_.size();
    for (std::size_t i = 0; i < buttons_.size(); ++i) {
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

void RepairStrip::use_best() {
    if (has_best()) use(Repair(repairs_[best_]));
}

void RepairStrip::use(const Repair& repair) {
    if (!repair.works) return;
    model_.replace(repair.scenario, QString::fromStdString(repair.label));
}

void RepairStrip::arrange() {
    const Theme& theme = current_theme();
    caption_->set_runs(
        {{model_.answer().fits() ? tr("It fits.") : tr("Repairs, one click each, best first (Ctrl+R)"),
          scaled_font(font(), kSmall), theme.muted}});
    const int caption_height = caption_->sizeHint().height();
    caption_->setGeometry(kPadding, 6, width() - 2 * kPadding, caption_height);
    more_->hide();
    if (repairs_.empty()) return;

    const int top = 6 + caption_height + 3;
    const int height = buttons_.front()->sizeHint().height();
    const QSize more = more_->sizeHint();
    constexpr double kLongest = 0.45;  // of the strip, for one label
    // The best plan has its room while it is searched, so that nothing moves under the pointer when it is
    // found.
    const auto width_of = [&](std::size_t i) {
        const int own = buttons_[i]->sizeHint().width();
        return !repairs_[i].id ? std::max(own, static_cast<int>(kLongest * width())) : own;
    };
    const auto end_of = [&](std::size_t count) {
        int x = kPadding;
        for (std::size_t i = 0; i < count; ++i) x += width_of(i) + kGap;
        return x - kGap;
    };
    const auto fitting_count = [&] {
        std::size_t count = repairs_.size();
        if (end_of(count) > width() - kPadding) {
            while (count > 1 && end_of(count) + kGap + more.width() > width() - kPadding) --count;
        }
        return count;
    };
    constexpr std::size_t kEnough = 4;  // repairs to show outside of the menu
    for (RepairButton* button : buttons_) {
        button->set_brief(false);
        button->set_longest(kLongest * width());
    }
    std::size_t shown = fitting_count();
    if (shown < std::min(kEnough, repairs_.size())) {
        for (RepairButton* button : buttons_) button->set_brief(true);
        shown = fitting_count();
    }
    int x = kPadding;
    for (std::size_t i = 0; i < repairs_.size(); ++i) {
        buttons_[i]->setVisible(i < shown);
        const int w = width_of(i);
        buttons_[i]->setGeometry(x, top, w, height);
        if (i < shown) x += w + kGap;
    }
    more_->setVisible(shown < repairs_.size());
    more_->setGeometry(x, top + (height - more.height()) / 2, more.width(), more.height());
    more_->menu()->clear();
    for (std::size_t i = shown; i < repairs_.size(); ++i) {
        QAction* action =
            more_->menu()->addAction(action_text(text_of(repairs_[i].label + ": " + repairs_[i].result)));
        action->setEnabled(repairs_[i].works);
        connect(action, &QAction::triggered, this, [this, repair = repairs_[i]] { use(repair); });
    }
}

QSize RepairStrip::sizeHint() const {
    const QFontMetricsF small(scaled_font(font(), kSmall));
    const double button = std::max(42.0, QFontMetricsF(font()).height() + small.height() + 12);
    return {824, std::max(74, static_cast<int>(std::ceil(6 + small.height() + 3 + button + 8)))};
}

QSize RepairStrip::minimumSizeHint() const { return {300, sizeHint().height()}; }

void RepairStrip::resizeEvent(QResizeEvent*) { arrange(); }

void RepairStrip::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) arrange();
}

}  // namespace shardscope
