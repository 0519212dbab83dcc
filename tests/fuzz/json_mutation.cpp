#include "fuzz/json_mutation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "explain/output.h"
#include "files/view_json.h"
#include "parameters/parameter.h"
#include "scenario/catalogue.h"
#include "text/text.h"

namespace shardscope::fuzz {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLargestTree = 1 << 16;  // bytes; larger inputs are changed byte by byte

class Mutation {
  public:
    explicit Mutation(unsigned seed) : random_(seed) {}

    bool json(ordered_json& file) {
        const std::vector<ordered_json*> nodes = nodes_of(file);
        ordered_json& node = *pick(nodes);
        switch (below(8)) {
            case 0: node = value(); return true;
            case 1: return change_number(node) || change_text(node);
            case 2: return drop(node);
            case 3: return rename(node);
            case 4: return insert(node, *pick(nodes));
            case 5: return exchange(node);
            case 6: node = nested(node); return true;
            default: return retype(node);
        }
    }

    bool scenario(ordered_json& file) {
        std::vector<ordered_json*> scenarios;
        for (ordered_json* node : nodes_of(file)) {
            if (looks_like_scenario(*node)) scenarios.push_back(node);
        }
        if (file.is_object()) scenarios.push_back(&file);
        if (scenarios.empty()) return false;
        ordered_json& one = *pick(scenarios);
        switch (below(8)) {
            case 0: return preset(one);
            case 1: return automatic(one);
            case 2: return view(one);
            default: return parameter_of(one);
        }
    }

    // Returns the text with a repeated field in an object, which no JSON tree can have.
    std::string doubled(const std::string& text) {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i + 1 < text.size(); ++i) {
            if ((text[i] == '{' || text[i] == ',') && text[i + 1] == '"') places.push_back(i + 1);
        }
        if (places.empty()) return text;
        const std::size_t at = pick(places);
        const std::size_t end = text.find("\":", at);
        if (end == std::string::npos) return text;
        return text.substr(0, at) + text.substr(at, end + 2 - at) + value().dump() + ',' + text.substr(at);
    }

    std::size_t below(std::size_t n) { return n > 0 ? random_() % n : 0; }

    template <typename T>
    const T& pick(const std::vector<T>& of) {
        return of[below(of.size())];
    }

  private:
    static std::vector<ordered_json*> nodes_of(ordered_json& root) {
        std::vector<ordered_json*> out{&root};
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (!out[i]->is_structured()) continue;
            for (ordered_json& child : *out[i]) out.push_back(&child);
        }
        return out;
    }

    static bool looks_like_scenario(const ordered_json& node) {
        return node.is_object() && (node.contains("model") || node.contains("cluster") ||
                                    node.contains("training") || node.contains("assumptions"));
    }

    double number() {
        constexpr std::array kEdges{0.0,   1.0,    -1.0,   2.0,  0.5, -0.0,   1e-9,   1e9,          1e18,
                                    1e300, -1e300, 5e-324, 64.0, 8.0, 4096.0, 1e-300, 2147483648.0, 0.1};
        switch (below(3)) {
            case 0: return kEdges[below(kEdges.size())];
            case 1: return static_cast<double>(below(256));
            default: return std::exp2(static_cast<double>(below(64)));
        }
    }

    ordered_json value() {
        switch (below(10)) {
            case 0: return nullptr;
            case 1: return below(2) == 0;
            case 2: return ordered_json::object();
            case 3: return ordered_json::array();
            case 4: return text();
            case 5: return std::uint64_t{18446744073709551615U} - below(3);
            case 6: return -static_cast<std::int64_t>(below(100));
            default: return number_json(number());
        }
    }

    static ordered_json number_json(double number) {
        if (number == std::floor(number) && std::fabs(number) < 9e15)
            return static_cast<std::int64_t>(number);
        return number;
    }

    std::string text() {
        constexpr std::array<const char*, 16> kTexts{
            "",      "auto", "0",       "8k",   "1,024", "50 GB/s",  "full",   "selective",
            "zero3", "a\nb", "../../x", "none", "–",     "a\u202eb", "8:64:4", "=1+1"};
        return kTexts[below(kTexts.size())];
    }

    bool change_number(ordered_json& node) {
        if (!node.is_number()) return false;
        const auto old = node.get<double>();
        switch (below(6)) {
            case 0: node = number_json(old * 2); break;
            case 1: node = number_json(old / 2); break;
            case 2: node = number_json(old + 1); break;
            case 3: node = number_json(-old); break;
            case 4: node = number_json(old * number()); break;
            default: node = number_json(number());
        }
        if (node.is_number_float() && !std::isfinite(node.get<double>())) node = 1e308;
        return true;
    }

    bool change_text(ordered_json& node) {
        if (!node.is_string()) return false;
        auto old = node.get<std::string>();
        if (old.empty() || below(2) == 0) {
            node = text();
        } else {
            old.erase(below(old.size()));
            node = old + text();
        }
        return true;
    }

    bool drop(ordered_json& node) {
        if (!node.is_structured() || node.empty()) return false;
        node.erase(std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size()))));
        return true;
    }

    bool rename(ordered_json& node) {
        if (!node.is_object() || node.empty()) return false;
        const auto at = std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size())));
        const ordered_json moved = at.value();
        node.erase(at);
        node[field()] = moved;
        return true;
    }

    bool exchange(ordered_json& node) {
        if (!node.is_structured() || node.size() < 2) return false;
        const auto place = [&] {
            return std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size())));
        };
        std::swap(*place(), *place());
        return true;
    }

    // Inserts a copy of another node as a further entry.
    bool insert(ordered_json& node, const ordered_json& other) {
        const ordered_json copy = other;
        if (node.is_array()) {
            node.insert(std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size() + 1))), copy);
        } else if (node.is_object()) {
            node[field()] = copy;
        } else {
            node = copy;
        }
        return true;
    }

    ordered_json nested(const ordered_json& node) {
        ordered_json out = node;
        for (std::size_t depth = 1 + below(below(8) == 0 ? 80 : 2); depth > 0; --depth)
            out = below(2) == 0 ? ordered_json::array({out}) : ordered_json{{field(), out}};
        return out;
    }

    // Changes the type of the content: 8 becomes "8", a list becomes its first entry.
    bool retype(ordered_json& node) {
        if (node.is_string()) {
            const auto old = node.get<std::string>();
            node = ordered_json::accept(old) ? ordered_json::parse(old) : ordered_json::array({old});
        } else if (node.is_structured() && !node.empty()) {
            const ordered_json first = *node.begin();
            node = first;
        } else {
            node = node.dump();
        }
        return true;
    }

    std::string field() {
        const auto id = static_cast<P>(below(kParameters));
        constexpr std::array<const char*, 12> kFields{"format", "version", "name",  "preset",
                                                      "kind",   "values",  "parts", "operators",
                                                      "view",   "auto",    "title", "source"};
        return below(2) == 0 ? std::string(field_of(id)) : kFields[below(kFields.size())];
    }

    bool parameter_of(ordered_json& scenario) {
        const auto id = static_cast<P>(below(kParameters));
        ordered_json* place = &scenario;
        for (const std::string& part : split(section_of(id), '.')) {
            if (!place->is_object()) return false;
            place = &(*place)[part];
            if (place->is_null()) *place = ordered_json::object();
        }
        if (!place->is_object()) return false;
        (*place)[std::string(field_of(id))] = value_of_parameter(id);
        return true;
    }

    ordered_json value_of_parameter(P id) {
        const Parameter& row = parameter(id);
        const double low = std::isfinite(row.slider_low) ? row.slider_low : 0;
        const double high = std::isfinite(row.slider_high) ? row.slider_high : 1e12;
        const double share = static_cast<double>(below(1001)) / 1000;
        double sensible =
            row.logarithmic && low > 0 ? low * std::pow(high / low, share) : low + share * (high - low);
        if (row.whole) sensible = std::round(sensible);
        switch (below(14)) {
            case 0: return number_json(row.minimum);
            case 1: return number_json(std::isfinite(row.maximum) ? row.maximum : 1e15);
            case 2: return number_json(row.minimum - 1);
            case 3:
                return number_json(std::nextafter(std::isfinite(row.maximum) ? row.maximum : 1e15, 1e300));
            case 4: return value();
            case 5: return written(id, sensible);
            case 6: return number_json(std::isnan(row.fallback) ? sensible : row.fallback);
            case 7:
                return row.quantity == Quantity::flag ? ordered_json(below(2) == 0) : number_json(sensible);
            case 8:
            case 9:
            case 10:
                if (!row.names.empty()) return std::string(row.names[below(row.names.size())].name);
                [[fallthrough]];
            default:
                if (row.named_only && !row.names.empty())
                    return std::string(row.names[below(row.names.size())].name);
                if (row.quantity == Quantity::flag) return below(2) == 0;
                return number_json(row.whole && below(2) == 0 ? std::exp2(static_cast<double>(below(14)))
                                                              : sensible);
        }
    }

    ordered_json& object_at(ordered_json& node, const char* field) {
        ordered_json& place = node[field];
        if (!place.is_object()) place = ordered_json::object();
        return place;
    }

    std::string name_of_preset(PresetKind kind) {
        static const std::array<std::vector<std::string>, 6> kNames = [] {
            std::array<std::vector<std::string>, 6> out;
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = Catalogue::shipped().names(static_cast<PresetKind>(i));
            return out;
        }();
        return pick(kNames[static_cast<std::size_t>(kind)]);
    }

    bool preset(ordered_json& scenario) {
        switch (below(4)) {
            case 0: object_at(scenario, "model")["preset"] = name_of_preset(PresetKind::model); break;
            case 1: object_at(scenario, "cluster")["preset"] = name_of_preset(PresetKind::cluster); break;
            case 2:
                object_at(object_at(scenario, "cluster"), "gpu")["preset"] = name_of_preset(PresetKind::gpu);
                break;
            default: object_at(scenario, "cluster")["calibration"] = name_of_preset(PresetKind::calibration);
        }
        return true;
    }

    bool automatic(ordered_json& scenario) {
        std::vector<std::string> plan;
        for (std::size_t i = 0; i < kParameters; ++i) {
            if (parameters()[i].of_plan()) plan.emplace_back(field_of(static_cast<P>(i)));
        }
        ordered_json& list = object_at(scenario, "training")["auto"];
        if (!list.is_array() || below(4) == 0) list = ordered_json::array();
        list.push_back(pick(plan));
        return true;
    }

    std::string key_of_parameter() {
        const auto id = static_cast<P>(below(kParameters));
        return std::string(below(2) == 0 ? parameter(id).key : field_of(id));
    }

    std::string range() {
        constexpr std::array<const char*, 8> kRanges{"1:64:7:log",  "1,2,4,8", "0:1:11",     "8:8:1",
                                                     "zero2,zero3", "1:0:3",   "1:1e9:1001", ""};
        return kRanges[below(kRanges.size())];
    }

    bool view(ordered_json& scenario) {
        ordered_json& shown = object_at(scenario, "view");
        static const ordered_json fields = view_schema()["properties"];
        const auto one_of = [&](const ordered_json& rule) {
            return rule["enum"][below(rule["enum"].size())];
        };
        const auto output = [&] { return std::string(outputs()[below(kOutputs)].path); };
        switch (below(11)) {
            case 0: shown["plot"] = one_of(fields["plot"]); break;
            case 1: shown["x"] = key_of_parameter(); break;
            case 2: shown["y"] = key_of_parameter(); break;
            case 3: object_at(shown, "range")[below(2) == 0 ? "x" : "y"] = range(); break;
            case 4: shown["outputs"] = ordered_json::array({output(), output()}); break;
            case 5: shown["against"] = output(); break;
            case 6: shown["side_by_side"] = below(2) == 0; break;
            case 7: shown["plan"] = "held"; break;
            case 8: shown["switched"] = ordered_json::array({one_of(fields["switched"]["items"])}); break;
            case 9: {
                constexpr std::array<const char*, 3> kKinds{"tokens_per_s_per_gpu", "tokens_per_s",
                                                            "step_time_s"};
                ordered_json& measured = object_at(shown, "measured");
                measured[kKinds[below(kKinds.size())]] = number_json(number());
                measured["gpus"] = number_json(number());
                break;
            }
            default: {
                ordered_json pin = ordered_json::object();
                pin["name"] = text();
                parameter_of(pin);
                ordered_json& pins = shown["pins"];
                if (!pins.is_array()) pins = ordered_json::array();
                pins.push_back(std::move(pin));
            }
        }
        return true;
    }

    std::mt19937 random_;
};

std::string mutate(std::string_view text, std::size_t limit, unsigned seed, bool scenarios) {
    if (text.size() > kLargestTree) return {};
    ordered_json file = ordered_json::parse(text, nullptr, false);
    if (file.is_discarded()) return {};
    Mutation mutation(seed);
    bool changed = false;
    for (std::size_t left = 1 + mutation.below(4); left > 0; --left) {
        const bool one = scenarios && mutation.below(4) > 0 ? mutation.scenario(file) : mutation.json(file);
        changed = one || changed;
    }
    std::string out = file.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    if (mutation.below(16) == 0) out = mutation.doubled(out);
    return changed && out.size() <= limit ? out : std::string();
}

}  // namespace

std::string mutate_json(std::string_view text, std::size_t limit, unsigned seed) {
    return mutate(text, limit, seed, false);
}

std::string mutate_scenarios(std::string_view text, std::size_t limit, unsigned seed) {
    return mutate(text, limit, seed, true);
}

std::string mutate_lines(std::string_view text, std::size_t limit, unsigned seed) {
    std::vector<std::string> lines = split(text, '\n');
    Mutation random(seed);
    std::string& line = lines[random.below(lines.size())];
    switch (random.below(8)) {
        case 0: lines.erase(lines.begin() + (&line - lines.data())); break;
        case 1: lines.push_back(std::string(line)); break;
        case 2: std::swap(line, lines[random.below(lines.size())]); break;
        default: {
            const std::string changed = mutate(line, limit, seed + 1, false);
            if (changed.empty()) return {};
            line = changed;
        }
    }
    std::string out;
    for (const std::string& one : lines) out += (&one != lines.data() ? "\n" : "") + one;
    return out.size() <= limit ? out : std::string();
}

}  // namespace shardscope::fuzz
