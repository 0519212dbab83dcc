// The preset pickers of the tool bar: "Cluster DGX H100 (modified)".
// Object names: "picker/cluster", "picker/model"; entries "cluster/dgx-h100", "model/mpt-13b".
#pragma once

#include "widgets/live_model.h"

class QToolButton;
class QWidget;

namespace shardscope {

QToolButton* make_cluster_picker(LiveModel& model, QWidget* parent);
QToolButton* make_model_picker(LiveModel& model, QWidget* parent);
void refresh_picker(QToolButton& picker, const QString& kind, const Preset* preset, bool modified);

}  // namespace shardscope
