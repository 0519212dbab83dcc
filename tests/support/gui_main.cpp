// The main function of the GUI tests: no display unless SHARDSCOPE_TESTS_PLATFORM names a Qt platform that
// has one, settings that last as long as the process (tests run in parallel), and one locale. Test discovery
// runs it at build time.
#include <QApplication>
#include <QLocale>
#include <QTemporaryDir>

#include "support/run_tests.h"
#include "widgets/theme/theme.h"

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", qEnvironmentVariableIsSet("SHARDSCOPE_TESTS_PLATFORM")
                                   ? qgetenv("SHARDSCOPE_TESTS_PLATFORM")
                                   : QByteArray("offscreen"));
    // A program that a test starts uses the settings of its test.
    QTemporaryDir home;
    if (!qEnvironmentVariableIsSet("SHARDSCOPE_TESTS_HOME")) {
        qputenv("SHARDSCOPE_TESTS_HOME", QFile::encodeName(home.path()));
        for (const char* kind : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"})
            qputenv(kind, QFile::encodeName(home.filePath(QLatin1String(kind))));
    }
    QLocale::setDefault(QLocale::c());
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("Shardscope tests"));
    QApplication::setApplicationName(QStringLiteral("shardscope-tests"));
    shardscope::ThemeManager::instance().choose(shardscope::ThemeManager::Choice::light);
    return run_tests(argc, argv);
}
