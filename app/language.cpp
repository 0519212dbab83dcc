#include "app/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <algorithm>
#include <memory>

#include "text/said.h"

namespace shardscope {
namespace {

const QString kEnglish = QStringLiteral("en");
const QString kCatalogues = QStringLiteral(":/translations");

// A phrase is said the same way wherever it stands: the catalogue has no contexts.
class Catalogue : public QTranslator {
  public:
    [[nodiscard]] QString translate(const char* /*context*/, const char* english,
                                    const char* /*disambiguation*/, int n) const override {
        return QTranslator::translate("", english, nullptr, n);
    }
};

struct Spoken {
    QString code = kEnglish;
    QTranslator qt;  // Qt's own dialogs, where the system has them
    Catalogue ours;
};

std::unique_ptr<Spoken>& spoken() {
    static std::unique_ptr<Spoken> now;
    return now;
}

QString of_system() {
    const QStringList known = languages();
    for (const QString& wanted : QLocale::system().uiLanguages()) {
        QString code = wanted.section(QLatin1Char('-'), 0, 0);
        if (known.contains(code)) return code;
    }
    return kEnglish;
}

}  // namespace

QStringList languages() {
    QStringList codes{kEnglish};
    for (const QString& file : QDir(kCatalogues).entryList({QStringLiteral("*.qm")}, QDir::Files, QDir::Name))
        codes += file.chopped(3);
    return codes;
}

QString language_name(const QString& code) {
    if (code == kEnglish) return QStringLiteral("English");
    QString name = QLocale(code).nativeLanguageName();
    if (!name.isEmpty()) name[0] = name[0].toUpper();
    return name;
}

QString language_spoken() { return spoken() ? spoken()->code : kEnglish; }

void speak_language(const QString& code) {
    spoken().reset();  // a translator that goes is no longer asked
    speak({});
    auto next = std::make_unique<Spoken>();
    next->code = languages().contains(code) ? code : of_system();
    if (next->code == kEnglish) return;
    if (!next->ours.load(kCatalogues + QLatin1Char('/') + next->code + QStringLiteral(".qm"))) return;
    if (next->qt.load(QStringLiteral("qtbase_") + next->code,
                      QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&next->qt);
    QCoreApplication::installTranslator(&next->ours);
    speak([](std::string_view english) {
        return QCoreApplication::translate("", std::string(english).c_str()).toStdString();
    });
    spoken() = std::move(next);
}

}  // namespace shardscope
