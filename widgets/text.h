// Texts of the engine as Qt's, and texts of what is no QObject in the language spoken.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <string_view>

#include "text/said.h"

namespace shardscope {

inline QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// What a preset says of itself, in the language spoken. The catalogue has the words of the studies and
// calibrations that ship (`./dev translate` finds them); names, and what presets of one's own say, stay as
// they are.
inline QString preset_text(std::string_view text) { return text_of(said(text)); }

// As QObject::tr; the catalogue tells no contexts apart.
inline QString tr(const char* english) { return QCoreApplication::translate("", english); }

}  // namespace shardscope
