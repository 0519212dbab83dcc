// The terms that the glossary explains, in the order of its page (resources/help/glossary.md), and the words
// by which texts of the window mention them. To add a term, add a section with a picture to the page in every
// language, an enumerator and its words.
#pragma once

#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

namespace shardscope {

struct DrawnWord;

enum class Term {
    mfu,
    wall,
    elasticity,
    weak,
    strong,
    ideal,
    knee,
    threshold,
    exposed,
    copies,
    micro_batch,
    bubble,
    sharding,
    recomputation,
    memory,
    band,
    count
};

// Returns the terms that a text mentions as HTML links "term:N", separated by dots.
QString term_links(const QString& plain);
// Returns the term that is written at this point of a picture with these words.
std::optional<Term> term_at(const std::vector<DrawnWord>& words, const QPointF& at);
// Returns where the picture mentions the term first; empty if it does not.
QRectF box_of(Term term, const std::vector<DrawnWord>& words);
// Returns the term of such a link; Term::count if it is another link.
Term term_of_link(const QString& link);

}  // namespace shardscope
