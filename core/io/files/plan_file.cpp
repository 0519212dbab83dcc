#include "files/plan_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "files/scenario_file.h"
#include "presets/json_values.h"
#include "scenario/software_support.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// The outputs that the report lists for every plan.
constexpr std::array kShown{Output::mfu,       Output::tokens_per_s_per_gpu, Output::tokens_per_s,
                            Output::step_time, Output::peak_memory,          Output::training_days,
                            Output::cost};

ordered_json plan_values(const Plan& plan) {
    ordered_json out = ordered_json::object();
    for (std::size_t i = 0; i < kPlanSize; ++i)
        out[std::string(field_of(kPlanParameters[i]))] = write_value(kPlanParameters[i], plan.value[i]);
    return out;
}

// Returns the plan with its gradient accumulation and global batch.
ordered_json plan_values(const Settings& s) {
    ordered_json out = plan_values(plan_of(s));
    for (const P id : {P::accumulation, P::global_batch})
        out[std::string(field_of(id))] = write_value(id, s[id]);
    return out;
}

ordered_json entry(const Answer& answer, Output objective) {
    ordered_json out = ordered_json::object();
    out["plan"] = plan_values(answer.settings);
    out["verdict"] = std::string(name_of(answer.estimate.verdict));
    out["wall"] = std::string(name_of(answer.estimate.wall));
    for (const Output id : kShown) out[std::string(output(id).path)] = finite_number(value_of(id, answer));
    out[std::string(output(objective).path)] = finite_number(value_of(objective, answer));
    return out;
}

ordered_json keys_of(const ParameterSet& set) {
    ordered_json out = ordered_json::array();
    for (const P id : kPlanParameters) {
        if (set[index(id)]) out.push_back(std::string(field_of(id)));
    }
    return out;
}

std::string counted(double plans) { return format(plans, Quantity::count); }

}  // namespace

std::string plan_json(const PlanReport& report) {
    ordered_json out = ordered_json::object();
    out["name"] = report.question.scenario.title();
    out["objective"] = std::string(output(report.question.objective).path);
    out["free"] = keys_of(report.question.free);
    out["space"] = static_cast<std::uint64_t>(report.space);
    out["feasible"] = static_cast<std::uint64_t>(report.feasible);
    out["plans"] = ordered_json::array();
    for (const Answer& plan : report.plans) out["plans"].push_back(entry(plan, report.question.objective));
    if (report.own) {
        out["own"] = entry(*report.own, report.question.objective);
        out["own"]["missing_in_software"] = missing_in_software(report.own->settings);
    }
    out["frontier"] = ordered_json::array();
    for (const Candidate& edge : report.frontier) {
        out["frontier"].push_back({{"plan", plan_values(edge.plan)},
                                   {"verdict", std::string(name_of(edge.verdict))},
                                   {"memory.peak_bytes", edge.peak},
                                   {"mfu", edge.tokens_per_s_per_gpu / report.full_rate},
                                   {"tokens_per_s_per_gpu", edge.tokens_per_s_per_gpu},
                                   {"step_time_s", edge.step}});
    }
    out["neighbours"] = ordered_json::array();
    for (const Neighbour& n : report.neighbours) {
        ordered_json one = ordered_json::object();
        one["axis"] = std::string(parameter(n.id).key);
        one["from"] = write_value(n.id, n.from);
        one["to"] = write_value(n.id, n.to);
        one.update(entry(n.answer, report.question.objective));
        one["over_bytes"] = n.over;
        one["slower_s"] = n.over > 0 ? ordered_json(nullptr) : ordered_json(n.slower);
        one["parts_s"] = ordered_json::object();
        for (const Neighbour::LostTime& part : n.parts) one["parts_s"][part.label] = part.seconds;
        one["why"] = why(n);
        out["neighbours"].push_back(std::move(one));
    }
    out["reason"] = report.reason.empty() ? ordered_json(nullptr) : ordered_json(report.reason);
    return json_text(out);
}

std::string plan_text(const PlanReport& report) {
    std::string out = report.question.scenario.title() + "\n";
    out += counted(report.feasible) + " of " + counted(report.space) + " plans fit\n";
    if (!report.found()) return out;
    const Output objective = report.question.objective;
    const Output last = objective == Output::mfu ? Output::tokens_per_s_per_gpu : objective;
    TextRows plans{{"", "plan", "memory", "MFU",
                    objective == Output::mfu ? "tokens/s/GPU" : std::string(output(objective).label), ""}};
    const auto add = [&](const std::string& name, const Answer& plan) {
        const Verdict verdict = plan.estimate.verdict;
        plans.push_back({name, short_plan(plan.settings), text_of(Output::peak_memory, plan),
                         text_of(Output::mfu, plan), text_of(last, plan),
                         verdict == Verdict::fits ? "" : label_of(verdict)});
    };
    for (const Answer& plan : report.plans) add(std::to_string(plans.size()), plan);
    std::string unsearched;
    if (report.own) {
        add("yours", *report.own);
        const bool ranked = std::ranges::any_of(report.plans, [&](const Answer& plan) {
            return plan_of(plan.settings) == plan_of(report.own->settings);
        });
        for (const std::string& note : missing_in_software(report.own->settings))
            if (!ranked) unsearched += "Your plan is not in the ranking: " + note + "\n";
    }
    TextRows neighbours;
    for (const Neighbour& n : report.neighbours) neighbours.push_back({"", title(n), why(n)});
    return out + "\n" + text_table(plans) + unsearched + "\nOne step away from the best\n" +
           text_table(neighbours);
}

std::string grid_json(const GridReport& report) {
    const GridQuestion& question = report.question;
    ordered_json out = ordered_json::object();
    out["name"] = question.plan.scenario.title();
    out["free"] = keys_of(question.plan.free);
    out["over"] = ordered_json::object();
    for (const Axis& axis : question.over) {
        ordered_json values = ordered_json::array();
        for (const double value : axis.values) values.emplace_back(write_value(axis.id, value));
        out["over"][std::string(parameter(axis.id).key)] = std::move(values);
    }
    out["points"] = report.points;
    out["feasible"] = report.feasible;
    out["highest"] = ordered_json::object();
    for (const GridBest& best : report.best) {
        ordered_json& place = out["highest"][std::string(output(best.output).path)];
        if (!best.answer) continue;
        place["at"] = ordered_json::object();
        for (const Axis& axis : question.over)
            place["at"][std::string(parameter(axis.id).key)] =
                write_value(axis.id, best.answer->settings[axis.id]);
        place.update(entry(*best.answer, best.output));
    }
    if (question.target) {
        out["target"] = text_of(*question.target);
        out["thresholds"] = ordered_json::object();
        for (const Threshold& threshold : report.thresholds) {
            const Solution& found = threshold.solution;
            ordered_json& place = out["thresholds"][std::string(parameter(threshold.id).key)];
            place["value"] = found.found() ? ordered_json(found.value) : ordered_json(nullptr);
            place["reason"] = found.reason.empty() ? ordered_json(nullptr) : ordered_json(found.reason);
        }
    }
    return json_text(out);
}

std::string grid_text(const GridReport& report) {
    const GridQuestion& question = report.question;
    std::string out = question.plan.scenario.title() + "\n" + counted(static_cast<double>(report.feasible)) +
                      " of " + counted(static_cast<double>(report.points)) +
                      " points have a plan that fits\n";
    for (const GridBest& best : report.best) {
        if (!best.answer) continue;
        out += "\nHighest " + std::string(output(best.output).label) + ": " +
               text_of(best.output, *best.answer) + "\n  at";
        for (const Axis& axis : question.over)
            out += " " + std::string(parameter(axis.id).label) + " " +
                   format(axis.id, best.answer->settings[axis.id]) +
                   (&axis == &question.over.back() ? "" : ",");
        out += "\n  " + short_plan(best.answer->settings) + "\n  " +
               text_of(Output::peak_memory, *best.answer) + ", MFU " + text_of(Output::mfu, *best.answer) +
               ", " + text_of(Output::tokens_per_s_per_gpu, *best.answer) + " a GPU\n";
    }
    if (question.target) {
        out += "\nRequirements of " + text_of(*question.target) + " at the point of highest MFU\n";
        for (const Threshold& threshold : report.thresholds) {
            out += "  " + std::string(parameter(threshold.id).label) + ": " +
                   (threshold.solution.found() ? format(threshold.id, threshold.solution.value)
                                               : threshold.solution.reason) +
                   "\n";
        }
    }
    return out;
}

bool parse_shard(const std::string& text, Shard& shard, Problems& problems) {
    const std::vector<std::string> parts = split(text, '/');
    const Parsed part = parse(parts[0], Quantity::count);
    const Parsed count = parts.size() == 2 ? parse(parts[1], Quantity::count) : Parsed{};
    const auto whole = [](const Parsed& p) {
        return p.ok && p.value >= 1 && p.value == std::floor(p.value) && p.value <= 1e9;
    };
    if (!whole(part) || !whole(count) || part.value > count.value) {
        problems.push_back(
            {"--shard " + text, "is not a share", "", "write I/N with 1 ≤ I ≤ N, for instance 2/8"});
        return false;
    }
    shard.part = static_cast<std::size_t>(part.value);
    shard.parts = static_cast<std::size_t>(count.value);
    return true;
}

std::string shard_lines(const PlanQuestion& question, const Shard& shard, unsigned threads) {
    const Settings settings = resolve(question.scenario);
    SearchOptions options = options_of(question);
    options.frontier = false;
    options.everything = true;
    options.threads = threads;
    const auto total = static_cast<std::size_t>(PlanSpace(settings, question.free).size());
    options.from = static_cast<double>(shard.begin(total));
    options.to = static_cast<double>(shard.end(total));
    const SearchResult found = search_plans(settings, question.free, options);

    ordered_json search = ordered_json::object();
    search["shard"] = {shard.part, shard.parts};
    search["version"] = SHARDSCOPE_VERSION;
    search["scenario"] = json::parse(write_scenario(question.scenario, false));
    search["free"] = keys_of(question.free);
    search["objective"] = std::string(output(question.objective).path);
    search["allow_risky"] = question.allow_risky;
    search["top"] = question.top;
    search["plans"] = found.best.size();
    search["space"] = static_cast<std::uint64_t>(found.space);
    search["full_rate"] = found.full_rate;
    search["least"] = {{"peak_bytes", finite_number(found.smallest.peak)},
                       {"number", found.smallest.number},
                       {"plan", plan_values(found.smallest.plan)}};

    std::string out;
    for (const Candidate& plan : found.best) {
        out += "{\"number\":" + exact(plan.number) + ",\"plan\":" + json_text(plan_values(plan.plan)) +
               ",\"verdict\":\"" + std::string(name_of(plan.verdict)) +
               "\",\"memory.peak_bytes\":" + exact(plan.peak) + ",\"step_time_s\":" + exact(plan.step) +
               ",\"tokens_per_s_per_gpu\":" + exact(plan.tokens_per_s_per_gpu) +
               ",\"mfu\":" + exact(plan.tokens_per_s_per_gpu / found.full_rate) +
               ",\"score\":" + (std::isfinite(plan.score) ? exact(plan.score) : "null");
        if (&plan == &found.best.front()) out += ",\"search\":" + json_text(search);
        out += "}\n";
    }
    if (found.best.empty()) out = "{\"search\":" + json_text(search) + "}\n";
    return out;
}

namespace {

Plan read_plan(const json& values, Problems& problems) {
    Plan out;
    for (std::size_t i = 0; i < kPlanSize; ++i) {
        const std::string field(field_of(kPlanParameters[i]));
        if (!values.is_object() || !values.contains(field)) {
            problems.push_back({"/plan/" + field, "is missing", "", {}});
            continue;
        }
        out.value[i] = read_value(kPlanParameters[i], values[field], "/plan/" + field, problems);
    }
    return out;
}

double read_number(const json& line, const char* field, Problems& problems) {
    if (line.contains(field) && line[field].is_number()) return line[field].get<double>();
    problems.push_back({std::string("/") + field, "is not a number", "", {}});
    return 0;
}

Candidate read_candidate(const json& line, Problems& problems) {
    Candidate out;
    out.plan = read_plan(line.value("plan", json()), problems);
    out.number = read_number(line, "number", problems);
    out.peak = read_number(line, "memory.peak_bytes", problems);
    out.step = read_number(line, "step_time_s", problems);
    out.tokens_per_s_per_gpu = read_number(line, "tokens_per_s_per_gpu", problems);
    const bool ranked = line.contains("score") && !line["score"].is_null();
    out.score = ranked ? read_number(line, "score", problems) : -std::numeric_limits<double>::infinity();
    const json verdict = line.value("verdict", json());
    if (verdict != "fits" && verdict != "risky")
        problems.push_back({"/verdict", "is neither fits nor risky", "", {}});
    out.verdict = verdict == "risky" ? Verdict::risky : Verdict::fits;
    if (!(out.peak > 0) || !(out.step > 0))
        problems.push_back({"", "memory or time is not positive", "", {}});
    return out;
}

// The description of the search in a shard's first line.
struct ShardHeader {
    json common;  // the fields that are equal in all shards of one search
    Shard shard;
    PlanQuestion question;
    double space = 0;
    double full_rate = 0;
    std::size_t plans = 0;  // of the shard
    Candidate least;        // the plan of least peak memory; an infinite peak means that there is none
};

// Returns nothing where a field is missing or has no valid value.
std::optional<ShardHeader> read_search(const json& search, Catalogue& catalogue, Problems& problems) {
    if (!search.is_object()) return std::nullopt;
    const auto field = [&](const char* name) { return search.value(name, json()); };
    constexpr std::uint64_t kMost = 1'000'000'000;
    const auto is_count = [](const json& value) {
        return value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 &&
               value.get<std::uint64_t>() <= kMost;
    };
    ShardHeader out;
    out.common = search;
    out.common.erase("shard");
    out.common.erase("least");
    out.common.erase("plans");
    const json shard = field("shard");
    if (!shard.is_array() || shard.size() != 2 || !is_count(shard[0]) || !is_count(shard[1]))
        return std::nullopt;
    out.shard = {shard[0].get<std::size_t>(), shard[1].get<std::size_t>()};
    if (out.shard.part > out.shard.parts) return std::nullopt;

    if (!field("free").is_array() || !field("objective").is_string() || !field("allow_risky").is_boolean() ||
        !is_count(field("top")) || !field("plans").is_number_unsigned() || !field("space").is_number() ||
        !field("full_rate").is_number())
        return std::nullopt;
    for (const json& key : field("free")) {
        const auto id = key.is_string() ? find_parameter("training." + key.get<std::string>()) : std::nullopt;
        if (!id) return std::nullopt;
        out.question.free.set(index(*id));
    }
    const std::optional<Output> objective = find_output(field("objective").get<std::string>());
    if (!objective) return std::nullopt;
    out.question.objective = *objective;
    out.question.allow_risky = field("allow_risky").get<bool>();
    out.question.top = field("top").get<std::size_t>();
    out.question.scenario = read_scenario(json_text(field("scenario")), catalogue, {}, problems, true);
    out.plans = field("plans").get<std::size_t>();
    out.space = field("space").get<double>();
    out.full_rate = field("full_rate").get<double>();

    const json least = field("least");
    if (least.is_object() && least.value("peak_bytes", json()).is_number()) {
        out.least.plan = read_plan(least.value("plan", json()), problems);
        out.least.peak = read_number(least, "peak_bytes", problems);
        out.least.number = read_number(least, "number", problems);
    }
    return out;
}

void report_missing(const std::set<std::size_t>& merged_parts, std::size_t parts, Problems& problems) {
    constexpr int kMost = 10;
    int reported = 0;
    for (std::size_t part = 1; part <= parts && reported < kMost; ++part) {
        if (merged_parts.contains(part)) continue;
        ++reported;
        problems.push_back({"--merge",
                            "share " + std::to_string(part) + " of " + std::to_string(parts) + " is missing",
                            "", "give all of them"});
    }
}

}  // namespace

PlanReport merge_shards(const std::vector<std::string>& shards, const std::vector<std::string>& names,
                        Catalogue& catalogue, Problems& problems) {
    std::optional<ShardHeader> search;
    CandidateRanking merge;
    std::set<std::size_t> merged_parts;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const auto fail = [&](int line, const std::string& what, const std::string& suggestion) {
            Problem problem{names[i], what, "", suggestion};
            problem.line = line;
            problems.push_back(std::move(problem));
        };
        Problems too_many;
        const std::vector<Document> lines = split_documents(shards[i], too_many);
        for (const Problem& problem : too_many)
            fail(0, problem.text(), "give the files that plan --shard wrote");
        std::size_t plans = 0;
        std::size_t read = 0;
        double before = -1;
        if (lines.empty()) fail(0, "is empty", "give the files that plan --shard wrote");
        for (const Document& document : lines) {
            Problems unusable;  // nested too deeply, for instance
            const json line = parse_json(document.text, unusable);
            if (!line.is_object()) {
                fail(document.line, "is not a line of plan --shard", "write it again");
                return {};
            }
            if (&document == &lines.front()) {
                const auto header = read_search(line.value("search", json()), catalogue, problems);
                if (!header) {
                    fail(document.line, "does not say which search it is a share of",
                         "give the whole file that plan --shard wrote");
                    return {};
                }
                plans = header->plans;
                if (!search) search = header;
                if (header->common != search->common || header->shard.parts != search->shard.parts) {
                    fail(0, "is a share of another search than " + names.front(),
                         "merge the shares of one search only");
                    return {};
                }
                if (!merged_parts.insert(header->shard.part).second)
                    fail(0, "repeats share " + std::to_string(header->shard.part), "leave it out");
                if (std::isfinite(header->least.peak)) merge.add_smallest(header->least);
            }
            if (plans == 0 && &document == &lines.front() && !line.contains("plan")) continue;  // none fits
            Problems unread;
            const Candidate candidate = read_candidate(line, unread);
            // The numbers have to increase, so that no plan occurs twice.
            if (unread.empty() && !(candidate.number > before))
                unread.push_back({"/number", "is out of order", "", {}});
            before = candidate.number;
            for (const Problem& problem : unread)
                fail(document.line, problem.text(), "write the share again");
            merge.take(candidate);
            ++read;
        }
        if (read != plans)
            fail(0, "has " + std::to_string(read) + " of its " + std::to_string(plans) + " plans",
                 "write the share again");
    }
    if (search) report_missing(merged_parts, search->shard.parts, problems);
    if (!problems.empty() || !search) return {};
    SearchResult found = merge.result(search->question.top);
    found.space = search->space;
    found.full_rate = search->full_rate;
    return plan_report(search->question, found);
}

}  // namespace shardscope
