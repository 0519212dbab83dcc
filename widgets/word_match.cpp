#include "widgets/word_match.h"

#include <algorithm>

#include "widgets/text.h"

namespace shardscope {

WordMatch match_words(const QString& words, const QStringList& names, const QString& further) {
    const QStringList wanted = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const QString whole = wanted.join(QLatin1Char(' '));
    const auto all_in = [&](const QString& text) {
        return std::ranges::all_of(
            wanted, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
    };
    if (names.contains(whole, Qt::CaseInsensitive)) return WordMatch::whole;
    if (std::ranges::any_of(names, all_in)) return WordMatch::name;
    return all_in(names.join(QLatin1Char(' ')) + QLatin1Char(' ') + further) ? WordMatch::mentioned
                                                                             : WordMatch::none;
}

WordMatch match_parameter(P id, const QString& words) {
    const Parameter& row = parameter(id);
    const QString label = text_of(label_of(id));
    QString initials;  // "TP" finds tensor parallel
    for (const QString& word : label.split(QLatin1Char(' '))) initials += word.at(0);
    QStringList names{label, initials, text_of(field_of(id)).replace(QLatin1Char('_'), QLatin1Char(' '))};
    names << text_of(synonyms_of(id)).split(QStringLiteral(", "), Qt::SkipEmptyParts);
    return match_words(words, names, text_of(row.key) + QLatin1Char(' ') + text_of(help_of(id)));
}

}  // namespace shardscope
