#include "app/application.h"

#include <unistd.h>
#include <QApplication>
#include <QString>
#include <cstdio>
#include <string>
#include <string_view>

#include "app/commands/command.h"

namespace shardscope {
namespace {

// The first thing that Qt said about its platform.
std::string& platform_trouble() {
    static std::string text;
    return text;
}

// Qt tells why a platform cannot be used in warnings, and then aborts in a fatal message. The program takes
// its leave there instead: this covers a display that does not answer, one that refuses, an unknown platform
// and a missing plugin alike, as none of them can be asked about beforehand without doing what Qt does.
void say_why_not_started(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    const std::string text = message.trimmed().toStdString();
    if (type == QtFatalMsg) {
        const std::string why = platform_trouble().empty() ? text : platform_trouble();
        commands::print_err(
            "shardscope: there is no display that can be used (%s); see shardscope --help for the "
            "commands that need none\n",
            why.c_str());
        std::fflush(nullptr);
        ::_exit(commands::kFailed);  // nothing has been begun that would have to be ended
    }
    const bool of_platform = context.category && std::string_view(context.category).starts_with("qt.qpa");
    if (!of_platform) commands::print_err("%s\n", text.c_str());
    else if (platform_trouble().empty()) platform_trouble() = text;
}

}  // namespace

std::unique_ptr<QApplication> make_application(int& argc, char** argv) {
    platform_trouble().clear();
    const QtMessageHandler usual = qInstallMessageHandler(say_why_not_started);
    auto application = std::make_unique<QApplication>(argc, argv);
    qInstallMessageHandler(usual);
    return application;
}

}  // namespace shardscope
