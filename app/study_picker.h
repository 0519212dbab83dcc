// The preset pickers of the tool bar. The pickers of clusters and models show the current preset, "Cluster
// DGX H100 (modified)", have a sub-menu for each family and tick the current preset. The picker of studies
// lists them by paper. Object names: "picker/cluster", "picker/model", "picker/study"; entries
// "cluster/dgx-h100", "model/mpt-13b", "study/scaling-trends".
#pragma once

#include <functional>

#include "widgets/live_model.h"

class QToolButton;
class QWidget;

namespace shardscope {

QToolButton* make_cluster_picker(LiveModel& model, QWidget* parent);
QToolButton* make_model_picker(LiveModel& model, QWidget* parent);
QToolButton* make_study_picker(Catalogue& catalogue, QWidget* parent,
                               const std::function<void(const Preset&)>& take);
// Sets the button's text and the tick in the menu of a cluster or model picker.
void refresh_picker(QToolButton& picker, const QString& kind, const Preset* preset, bool modified);

}  // namespace shardscope
