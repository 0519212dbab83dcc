// Paints a slider's track: MFU in colour, hatched where it does not fit, a notch where the wall changes.
#pragma once

#include "explore/track.h"

class QPainter;
class QRectF;

namespace shardscope {

struct Theme;

struct TrackPicture {
    const Track* held = nullptr;       // with the plan as it is
    const Track* replanned = nullptr;  // below it, where anything is automatic; nullptr: nothing is
    bool stale = false;                // the re-planned track belongs to an earlier scenario, or is a guess
    bool guess = false;                // where it does not fit a better plan may: the ground without hatch
    bool mirrored = false;             // right to left
};

// `columns` of the tracks are device pixels of the groove, or cells. Nothing is painted outside the groove
// but the notches' triangles above it.
void paint_track(QPainter& painter, const QRectF& groove, const TrackPicture& picture, const Theme& theme);

}  // namespace shardscope
