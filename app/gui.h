// The main function of the window: application object, theme, session, event loop.
#pragma once

#include <string>

namespace shardscope {

// Opens the window and, unless it is empty, `file`: a scenario, a session or a figure that carries a
// scenario.
int run_gui(int argc, char** argv, const std::string& file);

}  // namespace shardscope
