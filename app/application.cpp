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

// The first message of Qt about its platform plugin.
std::string& first_platform_message() {
    static std::string text;
    return text;
}

// Message handler that reports why no display can be used. Qt gives the reason in warnings and aborts in a
// fatal message; the program exits there instead. This covers a display that does not answer, one that
// refuses the connection, an unknown platform and a missing plugin. None of these can be detected beforehand
// without repeating what Qt does.
void report_failed_start(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    const std::string text = message.trimmed().toStdString();
    if (type == QtFatalMsg) {
        const std::string why = first_platform_message().empty() ? text : first_platform_message();
        commands::print_err(
            "shardscope: there is no display that can be used (%s); see shardscope --help for the "
            "commands that need none\n",
            why.c_str());
        std::fflush(nullptr);
        ::_exit(commands::kFailed);  // no destructors are needed, because no work has begun
    }
    const bool of_platform = context.category && std::string_view(context.category).starts_with("qt.qpa");
    if (!of_platform) commands::print_err("%s\n", text.c_str());
    else if (first_platform_message().empty()) first_platform_message() = text;
}

}  // namespace

std::unique_ptr<QApplication> make_application(int& argc, char** argv) {
    first_platform_message().clear();
    const QtMessageHandler previous = qInstallMessageHandler(report_failed_start);
    auto application = std::make_unique<QApplication>(argc, argv);
    qInstallMessageHandler(previous);
    return application;
}

}  // namespace shardscope
