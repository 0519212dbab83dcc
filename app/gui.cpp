#include "app/gui.h"

#include <QApplication>
#include <QHashFunctions>
#include <QIcon>
#include <cstdio>

#include "app/application.h"
#include "app/commands/command.h"
#include "app/documents.h"
#include "app/language.h"
#include "app/main_window.h"
#include "app/session.h"
#include "widgets/theme/desktop_theme.h"
#include "widgets/theme/theme.h"

namespace shardscope {

int run_gui(int argc, char** argv, const std::string& file) {
    const auto missing = [](const char* name) { return qEnvironmentVariableIsEmpty(name); };
    if (missing("DISPLAY") && missing("WAYLAND_DISPLAY") && missing("QT_QPA_PLATFORM")) {
        std::fputs(
            "shardscope: there is no display to open a window on; see shardscope --help for the commands "
            "that need none\n",
            stderr);
        return commands::kFailed;
    }
    QHashSeed::setDeterministicGlobalSeed();  // makes exported PDFs reproducible, see commands/export.cpp
    const std::unique_ptr<QApplication> application = make_application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("Shardscope"));
    QApplication::setOrganizationDomain(QStringLiteral("shardscope.org"));
    QApplication::setOrganizationName(QStringLiteral("Shardscope"));
    QApplication::setApplicationVersion(QStringLiteral(SHARDSCOPE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("org.shardscope.Shardscope"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/org.shardscope.Shardscope.svg")));
    Session session;
    set_language_of_texts(session.language());
    ThemeManager::instance().choose(session.theme());
    const DesktopTheme desktop;
    MainWindow window(commands::catalogue(), session);
    window.documents().start(QString::fromStdString(file));
    window.show();
    return QApplication::exec();
}

}  // namespace shardscope
