// Scenario files: whatever is read without a problem can be written, read again and estimated.
#include "estimate/answer.h"
#include "files/result.h"
#include "files/scenario_file.h"
#include "fuzz.h"

using namespace shardscope;

namespace {

Catalogue& catalogue() {
    static Problems none;
    static Catalogue all = Catalogue::with_folder({}, none);
    return all;
}

void read_one(std::string_view text) {
    Problems problems;
    // The folder does not exist, so that no preset is read from where the fuzzer happens to run.
    const Scenario scenario = read_scenario(text, catalogue(), "/nonexistent", problems);
    for (const Problem& problem : problems) {
        fuzz::promise(!problem.what.empty(), "a problem says what it is");
        invalid_json(scenario.name, problems);
    }
    if (!problems.empty()) return;
    const std::string written = write_scenario(scenario);
    const Scenario again = read_scenario(written, catalogue(), "/nonexistent", problems);
    fuzz::promise(problems.empty() && again == scenario, "a written scenario reads back equal");
    const Answer answered = answer(scenario);
    result_json(answered, true);
    result_text(answered, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Problems problems;
    for (const Document& document : split_documents(fuzz::text_of(data, size), problems)) read_one(document.text);
    return 0;
}
