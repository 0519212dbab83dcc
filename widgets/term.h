// The terms that the glossary explains, in the order of its page (resources/help/glossary.md), and the words
// by which texts of the window mention them. To add a term, add a section with a picture to the page in every
// language, an enumerator and its words.
#pragma once

#include <QString>

namespace shardscope {

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
// Returns the term of such a link; Term::count if it is another link.
Term term_of_link(const QString& link);

}  // namespace shardscope
