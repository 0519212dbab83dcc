// The languages of the window: English, and each language with a catalogue in resources/translations. The
// command line and files are always in English.
#pragma once

#include <QString>
#include <QStringList>

namespace shardscope {

QStringList languages();                     // "en", "de"; English first
QString language_name(const QString& code);  // in the language itself: "Deutsch"
QString active_language();                   // "de"
// Sets the language of texts from now on. Empty means the system's language, or English where there is no
// catalogue for it. Texts on the screen do not change.
void set_language_of_texts(const QString& code);

}  // namespace shardscope
