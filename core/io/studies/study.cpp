#include "studies/study.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "files/scenario_file.h"
#include "presets/json_values.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;

const std::vector<std::string> kStudyFields{"format", "version",  "kind", "name", "title", "source",
                                            "paper",  "scenario", "look", "drag", "claims"};
const std::vector<std::string> kPaperFields{"label", "authors", "title", "arxiv"};
const std::vector<std::string> kClaimFields{"name",   "says",    "source", "by",     "published", "scenarios",
                                            "output", "measure", "along",  "target", "stated",    "agrees"};
constexpr std::array kMeasures{Measure::value, Measure::ratio, Measure::relative_change, Measure::crossover};

class Reader {
  public:
    Reader(Catalogue& catalogue, const std::string& folder, Problems& problems)
        : catalogue_(catalogue), folder_(folder), problems_(problems) {}

    Study read(const json& file) {
        Study out;
        refuse_unknown_fields(file, "", kStudyFields);
        out.name = text(file, "", "name");
        out.title = clean_title(text(file, "", "title"));
        out.look = text(file, "", "look");
        out.drag = text(file, "", "drag");
        out.paper = paper(file);
        out.scenario = SavedScenario(Scenario::first_launch(catalogue_));
        if (const json* scenario = object(file, "", "scenario")) {
            const std::size_t before = problems_.size();
            out.scenario = read_part(*scenario, "/scenario", [&](const std::string& text, Problems& own) {
                return read_scenario(text, catalogue_, folder_, own, true);
            });
            // The claims' scenarios are patches of this one and would repeat its problems.
            if (problems_.size() > before) return out;
        }
        if (out.scenario.name.empty()) out.scenario.name = out.title;
        out.scenario.view.study = out.name;
        out.pins = pins_of(out.scenario.view, out.scenario, catalogue_, problems_);
        const auto claims = file.find("claims");
        if (claims == file.end() || !claims->is_array() || claims->empty()) {
            problems_.push_back(
                {"/claims", translate("a study must have at least one claim"), "", translate("write [{…}]")});
            return out;
        }
        for (std::size_t i = 0; i < claims->size(); ++i)
            out.claims.push_back(claim((*claims)[i], "/claims/" + std::to_string(i), out.scenario));
        for (Claim& one : out.claims) {
            if (one.by.empty()) one.by = out.paper.label;
        }
        return out;
    }

    Paper paper(const json& file) {
        Paper out;
        const json* paper = object(file, "", "paper");
        if (!paper) return out;
        refuse_unknown_fields(*paper, "/paper", kPaperFields);
        out.label = clean_title(text(*paper, "/paper", "label"));
        out.authors = text(*paper, "/paper", "authors");
        out.title = text(*paper, "/paper", "title");
        if (paper->contains("arxiv")) out.arxiv = text(*paper, "/paper", "arxiv");
        return out;
    }

  private:
    void refuse_unknown_fields(const json& object, const std::string& pointer,
                               std::span<const std::string> known) {
        for (const auto& [field, value] : object.items()) {
            if (std::ranges::find(known, field) == known.end())
                problems_.push_back(unknown_field(pointer, field, known));
        }
    }

    std::string text(const json& object, const std::string& pointer, const char* field) {
        const auto found = object.find(field);
        if (found != object.end() && found->is_string() && !found->get_ref<const std::string&>().empty())
            return one_line(found->get_ref<const std::string&>());
        problems_.push_back({child_pointer(pointer, field),
                             translate("{1} is missing", {field}),
                             translate("a string is expected"),
                             {}});
        return {};
    }

    const json* object(const json& parent, const std::string& pointer, const char* field) {
        const auto found = parent.find(field);
        if (found != parent.end() && found->is_object()) return &*found;
        problems_.push_back({child_pointer(pointer, field),
                             translate("{1} is missing", {field}),
                             translate("an object is expected"),
                             {}});
        return nullptr;
    }

    // Reads a scenario in the file; its problems get their place in the file.
    template <typename Read>
    std::invoke_result_t<Read, const std::string&, Problems&> read_part(const json& part,
                                                                        const std::string& pointer,
                                                                        Read read) {
        Problems own;
        auto out = read(json_text(part), own);
        for (Problem& problem : own) {
            problem.where = pointer + problem.where;
            problem.line = 0;  // of the part alone
            problems_.push_back(std::move(problem));
        }
        return out;
    }

    // Reads a number of the claim's measure; null means `open`.
    double number(const json& value, const std::string& pointer, double open) {
        if (value.is_number()) return value.get<double>();
        if (!value.is_null())
            problems_.push_back({pointer, translate("{1} is not a number", {json_text(value)}), "", {}});
        return open;
    }

    Claim claim(const json& file, const std::string& at, const Scenario& base) {
        Claim out;
        if (!file.is_object()) {
            problems_.push_back({at, translate("a claim must be an object"), "", translate("write {…}")});
            return out;
        }
        refuse_unknown_fields(file, at, kClaimFields);
        out.name = clean_title(text(file, at, "name"));
        out.statement = text(file, at, "says");
        out.source = text(file, at, "source");
        if (file.contains("by")) out.by = text(file, at, "by");
        if (const auto published = file.find("published"); published != file.end() && published->is_boolean())
            out.published = published->get<bool>();
        else
            problems_.push_back({at + "/published", translate("{1} is missing", {"published"}),
                                 translate("true or false is expected"),
                                 translate("write true only where the number was read in a public source")});
        if (const auto found = find_output(text(file, at, "output"))) {
            out.output = *found;
        } else {
            std::vector<std::string> known;
            for (const OutputRow& row : outputs()) known.emplace_back(row.path);
            const std::string path = json_text(file.value("output", json()));
            problems_.push_back(
                {at + "/output", translate("there is no output {1}", {path}), "", suggestion(path, known)});
        }
        read_measure(file, at, out);
        read_scenarios(file, at, base, out);
        read_axes(file, at, out);
        read_numbers(file, at, out);
        return out;
    }

    void read_measure(const json& file, const std::string& at, Claim& out) {
        const std::string name = text(file, at, "measure");
        const auto found = std::ranges::find(kMeasures, name, [](Measure m) { return name_of(m); });
        if (found != kMeasures.end()) out.measure = *found;
        else if (!name.empty())
            problems_.push_back({at + "/measure", translate("“{1}” is not a measure", {name}), "",
                                 translate("use value, ratio, relative-change or crossover")});
    }

    void read_scenarios(const json& file, const std::string& at, const Scenario& base, Claim& out) {
        const auto list = file.find("scenarios");
        if (list == file.end() || !list->is_array() || list->empty()) {
            problems_.push_back({at + "/scenarios", translate("a claim must have a list of scenarios"),
                                 translate("each lists its changes to the study's scenario"),
                                 translate("write [{}, {…}]")});
            return;
        }
        for (std::size_t i = 0; i < list->size(); ++i) {
            out.scenarios.push_back(read_part((*list)[i], at + "/scenarios/" + std::to_string(i),
                                              [&](const std::string& text, Problems& own) {
                                                  return apply_patch(base, text, catalogue_, own);
                                              }));
        }
        const std::size_t count = out.scenarios.size();
        const bool one =
            out.measure == Measure::value || (out.measure == Measure::crossover && file.contains("target"));
        const bool any = out.measure == Measure::crossover && !one;
        if (one ? count != 1 : any ? count < 2 : count != 2) {
            problems_.push_back({at + "/scenarios",
                                 translate("{1} scenarios", {std::to_string(count)}),
                                 one   ? translate("one is expected")
                                 : any ? translate("two or more are expected, or one with a target")
                                       : translate("two are expected"),
                                 {}});
        }
    }

    // Reads the axes, for instance {"gpus": [8, 16, 32]}, whose values have the form of a scenario's.
    void read_axes(const json& file, const std::string& at, Claim& out) {
        const auto along = file.find("along");
        const json axes = along == file.end() ? json::object() : *along;
        for (const auto& [key, values] : axes.items()) {
            const std::string where = child_pointer(at + "/along", key);
            const std::optional<P> id = find_parameter(key);
            if (!id) {
                std::vector<std::string> known;
                for (std::size_t i = 0; i < kParameters; ++i) known.emplace_back(field_of(static_cast<P>(i)));
                problems_.push_back(unknown_field(at + "/along", key, known));
                continue;
            }
            Axis axis{*id, {}};
            for (std::size_t i = 0; i < (values.is_array() ? values.size() : 0); ++i) {
                const std::string at_value = where + "/" + std::to_string(i);
                if (values[i].is_null())
                    problems_.push_back({at_value, translate("null is not a value"), "", {}});
                axis.values.push_back(read_value(axis.id, values[i], at_value, problems_));
            }
            if (axis.values.empty())
                problems_.push_back({where, translate("an axis must be a list of values"), "",
                                     translate("write for instance [8, 16]")});
            out.along.push_back(std::move(axis));
        }
        double combinations = 1;
        for (const Axis& axis : out.along) combinations *= static_cast<double>(axis.values.size());
        constexpr double kMostCombinations = 10000;
        if (combinations > kMostCombinations)
            problems_.push_back({at + "/along", translate("{1} combinations", {exact(combinations)}),
                                 translate("each of them is computed"), translate("use at most 10,000")});
        if (out.measure == Measure::crossover && out.along.size() != 1)
            problems_.push_back({at + "/along", translate("a crossover needs exactly one input"), "",
                                 translate("write for instance {\"gpus\": [8, 16, 32]}")});
    }

    void read_numbers(const json& file, const std::string& at, Claim& out) {
        if (const auto target = file.find("target"); target != file.end())
            out.target = number(*target, at + "/target", out.target);
        if (const auto stated = file.find("stated"); stated != file.end() && !stated->is_null())
            out.stated = number(*stated, at + "/stated", 0);
        const auto range = file.find("agrees");
        if (range == file.end() && !out.published && !out.stated) return;  // a question
        if (range == file.end() || !range->is_array() || range->size() != 2) {
            problems_.push_back({at + "/agrees", translate("{1} is missing", {"agrees"}),
                                 translate("the lowest and the highest value that count as agreement"),
                                 translate("write for instance [-0.45, -0.3]; null is an open end")});
            return;
        }
        out.low = number((*range)[0], at + "/agrees/0", out.low);
        out.high = number((*range)[1], at + "/agrees/1", out.high);
        if (out.low > out.high)
            problems_.push_back({at + "/agrees", translate("the lowest value is above the highest"), "", {}});
        if (out.stated && (*out.stated < out.low || *out.stated > out.high))
            problems_.push_back(
                {at + "/stated", translate("the stated number lies outside “agrees”"), "", {}});
    }

    Catalogue& catalogue_;
    const std::string& folder_;
    Problems& problems_;
};

}  // namespace

std::string Study::origin() const {
    return paper.arxiv.empty()
               ? translate("after {1}, reconstructed", {translate(paper.label)})
               : translate("after {1}, arXiv {2}, reconstructed", {translate(paper.label), paper.arxiv});
}

bool is_study(std::string_view text) {
    Problems none;
    const json file = parse_json(text, none);
    return file.is_object() && file.value("format", json()) == "shardscope-preset" &&
           file.value("kind", json()) == name_of(PresetKind::study);
}

Study read_study(std::string_view text, Catalogue& catalogue, const std::string& folder, Problems& problems) {
    const std::size_t before = problems.size();
    const json file = parse_json(text, problems);
    if (problems.size() > before) return {};
    if (!file.is_object()) {
        problems.push_back({"", translate("a study must be a JSON object"), "", translate("write {…}")});
        return {};
    }
    return Reader(catalogue, folder, problems).read(file);
}

Paper paper_of(const Preset& preset, Catalogue& catalogue) {
    Problems unread;
    const json file = parse_json(preset.text, unread);
    return file.is_object() ? Reader(catalogue, preset.path, unread).paper(file) : Paper{};
}

Study read_study(const Preset& preset, Catalogue& catalogue, Problems& problems) {
    Study out = read_study(preset.text, catalogue, std::filesystem::path(preset.path).parent_path().string(),
                           problems);
    out.preset = &preset;
    if (problems.empty() && out.name != preset.name) {
        // The catalogue has renamed it to distinguish it from a shipped study, and views use that name.
        out.name = preset.name;
        out.scenario.view.study = out.name;
    }
    return out;
}

void check_study(const Preset& preset, Catalogue& catalogue, Problems& problems) {
    if (preset.kind == PresetKind::study) read_study(preset, catalogue, problems);
}

}  // namespace shardscope
