// A study: a question of a paper as a scenario with a view, what to look at and to drag, and the claims it
// examines. Studies are presets of kind `study` (presets/studies/*.json, presets/schema/study.schema.json).
//
// The papers' full texts could not be had: set-ups are reconstructed, and a number is called published only
// where it was read in a public source.
#pragma once

#include <string>
#include <vector>

#include "files/view.h"
#include "studies/claim.h"

namespace shardscope {

struct Paper {
    std::string label;    // "Wang et al. 2025": studies of one paper stand together under it
    std::string authors;  // "Wang, Ebert, Filatov, Kesselheim"
    std::string title;
    std::string arxiv;  // "2504.03655"; "" where there is none
};

struct Study {
    const Preset* preset = nullptr;  // it was read from, if any
    std::string name;                // "scaling-trends-weak"
    std::string title;               // "One step on more and more GPUs"
    Paper paper;
    Scenario scenario;           // with the view
    std::vector<Scenario> pins;  // of the view
    std::string look;            // what to look at
    std::string drag;            // what to drag
    std::vector<Claim> claims;

    // "after Fernandez et al. 2024, arXiv 2411.13055, reconstructed"
    [[nodiscard]] std::string origin() const;
};

// Whether a file's text calls itself a study.
bool is_study(std::string_view text);
// Every problem at once, with pointers from the top of the file; the study means something only when there
// is none. `folder` resolves presets given as relative paths.
Study read_study(std::string_view text, Catalogue& catalogue, const std::string& folder, Problems& problems);
// The paper alone of a preset of kind study; empty texts where it cannot be read.
Paper paper_of(const Preset& preset, Catalogue& catalogue);
// All of it.
Study read_study(const Preset& preset, Catalogue& catalogue, Problems& problems);
// Reports what is wrong with a preset that is a study; see Catalogue::with_folder. Tests judge the shipped
// ones.
void check_study(const Preset& preset, Catalogue& catalogue, Problems& problems);

}  // namespace shardscope
