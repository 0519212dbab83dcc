// The GUI tests' own main: no display, no trace in the user's settings, one locale. Discovery runs this at
// build time.
#define CATCH_CONFIG_RUNNER
#include <QApplication>
#include <QLocale>
#include <QStandardPaths>
#include <catch2/catch.hpp>

#include "widgets/theme/theme.h"

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QLocale::setDefault(QLocale::c());
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("Shardscope tests"));
    QApplication::setApplicationName(QStringLiteral("shardscope-tests"));
    shardscope::ThemeManager::instance().choose(shardscope::ThemeManager::Choice::light);
    return Catch::Session().run(argc, argv);
}
