// Fuzzes session files: a session that is read without a problem can be written and reads back equal.
#include "files/session_file.h"
#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"

using namespace shardscope;

namespace {

bool equal(const SavedSession& a, const SavedSession& b) {
    if (a.current != b.current || a.pins.size() != b.pins.size() || a.compared != b.compared ||
        a.view != b.view)
        return false;
    for (std::size_t i = 0; i < a.pins.size(); ++i) {
        if (a.pins[i].letter != b.pins[i].letter || a.pins[i].scenario != b.pins[i].scenario) return false;
    }
    return true;
}

void run(std::string_view text) {
    Catalogue& catalogue = fuzz::catalogue();
    Problems problems;
    const SavedSession session = read_session(text, catalogue, fuzz::kNowhere, problems);
    fuzz::check_problems(problems);
    if (!problems.empty()) return;
    fuzz::promise(is_session(text), "what is read as a session calls itself one");
    fuzz::promise(session.pins.size() <= kMostPins, "no more pins than the window has letters for");
    const SavedSession again = read_session(write_session(session), catalogue, fuzz::kNowhere, problems);
    fuzz::promise(problems.empty() && equal(session, again), "a written session reads back equal");
}

const fuzz::Registration kRegistered({"session", run, fuzz::mutate_scenarios});

}  // namespace
