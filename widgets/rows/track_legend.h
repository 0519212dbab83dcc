// What the colours and marks of a track mean, as a tool tip with a picture of a track.
#pragma once

#include <QString>

namespace shardscope {

QString track_legend();

}  // namespace shardscope
