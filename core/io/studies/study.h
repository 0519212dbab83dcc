// A study is a question of a paper: a scenario with a view, advice on what to look at and what to drag, and
// the claims that it examines. Studies are presets of kind `study` (presets/studies/*.json,
// presets/schema/study.schema.json).
//
// The full texts of the papers were not available. Set-ups are therefore reconstructed, and a number is
// called published only where it was read in a public source.
#pragma once

#include <string>
#include <vector>

#include "files/saved_scenario.h"
#include "studies/claim.h"

namespace shardscope {

struct Paper {
    std::string label;    // "Wang et al. 2025": heading of all studies of the paper
    std::string authors;  // "Wang, Ebert, Filatov, Kesselheim"
    std::string title;
    std::string arxiv;  // "2504.03655"; "" where there is none
};

struct Study {
    const Preset* preset = nullptr;  // from which the study was read, if any
    std::string name;                // "scaling-trends-weak"
    std::string title;               // "One step on more and more GPUs"
    Paper paper;
    SavedScenario scenario;      // with the view
    std::vector<Scenario> pins;  // of the view
    std::string look;            // what to look at
    std::string drag;            // what to drag
    std::vector<Claim> claims;

    // "after Fernandez et al. 2024, arXiv 2411.13055, reconstructed"
    [[nodiscard]] std::string origin() const;
};

// Returns whether a file's text is a preset of kind study.
bool is_study(std::string_view text);
// Reports all problems at once, with pointers from the top of the file; the study is usable only when there
// are none. Presets given as relative paths are resolved against `folder`.
Study read_study(std::string_view text, Catalogue& catalogue, const std::string& folder, Problems& problems);
// Reads only the paper of a preset of kind study; its texts are empty where they cannot be read.
Paper paper_of(const Preset& preset, Catalogue& catalogue);
// Reads the whole study of a preset.
Study read_study(const Preset& preset, Catalogue& catalogue, Problems& problems);
// Reports the problems of a preset if it is a study; see Catalogue::with_folder. Tests check the shipped
// studies.
void check_study(const Preset& preset, Catalogue& catalogue, Problems& problems);

}  // namespace shardscope
