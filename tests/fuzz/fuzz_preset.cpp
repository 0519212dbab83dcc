// Preset files: what the catalogue takes can be found again and used.
#include "estimate/answer.h"
#include "fuzz.h"
#include "scenario/catalogue.h"
#include "studies/study.h"

using namespace shardscope;

namespace {

Catalogue fresh() {
    Problems none;
    return Catalogue::with_folder({}, none);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Presets taken stay; a new catalogue now and then keeps runs independent and memory small.
    static Catalogue catalogue = fresh();
    static int taken = 0;
    if (taken > 1000) {
        catalogue = fresh();
        taken = 0;
    }
    Problems problems;
    const Preset* preset = catalogue.add(fuzz::text_of(data, size), "mine.json", problems);
    fuzz::promise((preset == nullptr) == !problems.empty(), "a preset is taken or there is a problem");
    if (!preset) return 0;
    ++taken;
    fuzz::promise(catalogue.find(preset->kind, preset->name) == preset, "a preset taken is found");
    Scenario scenario = Scenario::first_launch(catalogue);
    if (preset->kind == PresetKind::model) scenario = with_model(scenario, *preset);
    if (preset->kind == PresetKind::cluster) scenario = with_cluster(scenario, *preset);
    if (preset->kind == PresetKind::gpu) scenario.gpu = preset;
    answer(scenario);
    if (preset->kind == PresetKind::study) {
        const Study study = read_study(*preset, catalogue, problems);
        if (problems.empty()) {
            fuzz::promise(!study.claims.empty(), "a study that is taken has claims");
            for (const Claim& claim : study.claims) expected_text(claim);
        }
    }
    return 0;
}
