// `shardscope conventions`: one run's MFU in every convention that people quote.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/compared_run.h"
#include "explain/conventions.h"
#include "presets/json_values.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::commands {
namespace {

using nlohmann::ordered_json;

struct Options {
    std::string file;
    LogOptions reading;
    std::string value;
    std::string name;
    std::string format = "text";
};

std::string rate(double flops) { return flops > 0 ? format(flops, Quantity::flop_rate) : "–"; }
std::string percent(double share) { return std::isfinite(share) ? format(share, Quantity::percent) : "–"; }

void print_json(const ComparedRun& compared, double tokens, const char* basis) {
    ordered_json out = ordered_json::object();
    out["name"] = compared.name;
    out["basis"] = basis;
    out["fits"] = compared.answer.fits();
    out["tokens_per_s_per_gpu"] = tokens;
    out["step_time_s"] = compared.answer.estimate.tokens_per_gpu / tokens;
    for (std::size_t i = 0; i < kPeakKinds; ++i) {
        const auto kind = static_cast<PeakKind>(i);
        out["peak_flops"][std::string(name_of(kind))] = finite_number(peak_flops(compared.answer, kind));
    }
    out["conventions"] = ordered_json::array();
    for (const ConventionValue& value : in_conventions(compared.answer, tokens)) {
        ordered_json row{{"name", std::string(value.convention->name)},
                         {"formula", value.convention->formula},
                         {"flops_per_token", value.flops_per_token},
                         {"flops_per_s_per_gpu", value.rate},
                         {"mfu", finite_number(value.share[0])}};
        for (std::size_t i = 1; i < kPeakKinds; ++i)
            row["mfu_" + std::string(name_of(static_cast<PeakKind>(i))) + "_peak"] =
                finite_number(value.share[i]);
        row["used_by"] = value.convention->used_by;
        row["source"] = value.convention->source;
        out["conventions"].push_back(row);
    }
    print_out("%s\n", json_text(out).c_str());
}

void print_table(const ComparedRun& compared, double tokens, const char* basis) {
    print_out("%s: %s tokens/s/GPU, step time %s (%s)\n", compared.name.c_str(),
              format(tokens, Quantity::count).c_str(),
              format(compared.answer.estimate.tokens_per_gpu / tokens, Quantity::seconds).c_str(), basis);
    print_warning(compared);
    print_out("peak of the precision in use %s; of bf16 %s; of fp8 %s; with 2:4 sparsity %s\n",
              rate(peak_flops(compared.answer, PeakKind::dense)).c_str(),
              rate(peak_flops(compared.answer, PeakKind::bf16)).c_str(),
              rate(peak_flops(compared.answer, PeakKind::fp8)).c_str(),
              rate(peak_flops(compared.answer, PeakKind::sparse)).c_str());
    TextRows rows{
        {"convention", "FLOPs/token", "rate/GPU", "MFU", "of bf16", "of fp8", "of sparse", "formula"}};
    TextRows users{{"convention", "used by", "source"}};
    for (const ConventionValue& value : in_conventions(compared.answer, tokens)) {
        const std::string name(value.convention->name);
        rows.push_back({name, format(value.flops_per_token, Quantity::big_count),
                        format(value.rate, Quantity::flop_rate), percent(value.share[0]),
                        percent(value.share[1]), percent(value.share[2]), percent(value.share[3]),
                        value.convention->formula});
        users.push_back({name, translate(value.convention->used_by), value.convention->source});
    }
    print_text(text_table(rows));
    print_out("\n");
    print_text(text_table(users));
    if (compared.answer.settings[P::experts] > 0)
        print_out("N is the number of parameters that a token passes through (%s of %s).\n",
                  format(compared.answer.compiled.active_parameters, Quantity::big_count).c_str(),
                  format(compared.answer.compiled.parameters, Quantity::big_count).c_str());
}

int run(const Options& options) {
    Problems problems;
    if (options.value.empty() != options.name.empty())
        problems.push_back({options.value.empty() ? "--as" : "--value",
                            "needs " + std::string(options.value.empty() ? "--value" : "--as"), "",
                            "give both, such as --value '41.2 %' --as palm"});
    QuotedValue quoted;
    if (problems.empty() && !options.value.empty())
        quoted = parse_quoted_value(options.value, options.name, problems);
    if (!problems.empty()) {
        report(problems, {});
        return kUnusable;
    }
    const std::optional<ComparedRun> compared = load_compared_run(options.file, options.reading);
    if (!compared) return kUnusable;
    double tokens = compared->answer.estimate.tokens_per_gpu / compared->step_time();
    const char* basis = compared->measured > 0 ? "measured" : "predicted";
    if (!options.value.empty()) {
        if (exceeds_peak(compared->answer, quoted)) {
            report({{"--value " + options.value, "is more than 100 % of the peak of the precision in use",
                     "which is " + rate(peak_flops(compared->answer, PeakKind::dense)),
                     quoted.is_share ? "name the peak that the source uses, such as --as " +
                                           std::string(quoted.convention->name) + "/bf16"
                                     : "give the rate of one GPU"}},
                   {});
            return kUnusable;
        }
        tokens = tokens_per_s(compared->answer, quoted);
        basis = "quoted";
        if (!std::isfinite(tokens)) {
            report({{"--as " + options.name, "does not apply to this model or this GPU", "",
                     "see the list without --value"}},
                   {});
            return kUnusable;
        }
    }
    if (options.format == "json") print_json(*compared, tokens, basis);
    else print_table(*compared, tokens, basis);
    return kDone;
}

}  // namespace

void add_conventions(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command = program.add_command(
        "conventions", "One run's MFU in every convention that people quote, with who uses it");
    command.add_option("RUN", &options->file, value::kScenario, kComparedRunHelp).required = true;
    add_log_options(command, options->reading);
    command.add_option("--value", &options->value, "VALUE",
                       "A quoted number, such as '41.2 %' or '407 TFLOP/s', to be converted; needs --as");
    command.add_option(
        "--as", &options->name, "NAME[/PEAK]",
        "The convention of --value, such as palm or megatron/bf16; PEAK is dense, bf16, fp8 or sparse");
    command.add_choice("--format", &options->format, {"text", "json"}, "text or json");
    command.run = [options] { return run(*options); };
}

}  // namespace shardscope::commands
