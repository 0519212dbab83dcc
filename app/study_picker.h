// The study picker of the tool bar, which lists the studies by paper. Object names: "picker/study"; entries
// "study/scaling-trends".
#pragma once

#include <functional>

#include "scenario/catalogue.h"

class QToolButton;
class QWidget;

namespace shardscope {

QToolButton* make_study_picker(Catalogue& catalogue, QWidget* parent,
                               const std::function<void(const Preset&)>& take);

}  // namespace shardscope
