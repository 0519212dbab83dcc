// Session files: whatever is read without a problem can be written and reads back equal.
#include "files/session_file.h"
#include "fuzz.h"

using namespace shardscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Problems none;
    static Catalogue all = Catalogue::with_folder({}, none);
    // The folder does not exist, so that no preset is read from where the fuzzer happens to run.
    const char* const folder = "/nonexistent";
    Problems problems;
    const SavedSession session = read_session(fuzz::text_of(data, size), all, folder, problems);
    for (const Problem& problem : problems) fuzz::promise(!problem.what.empty(), "a problem says what it is");
    if (!problems.empty()) return 0;
    fuzz::promise(session.pins.size() <= kMostPins, "no more pins than the window has letters for");
    const SavedSession again = read_session(write_session(session), all, folder, problems);
    bool equal = problems.empty() && again.current == session.current &&
                 again.pins.size() == session.pins.size() && again.compared == session.compared;
    for (std::size_t i = 0; equal && i < session.pins.size(); ++i) {
        equal = again.pins[i].letter == session.pins[i].letter &&
                again.pins[i].scenario == session.pins[i].scenario;
    }
    fuzz::promise(equal, "a written session reads back equal");
    return 0;
}
