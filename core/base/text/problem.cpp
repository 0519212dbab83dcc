#include "text/problem.h"

#include "text/encode.h"
#include "text/text.h"

namespace shardscope {

std::string Problem::text(const std::string& file) const {
    std::string out = file;
    if (line > 0 && !file.empty()) out += ":" + std::to_string(line);
    if (!where.empty()) out += (out.empty() ? "" : ":") + where;
    if (!out.empty()) out += ": ";
    out += what;
    if (!why.empty()) out += " (" + why + ")";
    if (!suggestion.empty()) out += "; " + suggestion;
    return terminal_line(out);
}

std::string texts_of(const Problems& problems) {
    return joined(problems, " · ", [](const Problem& problem) { return problem.text(); });
}

}  // namespace shardscope
