// The window's own main: application object, theme, session, event loop.
#pragma once

#include <string>

namespace shardscope {

// Opens the window, with `file` (a scenario, a session or a figure that carries a scenario) if not empty.
int run_gui(int argc, char** argv, const std::string& file);

}  // namespace shardscope
