// The languages the window speaks: English, and each that has a catalogue in resources/translations. The
// command line and files are English always.
#pragma once

#include <QString>
#include <QStringList>

namespace shardscope {

QStringList languages();                     // "en", "de"; English first
QString language_name(const QString& code);  // as its speakers call it: "Deutsch"
QString language_spoken();                   // "de"
// What to speak from now on; empty is the system's language, or English where there is no catalogue for it.
// What is on screen already stays as it is.
void speak_language(const QString& code);

}  // namespace shardscope
