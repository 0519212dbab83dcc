// Qt's application object, without which nothing can be drawn.
#pragma once

#include <memory>

class QApplication;

namespace shardscope {

// Makes the application object. Where Qt finds no display that it can use, the program says so on standard
// error and ends with exit code 1. `argc` and `argv` have to live as long as the object.
std::unique_ptr<QApplication> make_application(int& argc, char** argv);

}  // namespace shardscope
