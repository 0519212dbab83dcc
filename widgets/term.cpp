#include "widgets/term.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "text/translate.h"
#include "widgets/drawn_words.h"
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
    {Term::weak, translatable("weak scaling|weak")},
    {Term::strong, translatable("strong scaling|strong")},
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

struct Pattern {
    Term term;
    QRegularExpression words;
};

const std::vector<Pattern>& patterns() {
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
    return kPatterns;
}

}  // namespace

QString term_links(const QString& plain) {
    QStringList links;
    for (const Pattern& pattern : patterns()) {
        const QRegularExpressionMatch found = pattern.words.match(plain);
        if (!found.hasMatch()) continue;
        links << QStringLiteral("<a href=\"%1%2\">%3</a>")
                     .arg(kScheme)
                     .arg(static_cast<int>(pattern.term))
                     .arg(html_text(found.captured()));
    }
    return links.join(kBetweenParts);
}

std::optional<Term> term_at(const std::vector<DrawnWord>& words, const QPointF& at) {
    for (const DrawnWord& drawn : words) {
        if (!drawn.box.contains(at)) continue;
        // Of several terms in one text, the one nearest to the point.
        const double letter = drawn.box.width() / static_cast<double>(drawn.text.size());
        std::optional<Term> nearest;
        double least = std::numeric_limits<double>::infinity();
        for (const Pattern& pattern : patterns()) {
            const QRegularExpressionMatch found = pattern.words.match(drawn.text);
            if (!found.hasMatch()) continue;
            const double middle = 0.5 * static_cast<double>(found.capturedStart() + found.capturedEnd());
            const double away = std::fabs(drawn.box.left() + middle * letter - at.x());
            if (away >= least) continue;
            least = away;
            nearest = pattern.term;
        }
        if (nearest) return nearest;
    }
    return std::nullopt;
}

QRectF box_of(Term term, const std::vector<DrawnWord>& words) {
    const auto pattern = std::ranges::find(patterns(), term, &Pattern::term);
    for (const DrawnWord& drawn : words) {
        if (pattern->words.match(drawn.text).hasMatch()) return drawn.box;
    }
    return {};
}

Term term_of_link(const QString& link) {
    bool is_number = false;
    const int number = link.startsWith(kScheme) ? link.mid(kScheme.size()).toInt(&is_number) : -1;
    const bool is_term = is_number && number >= 0 && number < static_cast<int>(Term::count);
    return is_term ? static_cast<Term>(number) : Term::count;
}

}  // namespace shardscope
