// All available presets: the shipped ones, which are compiled in, and those of the user's data folder.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/preset.h"
#include "text/problem.h"

namespace shardscope {

class Catalogue {  // presets by kind and name
  public:
    // Returns the shipped presets, which are read on first use. A shipped file that cannot be read is a
    // programming error and ends the program with a message.
    static const Catalogue& shipped();
    // Returns the shipped presets and those in *.json files in `folder` and its subfolders (a missing folder
    // is not an error). `check` may report problems of a preset that was read.
    using Check = std::function<void(const Preset&, Catalogue&, Problems&)>;
    static Catalogue with_folder(const std::string& folder, Problems& problems, const Check& check = {});

    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;
    Catalogue(Catalogue&&) = default;
    Catalogue& operator=(Catalogue&&) = default;

    // Returns nullptr if there is no preset of that name.
    [[nodiscard]] const Preset* find(PresetKind kind, std::string_view name) const;
    [[nodiscard]] std::vector<const Preset*> all(PresetKind kind) const;
    [[nodiscard]] std::vector<std::string> names(PresetKind kind) const;
    // Returns the constants of the software stack with these values of `cluster.software` and
    // `software_version`: those of its release, if a calibration names the release, else those of the stack;
    // nullptr if it has none.
    [[nodiscard]] const Preset* stack(double software, double version) const;

    // Returns the constants that are the same for every GPU and stack.
    [[nodiscard]] const Values& everywhere() const { return everywhere_; }
    // Applies the values of a calibration: they replace values of the calibration presets that the parts
    // name, or are added to them. Returns the names of parts for which there is no preset.
    std::vector<std::string> adopt(const std::vector<PartValues>& parts, const std::string& source);
    // Returns the shipped presets without the constants fitted to the public runs: the priors of a
    // calibration.
    static Catalogue uncalibrated();

    // Reads the text of a preset file and adds the preset; on problems it adds nothing and returns nullptr.
    // The same text of the same file always gives the same preset. A changed text of that file gives another
    // preset, and the name then refers to the newer one. A shipped preset keeps its name and title: a user's
    // preset of the same name is listed as NAME-own, with the file name after its title, and can still be
    // found by its path.
    const Preset* add(std::string_view text, const std::string& path, Problems& problems);
    // Adds the list of operators of a scenario as a model without a name; the same list gives the same
    // preset.
    const Preset* add_operators(std::shared_ptr<const ListedModel> operators);

  private:
    Catalogue() = default;
    // Returns a copy whose presets refer to each other and not to those of this catalogue.
    [[nodiscard]] Catalogue copy() const;
    // Changes the name and the title of a preset that equal those of a shipped one.
    void make_distinct(Preset& own) const;
    void load_shipped();
    void load_fits();
    void link_stacks();

    Values everywhere_;
    std::deque<Preset> presets_;  // a deque keeps the addresses valid
    std::map<std::pair<PresetKind, std::string>, const Preset*, std::less<>> by_name_;
    std::array<const Preset*, 32> stacks_{};
    std::vector<const Preset*> releases_;  // of stacks
};

}  // namespace shardscope
