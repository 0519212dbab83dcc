// How well typed words match a name, for the search among the parameters and for the command line.
#pragma once

#include <QString>
#include <QStringList>

#include "parameters/parameter.h"

namespace shardscope {

// In a further text about the thing, in one of its names, or as the whole of a name. Each is better than
// those before it.
enum class WordMatch { none, mentioned, name, whole };

// Each of the words has to occur in one name, or somewhere in the names and in the further text.
WordMatch match_words(const QString& words, const QStringList& names, const QString& further);
// Compares the words with the label, its initials, the synonyms, the key and the help of a parameter.
WordMatch match_parameter(P id, const QString& words);

}  // namespace shardscope
