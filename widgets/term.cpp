#include "widgets/term.h"

#include <QRegularExpression>
#include <QStringList>
#include <vector>

#include "text/translate.h"
#include "widgets/encode.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

const QString kScheme = QStringLiteral("term:");

struct Words {
    Term term;
    const char* english;  // separated by "|"
};
constexpr Words kWords[]{
    {Term::mfu, translatable("MFU|HFU")},
    {Term::wall, translatable("wall|walls")},
    {Term::elasticity, translatable("elasticity|elasticities")},
    {Term::weak, translatable("weak scaling")},
    {Term::strong, translatable("strong scaling")},
    {Term::ideal, translatable("ideal|closed form")},
    {Term::knee, translatable("knee")},
    {Term::threshold, translatable("threshold")},
    {Term::exposed, translatable("exposed|overlapped|overlap")},
    {Term::copies, translatable("memory copies|FSDP copies")},
    {Term::micro_batch, translatable("micro-batch|micro-batches|accumulation")},
    {Term::bubble, translatable("bubble|bubbles")},
    {Term::sharding, translatable("sharded|sharding|ZeRO|FSDP")},
    {Term::recomputation, translatable("recomputation|recomputed|recompute")},
    {Term::memory, translatable("allocated|reserved|device memory")},
    {Term::band, translatable("likely range|band")},
};

}  // namespace

QString term_links(const QString& plain) {
    struct Pattern {
        Term term;
        QRegularExpression words;
    };
    // The language does not change while the program runs.
    static const std::vector<Pattern> kPatterns = [] {
        std::vector<Pattern> out;
        for (const Words& words : kWords) {
            QStringList choices;
            for (const QString& word : tr(words.english).split(QLatin1Char('|')))
                choices << QRegularExpression::escape(word);
            out.push_back(
                {words.term,
                 QRegularExpression(
                     QStringLiteral("(?<![\\w-])(%1)(?![\\w-])").arg(choices.join(QLatin1Char('|'))),
                     QRegularExpression::CaseInsensitiveOption |
                         QRegularExpression::UseUnicodePropertiesOption)});
        }
        return out;
    }();
    QStringList links;
    for (const Pattern& pattern : kPatterns) {
        const QRegularExpressionMatch found = pattern.words.match(plain);
        if (!found.hasMatch()) continue;
        links << QStringLiteral("<a href=\"%1%2\">%3</a>")
                     .arg(kScheme)
                     .arg(static_cast<int>(pattern.term))
                     .arg(html_text(found.captured()));
    }
    return links.join(QStringLiteral(" · "));
}

Term term_of_link(const QString& link) {
    bool is_number = false;
    const int number = link.startsWith(kScheme) ? link.mid(kScheme.size()).toInt(&is_number) : -1;
    const bool is_term = is_number && number >= 0 && number < static_cast<int>(Term::count);
    return is_term ? static_cast<Term>(number) : Term::count;
}

}  // namespace shardscope
