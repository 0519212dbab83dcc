#include "app/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <algorithm>
#include <memory>

#include "text/translate.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

const QString kEnglish = QStringLiteral("en");
const QString kCatalogues = QStringLiteral(":/translations");

class TranslationCatalogue : public QTranslator {
  public:
    [[nodiscard]] QString translate(const char* /*context*/, const char* english,
                                    const char* /*disambiguation*/, int n) const override {
        return QTranslator::translate(kNoContext, english, nullptr, n);
    }
};

struct LoadedLanguage {
    QString code = kEnglish;
    QTranslator qt;  // for Qt's own dialogs, where the system has this translation
    TranslationCatalogue catalogue;
};

std::unique_ptr<LoadedLanguage>& current_language() {
    static std::unique_ptr<LoadedLanguage> now;
    return now;
}

QString system_language() {
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

QString active_language() { return current_language() ? current_language()->code : kEnglish; }

void set_language_of_texts(const QString& code) {
    current_language().reset();  // Qt removes a translator that is destroyed
    set_translation({});
    auto next = std::make_unique<LoadedLanguage>();
    next->code = languages().contains(code) ? code : system_language();
    if (next->code == kEnglish) return;
    if (!next->catalogue.load(kCatalogues + QLatin1Char('/') + next->code + QStringLiteral(".qm"))) return;
    if (next->qt.load(QStringLiteral("qtbase_") + next->code,
                      QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&next->qt);
    QCoreApplication::installTranslator(&next->catalogue);
    set_translation([](std::string_view english) {
        return QCoreApplication::translate(kNoContext, std::string(english).c_str()).toStdString();
    });
    current_language() = std::move(next);
}

}  // namespace shardscope
