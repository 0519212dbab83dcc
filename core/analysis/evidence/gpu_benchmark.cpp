#include "evidence/gpu_benchmark.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "containers/no_value.h"
#include "evidence/least_squares.h"
#include "presets/json_values.h"
#include "scenario/domain.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;

constexpr double kLongestTime = 1e6;   // s
constexpr double kLargestSize = 1e18;  // a dimension, bytes, parameters

// Reads the fields of one object of the file, and reports the fields that were not read.
class Fields {
  public:
    Fields(const json& object, std::string pointer, Problems& problems)
        : object_(object), pointer_(std::move(pointer)), problems_(problems) {
        if (!object.is_object())
            problems_.push_back({pointer_, translate("this is not an object"),
                                 translate("a measurement must be an object"), translate("write {…}")});
    }

    // A number above 0; otherwise NaN, with a problem.
    double positive(const std::string& field, double most) {
        const json* value = required(field);
        if (!value) return kNoValue;
        const double number = value->is_number() ? value->get<double>() : kNoValue;
        if (number > 0 && number <= most) return number;
        problems_.push_back(
            {where(field), translate("“{1}” is not a valid value", {json_text(*value)}),
             translate("a number above 0 and up to {1} is expected", {format(most, Quantity::count)}),
             translate("measure again or remove the entry")});
        return kNoValue;
    }

    double seconds(const std::string& field) { return positive(field, kLongestTime); }
    double size(const std::string& field) { return positive(field, kLargestSize); }

    // The same as `size`, but null (not measured) is read as 0.
    double optional_size(const std::string& field) {
        const auto found = object_.is_object() ? object_.find(field) : object_.end();
        if (found == object_.end() || !found->is_null()) return size(field);
        known_.push_back(field);
        return 0;
    }

    // A value in the parameter table's notation and range.
    double value(const std::string& field, P id) {
        const json* given = required(field);
        if (!given) return kNoValue;
        const std::size_t before = problems_.size();
        const double number = read_value(id, *given, where(field), problems_);
        if (problems_.size() > before) return kNoValue;
        const Parameter& row = parameter(id);
        const bool named = std::ranges::any_of(row.names, [&](const Named& n) { return n.value == number; });
        if (named || (number >= row.minimum && number <= row.maximum)) return number;
        problems_.push_back({where(field), translate("{1} is {2}", {translate(row.label), json_text(*given)}),
                             translate("must be {1} to {2}", {format(row.minimum, Quantity::count),
                                                              format(row.maximum, Quantity::count)}),
                             translate("measure again or remove the entry")});
        return kNoValue;
    }

    template <typename Choice>
    Choice choice(const std::string& field, P id) {
        const double number = value(field, id);
        return std::isnan(number) ? Choice{} : static_cast<Choice>(static_cast<int>(number));
    }

    bool flag(const std::string& field) {
        const json* given = required(field);
        if (given && !given->is_boolean())
            problems_.push_back(
                {where(field), translate("“{1}” is neither true nor false", {json_text(*given)}), "", {}});
        return given && given->is_boolean() && given->get<bool>();
    }

    // Returns an empty text for null.
    std::string text(const std::string& field) {
        const json* given = required(field);
        if (!given || given->is_null()) return {};
        if (given->is_string()) return clean_title(given->get_ref<const std::string&>());
        problems_.push_back({where(field), translate("“{1}” is not a string", {json_text(*given)}), "",
                             translate("write \"…\"")});
        return {};
    }

    // The entries of a list, each with its pointer.
    template <typename Take>
    void list(const std::string& field, const Take& take) {
        const json* given = required(field);
        if (!given) return;
        if (!given->is_array()) {
            problems_.push_back(
                {where(field), translate("this is not a list"), "", translate("write [ … ]")});
            return;
        }
        for (std::size_t i = 0; i < given->size(); ++i) {
            Fields entry((*given)[i], where(field) + "/" + std::to_string(i), problems_);
            take(entry);
            entry.report_unknown();
        }
    }

    void report_unknown() {
        if (!object_.is_object()) return;
        for (const auto& [field, value] : object_.items()) {
            if (std::ranges::find(known_, field) == known_.end())
                problems_.push_back(unknown_field(pointer_, field, known_));
        }
    }

  private:
    [[nodiscard]] std::string where(const std::string& field) const { return child_pointer(pointer_, field); }

    const json* required(const std::string& field) {
        known_.push_back(field);
        if (!object_.is_object()) return nullptr;  // the constructor has reported it
        const auto found = object_.find(field);
        if (found != object_.end()) return &*found;
        problems_.push_back({where(field), translate("the field is missing"),
                             translate("every measurement needs it"),
                             translate("measure again with measure_gpu.py")});
        return nullptr;
    }

    const json& object_;
    std::string pointer_;
    Problems& problems_;
    std::vector<std::string> known_;
};

bool has_header(const json& file, Problems& problems) {
    if (!file.is_object()) {
        problems.push_back({"",
                            translate("this is not a JSON object"),
                            translate("measurements must be a JSON object"),
                            {}});
        return false;
    }
    const auto form = file.find("format");
    if (form == file.end() || *form != "shardscope-measurements") {
        problems.push_back({"/format", translate("these are not measurements"),
                            translate("format must be “shardscope-measurements”"),
                            translate("give a file that measure_gpu.py wrote")});
        return false;
    }
    const auto version = file.find("version");
    if (version == file.end() || *version != 1) {
        problems.push_back({"/version",
                            version == file.end()
                                ? translate("the version is missing")
                                : translate("version {1} is not known", {json_text(*version)}),
                            translate("this program reads version 1"),
                            {}});
        return false;
    }
    return true;
}

GemmMeasurement read_gemm(Fields& fields) {
    GemmMeasurement out;
    out.m = fields.size("m");
    out.n = fields.size("n");
    out.k = fields.size("k");
    out.precision = fields.choice<Precision>("precision", P::precision);
    out.seconds = fields.seconds("seconds");
    return out;
}

AttentionMeasurement read_attention(Fields& fields) {
    AttentionMeasurement out;
    out.batch = fields.size("batch");
    out.heads = fields.size("heads");
    out.sequence = fields.size("sequence");
    out.head_size = fields.size("head_size");
    out.kernel = fields.choice<AttentionKernel>("kernel", P::attention);
    out.causal = fields.flag("causal");
    out.forward = fields.seconds("forward_s");
    out.backward = fields.seconds("backward_s");
    return out;
}

BlockMeasurement read_block(Fields& fields) {
    struct FieldParameter {
        const char* field;
        P id;
    };
    constexpr std::array kSettings{
        FieldParameter{"layers", P::layers},
        FieldParameter{"hidden", P::hidden_size},
        FieldParameter{"ffn", P::ffn_size},
        FieldParameter{"heads", P::heads},
        FieldParameter{"kv_heads", P::kv_heads},
        FieldParameter{"mlp", P::mlp},
        FieldParameter{"norm", P::norm},
        FieldParameter{"vocab", P::vocab_size},
        FieldParameter{"sequence", P::sequence_length},
        FieldParameter{"micro_batch", P::micro_batch},
        FieldParameter{"recompute", P::recompute},
        FieldParameter{"attention", P::attention},
        FieldParameter{"precision", P::precision},
        FieldParameter{"optimizer", P::optimizer},
    };
    BlockMeasurement out;
    for (const FieldParameter& entry : kSettings)
        out.settings.emplace_back(entry.id, fields.value(entry.field, entry.id));
    const auto of = [&](P id) {
        return std::ranges::find(out.settings, id, &Values::value_type::first)->second;
    };
    const bool gated = of(P::mlp) == static_cast<double>(Mlp::gated);
    out.settings.emplace_back(P::bias, gated ? 0 : 1);
    out.settings.emplace_back(P::tied_embeddings, gated ? 0 : 1);
    out.settings.emplace_back(P::learned_positions, gated ? 0 : kPositionsAsSequence);
    out.step = fields.seconds("step_s");
    out.peak_allocated = fields.optional_size("peak_allocated_bytes");
    out.peak_reserved = fields.optional_size("peak_reserved_bytes");
    out.device = fields.optional_size("device_bytes");
    out.parameters = fields.size("parameters");
    return out;
}

// ---- The fit -------------------------------------------------------------------------------------------

// One measured time and the operator whose time it is.
struct Timing {
    enum class Kind { gemm, attention, streaming } kind = Kind::gemm;
    Operator op;
    bool backward = false;
    double seconds = 0;
};

Timing timing_of(const GemmMeasurement& gemm) {
    Timing out{Timing::Kind::gemm, {}, false, gemm.seconds};
    out.op.kind = OperatorKind::gemm;
    out.op.m = gemm.m;
    out.op.n = gemm.n;
    out.op.k = gemm.k;
    out.op.bytes = activation_bytes(gemm.precision) * (gemm.m * gemm.k + gemm.k * gemm.n + gemm.m * gemm.n);
    return out;
}

Timing timing_of(const AttentionMeasurement& attention, Precision precision, bool backward) {
    Timing out{Timing::Kind::attention, {}, backward, backward ? attention.backward : attention.forward};
    out.op.kind = OperatorKind::attention;
    out.op.count = attention.batch * attention.heads;
    out.op.m = attention.sequence;
    out.op.n = attention.causal ? attention.sequence / 2 : attention.sequence;  // E2
    out.op.k = attention.head_size;
    // Queries, keys, values and the output are read or written once each.
    out.op.bytes = 4 * activation_bytes(precision) * out.op.count * attention.sequence * attention.head_size;
    return out;
}

Timing timing_of(const StreamingMeasurement& streaming) {
    Timing out{Timing::Kind::streaming, {}, false, streaming.seconds};
    out.op.kind = OperatorKind::elementwise;
    out.op.bytes = streaming.bytes;
    return out;
}

double peak_of(Precision precision, const NominalRates& nominal) {
    switch (precision) {
        case Precision::bf16: return nominal.peak_bf16;
        case Precision::fp16: return nominal.peak_fp16;
        case Precision::fp32: return nominal.peak_fp32;
        case Precision::fp8:
        case Precision::mxfp8:
        case Precision::nvfp4: break;  // the engine derives fp8's efficiency from bf16's
    }
    return kNoValue;
}

// The precision whose constants are fitted: the first one that was measured of those models train in.
std::optional<Precision> fitted_precision(const GpuBenchmark& measured) {
    for (const Precision precision : {Precision::bf16, Precision::fp16, Precision::fp32}) {
        if (std::ranges::find(measured.gemm, precision, &GemmMeasurement::precision) != measured.gemm.end())
            return precision;
    }
    return std::nullopt;
}

GpuRates rates_of(const std::vector<double>& x, double peak, double memory_bandwidth) {
    GpuRates gpu;
    gpu.half_sequence = parameter(P::attention_half_sequence).fallback;
    gpu.peak = peak;
    gpu.gemm_efficiency = x[0];
    gpu.half_depth = x[1];
    gpu.half_area = x[2];
    gpu.attention_efficiency = x[3];
    gpu.memory_bandwidth = memory_bandwidth * x[4];
    gpu.launch = parameter(P::kernel_launch).fallback;
    return gpu;
}

// The constants and the widths of their priors, which span the GPUs and stacks of the shipped calibrations.
constexpr std::array kKernelConstants{P::gemm_efficiency, P::gemm_half_depth, P::gemm_half_area,
                                      P::attention_efficiency, P::memory_efficiency};
constexpr std::array kWidths{0.15, 100.0, 900000.0, 0.15, 0.15};

// Returns whether a constant can affect a kind of time. The time of all three kinds is at least that of their
// memory traffic.
bool affects(P id, Timing::Kind kind) {
    if (id == P::memory_efficiency) return true;
    if (id == P::attention_efficiency) return kind == Timing::Kind::attention;
    return kind == Timing::Kind::gemm;
}

// Reports times that are too short for the preset's GPU.
void check_speed(const GpuBenchmark& measured, Precision precision, double peak, const NominalRates& nominal,
                 Problems& problems) {
    // Boost clocks may exceed those of the data sheet, but 10 % more means a different GPU.
    constexpr double kBeyond = 1.1;
    const auto complain = [&](std::string where, double rate, double promised, Quantity quantity) {
        problems.push_back(
            {std::move(where), translate("the measured rate is {1}", {format(rate, quantity)}),
             translate("the preset's GPU has {1} at most", {format(promised, quantity)}),
             translate("choose the preset of the GPU that was measured ({1})", {measured.gpu})});
    };
    for (std::size_t i = 0; i < measured.gemm.size(); ++i) {
        const GemmMeasurement& gemm = measured.gemm[i];
        const double rate = 2 * gemm.m * gemm.n * gemm.k / gemm.seconds;
        if (gemm.precision != precision || rate <= kBeyond * peak) continue;
        complain("/gemm/" + std::to_string(i), rate, peak, Quantity::flop_rate);
        return;
    }
    for (std::size_t i = 0; i < measured.streaming.size(); ++i) {
        const double rate = measured.streaming[i].bytes / measured.streaming[i].seconds;
        if (rate <= kBeyond * nominal.memory_bandwidth) continue;
        complain("/streaming/" + std::to_string(i), rate, nominal.memory_bandwidth,
                 Quantity::memory_bandwidth);
        return;
    }
}

double root_mean_square(double squares, std::size_t n) {
    return n > 0 ? std::sqrt(squares / static_cast<double>(n)) : 0;
}

}  // namespace

GpuBenchmark read_gpu_benchmark(std::string_view text, Problems& problems) {
    GpuBenchmark out;
    const std::size_t before = problems.size();
    const json file = parse_json(text, problems);
    if (problems.size() > before || !has_header(file, problems)) return out;

    Fields fields(file, "", problems);
    fields.text("format");
    fields.size("version");
    out.gpu = fields.text("gpu");
    out.driver = fields.text("driver");
    out.torch = fields.text("torch");
    out.cuda = fields.text("cuda");
    out.cudnn = fields.text("cudnn");
    out.created = fields.text("created");
    const std::string device = fields.text("device");
    out.on_cpu = device == "cpu";
    if (file.contains("device") && device != "cpu" && device != "cuda")
        problems.push_back(
            {"/device", translate("“{1}” is not a device", {device}), "", translate("use cuda or cpu")});
    fields.list("gemm", [&](Fields& entry) { out.gemm.push_back(read_gemm(entry)); });
    fields.list("attention", [&](Fields& entry) { out.attention.push_back(read_attention(entry)); });
    fields.list("streaming", [&](Fields& entry) {
        const double bytes = entry.size("bytes");
        out.streaming.push_back({bytes, entry.seconds("seconds")});
    });
    fields.list("blocks", [&](Fields& entry) { out.blocks.push_back(read_block(entry)); });
    if (file.contains("skipped")) {
        fields.list("skipped", [&](Fields& entry) {
            for (const char* field : {"section", "case", "reason"}) entry.text(field);
            ++out.skipped;
        });
    }
    fields.report_unknown();
    return out;
}

const KernelConstant& KernelFit::operator[](P id) const {
    return *std::ranges::find(constants, id, &KernelConstant::id);
}

KernelFit fit_kernels(const GpuBenchmark& measured, const NominalRates& nominal, Problems& problems,
                      MeasuredOn allowed) {
    KernelFit out;
    const std::size_t before = problems.size();
    if (measured.on_cpu && allowed == MeasuredOn::gpu) {
        problems.push_back({"/device", translate("these are measurements of a CPU"),
                            translate("they do not apply to a GPU"),
                            translate("run measure_gpu.py without --tiny on the GPU")});
    }
    const std::optional<Precision> precision = fitted_precision(measured);
    if (!precision) {
        problems.push_back({"/gemm", translate("there is no matrix multiplication in bf16, fp16 or fp32"),
                            translate("the constants are fitted to such measurements"),
                            translate("run measure_gpu.py again")});
        return out;
    }
    out.precision = *precision;
    const double peak = peak_of(*precision, nominal);
    if (!(peak > 0)) {
        const std::string name(parameter(P::precision).names[static_cast<std::size_t>(*precision)].name);
        problems.push_back({"/gemm", translate("the matrices were measured in {1}", {name}),
                            translate("the GPU's preset has no peak for {1}", {name}),
                            translate("add it to the preset")});
    }
    if (!(nominal.memory_bandwidth > 0)) {
        problems.push_back({"/streaming", translate("the nominal memory bandwidth is not known"),
                            translate("efficiencies are shares of it"),
                            translate("add it to the GPU's preset")});
    }
    if (problems.size() == before) check_speed(measured, *precision, peak, nominal, problems);
    if (problems.size() > before) return out;

    std::vector<Timing> timings;
    for (const GemmMeasurement& gemm : measured.gemm) {
        if (gemm.precision == *precision) timings.push_back(timing_of(gemm));
        else ++out.left_out;
    }
    for (const AttentionMeasurement& attention : measured.attention) {
        if (attention.kernel != AttentionKernel::flash) {
            out.left_out += 2;  // its matrices have a fixed efficiency in E9
            continue;
        }
        for (const bool backward : {false, true})
            timings.push_back(timing_of(attention, *precision, backward));
    }
    for (const StreamingMeasurement& streaming : measured.streaming) timings.push_back(timing_of(streaming));
    out.used = timings.size();

    FitProblem problem;
    problem.residuals = timings.size();
    problem.residual = [&](std::size_t i, const std::vector<double>& x) {
        GpuRates gpu = rates_of(x, peak, nominal.memory_bandwidth);
        const Timing& timing = timings[i];
        if (timing.kind == Timing::Kind::attention)
            set_attention_efficiency(gpu, nominal.attention, gpu.attention_efficiency, timing.op.k);
        const Time predicted = timing.backward ? backward_time(timing.op, gpu) : forward_time(timing.op, gpu);
        return std::log(predicted.total() / timing.seconds);
    };
    // The scale is about the error of a smooth formula for kernels whose times change in steps (tiles).
    problem.scale = 0.05;
    for (std::size_t j = 0; j < kKernelConstants.size(); ++j) {
        const Parameter& row = parameter(kKernelConstants[j]);
        FitConstant constant{row.fallback, kWidths[j], row.minimum, row.maximum, {}};
        for (std::size_t i = 0; i < timings.size(); ++i) {
            if (affects(kKernelConstants[j], timings[i].kind)) constant.affected_residuals.push_back(i);
        }
        problem.constants.push_back(std::move(constant));
    }
    const FitResult found = fit(problem);

    for (std::size_t j = 0; j < kKernelConstants.size(); ++j) {
        out.constants[j] = {kKernelConstants[j], found.x[j], problem.constants[j].prior,
                            found.uncertainty[j]};
    }
    std::array<double, 3> squares{};
    std::array<std::size_t, 3> counts{};
    for (std::size_t i = 0; i < timings.size(); ++i) {
        const double residual = problem.residual(i, found.x);
        const auto kind = static_cast<std::size_t>(timings[i].kind);
        squares[kind] += residual * residual;
        ++counts[kind];
    }
    out.rms = root_mean_square(squares[0] + squares[1] + squares[2], out.used);
    out.rms_gemm = root_mean_square(squares[0], counts[0]);
    out.rms_attention = root_mean_square(squares[1], counts[1]);
    out.rms_streaming = root_mean_square(squares[2], counts[2]);
    return out;
}

}  // namespace shardscope
