// Texts of the engine as Qt's.
#pragma once

#include <QString>
#include <string_view>

namespace shardscope {

inline QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace shardscope
