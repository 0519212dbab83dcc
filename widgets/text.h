// Converts the engine's texts to QString, and translates texts outside of QObjects.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <string_view>

#include "text/translate.h"

namespace shardscope {

inline QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Returns a text of a preset in the current language. The catalogue contains the texts of the shipped studies
// and calibrations (`./dev translate` finds them). Names and texts of the user's own presets are not
// translated.
inline constexpr QStringView kBetweenParts = u" · ";  // in a line of facts

inline QString preset_text(std::string_view text) { return text_of(translate(text)); }

// The catalogue does not distinguish contexts.
inline constexpr const char* kNoContext = "";

// Translates like QObject::tr, but without a context.
inline QString tr(const char* english) { return QCoreApplication::translate(kNoContext, english); }

}  // namespace shardscope
