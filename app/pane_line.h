// The thin line between two panes, in the theme's colour.
#pragma once

class QWidget;

namespace shardscope {

QWidget* pane_line(bool vertical);

}  // namespace shardscope
