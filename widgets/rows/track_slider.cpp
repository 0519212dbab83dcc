#include "widgets/rows/track_slider.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "planner/answer.h"
#include "scenario/domain.h"
#include "system/jobs.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/rows/painted_track.h"
#include "widgets/rows/replanned_tracks.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kReplannedStride = 6;  // px between two plans of a continuous groove
// The tracks of a frame take 3 to 4 ms. Starting three helper threads takes 0.1 ms of that; starting fifteen
// would take 2 ms.
constexpr unsigned kThreads = 4;

}  // namespace

TrackSlider::TrackSlider(P id, LiveModel& model, QWidget* parent)
    : ParameterSlider(parent), id_(id), model_(model) {
    all().push_back(this);
    const auto outdate = [this] {
        if (isSliderDown()) return;
        made_for_ = 0;
        update();
    };
    connect(&model_, &LiveModel::changed, this, outdate);
    connect(&model_, &LiveModel::pins_changed, this, qOverload<>(&QWidget::update));
    connect(this, &ParameterSlider::released, this, outdate);
}

int TrackSlider::stride_of(double width) {
    constexpr double kWide = 200;
    return width < kWide ? 3 : 6;
}

TrackSlider::~TrackSlider() { std::erase(all(), this); }

std::vector<TrackSlider*>& TrackSlider::all() {
    static std::vector<TrackSlider*> all;
    return all;
}

int TrackSlider::columns() const {
    return std::max(1, static_cast<int>(std::lround(groove().width() * devicePixelRatioF())));
}

TrackGrain TrackSlider::grain(int stride) const {
    return {.columns = columns(), .stride = static_cast<int>(std::lround(stride * devicePixelRatioF()))};
}

// All tracks become outdated together, so the first one that is painted computes all visible tracks in
// parallel.
void TrackSlider::refresh() {
    if (is_fresh()) return;
    struct Due {
        TrackSlider* slider;
        TrackGrain grain;  // computed in this thread, as others must not use widgets
    };
    std::vector<Due> due{{this, grain(stride_of(groove().width()))}};
    for (TrackSlider* other : all()) {
        const bool alike = other != this && &other->model_ == &model_;
        if (alike && !other->is_fresh() && !other->visibleRegion().isEmpty())
            due.push_back({other, other->grain(stride_of(other->groove().width()))});
    }
    const Scenario& scenario = model_.answer().scenario;
    const Scenario plan_held = locked(scenario);
    parallel_for(due.size(), std::min(spare_threads(), kThreads), [&](std::size_t i) {
        TrackSlider& slider = *due[i].slider;
        slider.held_ = track(plan_held, slider.id_, slider.scale(), due[i].grain);
    });
    for (const auto& [slider, grain] : due) {
        slider->made_for_ = grain.columns;
        if (scenario.automatic.none()) {
            slider->replanned_.reset();
        } else {
            ReplannedTracks::of(model_).want(slider, slider->id_, slider->scale(),
                                             slider->grain(kReplannedStride));
        }
    }
}

bool TrackSlider::is_stale() const {
    if (!replanned_) return false;
    return guess_ || (!isSliderDown() && !(replanned_of_ == model_.answer().scenario));
}

void TrackSlider::set_replanned(Track track, const Scenario& of, bool guess) {
    if (model_.answer().scenario.automatic.none()) return;
    replanned_ = std::move(track);
    replanned_of_ = of;
    guess_ = guess;
    update();
}

QString TrackSlider::track_text() const {
    if (!isEnabled()) return {};
    return QString::fromStdString(track_words(locked(model_.answer().scenario), id_, scale()));
}

void TrackSlider::paint_track(QPainter& painter, const QRectF& groove) {
    if (!isEnabled()) {
        ParameterSlider::paint_track(painter, groove);
        return;
    }
    refresh();
    const TrackPicture picture{.held = &held_,
                               .replanned = replanned_ ? &*replanned_ : nullptr,
                               .stale = is_stale(),
                               .guess = guess_,
                               .mirrored = isRightToLeft()};
    shardscope::paint_track(painter, groove, picture, current_theme());
    paint_pins(painter, groove);
}

void TrackSlider::paint_pins(QPainter& painter, const QRectF& groove) const {
    const double now = model_.answer().settings[id_];
    for (const Pin& pin : model_.pins()) {
        const double value = pin.answer.settings[id_];
        const bool visible =
            std::isfinite(value) && value != now && value >= scale().low() && value <= scale().high();
        if (!visible) continue;
        const double x = std::round(pointOf(value).x());
        const QColor colour = pin_color(current_theme(), pin.letter);
        painter.fillRect(QRectF(x - 1, groove.top() - 2, 2, groove.height() + 4), colour);
        const double side = groove.height() - 2;
        const QRectF tag(x - side / 2, groove.center().y() - side / 2, side, side);
        painter.setPen(QPen(current_theme().pane, 1));
        painter.setBrush(colour);
        painter.drawRoundedRect(tag, 2, 2);
        QFont face = scaled_font(font(), 1, true);
        face.setPixelSize(std::max(8, static_cast<int>(side * 0.75)));
        painter.setFont(face);
        painter.setPen(Theme::light().text);
        painter.drawText(tag, Qt::AlignCenter, QString(QLatin1Char(pin.letter)));
    }
}

double TrackSlider::nearest(double value) const {
    return nearest_valid(id_, value, model_.answer().settings);
}

std::optional<Wall> TrackSlider::wall() const {
    if (!model_.answer().valid()) return std::nullopt;
    return model_.answer().fits() ? model_.answer().estimate.wall : Wall::memory;
}

Track TrackSlider::magnified_track(int columns) const {
    const Stretch part = magnified();
    return track(locked(model_.answer().scenario), id_, scale().part(part.from, part.to),
                 {.columns = columns, .stride = stride_of(columns)});
}

QString TrackSlider::slope_text() const {
    const Answer& now = model_.answer();
    if (!now.fits()) return tr("does not fit");
    const bool risky = now.estimate.verdict == Verdict::risky;
    QString mfu =
        (risky ? tr("risky, MFU %1") : tr("MFU %1")).arg(shown(now.estimate.mfu, Quantity::percent));
    const double next = scale().next(current(), true, true, {});
    const Answer then = shardscope::answer(edited(locked(now.scenario), id_, next));
    const double reached = then.settings[id_];
    if (!then.fits() || reached <= current()) return mfu;
    return tr("%1, %2 points at %3")
        .arg(mfu, signed_number((then.estimate.mfu - now.estimate.mfu) * 100, 2),
             QString::fromStdString(format(id_, reached)));
}

}  // namespace shardscope
