#include "widgets/rows/track_slider.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/rows/painted_track.h"
#include "widgets/rows/replanned_tracks.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kStride = 3;           // px between two estimates of a continuous groove
constexpr int kReplannedStride = 6;  // planning takes longer

}  // namespace

TrackSlider::TrackSlider(P id, LiveModel& model, QWidget* parent)
    : ParameterSlider(parent), id_(id), model_(model) {
    const auto outdate = [this] {
        if (isSliderDown()) return;
        fresh_ = false;
        update();
    };
    connect(&model_, &LiveModel::changed, this, outdate);
    connect(this, &ParameterSlider::released, this, outdate);
}

void TrackSlider::refresh(int columns) {
    if (fresh_ && columns == columns_) return;
    fresh_ = true;
    columns_ = columns;
    const Scenario& scenario = model_.answer().scenario;
    const auto grain = [&](int stride) {
        return TrackGrain{.columns = columns,
                          .stride = static_cast<int>(std::lround(stride * devicePixelRatioF()))};
    };
    held_ = track(locked(scenario), id_, scale(), grain(kStride));
    if (scenario.automatic.none()) {
        replanned_.reset();
    } else {
        ReplannedTracks::of(model_).want(this, id_, scale(), grain(kReplannedStride));
    }
}

bool TrackSlider::is_stale() const {
    if (!replanned_) return false;
    return guess_ || (!isSliderDown() && !(replanned_of_ == model_.answer().scenario));
}

void TrackSlider::take_replanned(Track track, const Scenario& of, bool guess) {
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
    refresh(std::max(1, static_cast<int>(std::lround(groove.width() * devicePixelRatioF()))));
    const TrackPicture picture{.held = &held_,
                               .replanned = replanned_ ? &*replanned_ : nullptr,
                               .stale = is_stale(),
                               .guess = guess_,
                               .mirrored = isRightToLeft()};
    shardscope::paint_track(painter, groove, picture, current_theme());
}

}  // namespace shardscope
