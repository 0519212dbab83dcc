// All presets the program knows: the shipped ones, compiled in, and those of the user's data folder.
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
    // The shipped presets. Read once, on first use; a shipped file that cannot be read is a programming
    // error and ends the program with its message.
    static const Catalogue& shipped();
    // The shipped presets and those found as *.json below `folder` (a missing folder is no error). `check`
    // may report problems of a preset that was read.
    using Check = std::function<void(const Preset&, Catalogue&, Problems&)>;
    static Catalogue with_folder(const std::string& folder, Problems& problems, const Check& check = {});

    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;
    Catalogue(Catalogue&&) = default;
    Catalogue& operator=(Catalogue&&) = default;

    // nullptr when there is none of that name.
    [[nodiscard]] const Preset* find(PresetKind kind, std::string_view name) const;
    [[nodiscard]] std::vector<const Preset*> all(PresetKind kind) const;
    [[nodiscard]] std::vector<std::string> names(PresetKind kind) const;
    // Constants of the software stack with this value of `cluster.software`; nullptr when it has none.
    [[nodiscard]] const Preset* stack(double software) const;

    // Constants that are the same for every GPU and stack.
    [[nodiscard]] const Values& everywhere() const { return everywhere_; }
    // Takes a calibration's values: they replace those of the calibration presets they name, or join them.
    // Parts of a name the catalogue does not know are returned.
    std::vector<std::string> adopt(const std::vector<PartValues>& parts, const std::string& source);
    // The shipped presets without the constants fitted to the public runs: the priors of a calibration.
    static Catalogue uncalibrated();

    // Reads one preset file's text and adds it. On problems nothing is added and nullptr returned. The same
    // text of the same file is the same preset, however often it is read; another text of that file is
    // another preset, and the name leads to the newer. A shipped preset keeps its name and title: one's own
    // of the same name is listed as NAME-own, with its file behind the title, and is found by its path as
    // before.
    const Preset* add(std::string_view text, const std::string& path, Problems& problems);
    // A scenario's own list of operators as a model without a name; the same list is the same preset.
    const Preset* add_operators(std::shared_ptr<const ListedModel> operators);

  private:
    Catalogue() = default;
    // The same presets, which refer to each other and not to those of this one.
    [[nodiscard]] Catalogue copy() const;
    void tell_apart(Preset& own) const;
    void load_shipped();
    void load_fits();
    void link_stacks();

    Values everywhere_;
    std::deque<Preset> presets_;  // deque: addresses stay
    std::map<std::pair<PresetKind, std::string>, const Preset*, std::less<>> by_name_;
    std::array<const Preset*, 32> stacks_{};
};

}  // namespace shardscope
