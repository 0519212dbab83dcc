// Creates Qt's application object, which all drawing needs.
#pragma once

#include <memory>

class QApplication;

namespace shardscope {

// Creates the application object. If Qt finds no usable display, the program reports it on standard error and
// ends with exit code 1. `argc` and `argv` have to live as long as the object.
std::unique_ptr<QApplication> make_application(int& argc, char** argv);

}  // namespace shardscope
