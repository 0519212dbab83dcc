// Shows the dialog with the program's name, version and licence.
#pragma once

class QWidget;

namespace shardscope {

void show_about(QWidget* parent);

}  // namespace shardscope
