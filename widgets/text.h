// Texts of the engine as Qt's, and texts of what is no QObject in the language spoken.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <string_view>

namespace shardscope {

inline QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// As QObject::tr; the catalogue tells no contexts apart.
inline QString tr(const char* english) { return QCoreApplication::translate("", english); }

}  // namespace shardscope
