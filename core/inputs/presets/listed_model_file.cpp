#include "presets/listed_model_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "presets/json_values.h"
#include "text/encode.h"
#include "text/said.h"
#include "text/text.h"

namespace shardscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBlocks = 1000;
constexpr std::size_t kMostOperators = 1000;  // of a block
constexpr double kLargest = 1e12;             // of any size

struct Kind {
    std::string_view name;
    OperatorKind kind;
};
constexpr std::array kKinds{
    Kind{"gemm", OperatorKind::gemm},       Kind{"convolution", OperatorKind::convolution},
    Kind{"norm", OperatorKind::norm},       Kind{"elementwise", OperatorKind::elementwise},
    Kind{"softmax", OperatorKind::softmax}, Kind{"gather", OperatorKind::gather}};

const std::vector<std::string> kOfAny{"name", "kind", "rows", "reduction", "weights", "saved"};
const std::vector<std::string> kOfGemm{"in", "out", "bias"};
const std::vector<std::string> kOfConvolution{"in", "out", "kernel", "stride", "groups", "bias"};
const std::vector<std::string> kOfOthers{"width", "traffic"};

const std::vector<std::string>& fields_of(OperatorKind kind) {
    if (kind == OperatorKind::gemm) return kOfGemm;
    return kind == OperatorKind::convolution ? kOfConvolution : kOfOthers;
}

class Reader {
  public:
    explicit Reader(Problems& problems) : problems_(problems) {}

    void read(const json& list, const std::string& pointer, ListedModel& out) {
        if (!list.is_array() || list.empty() || list.size() > kMostBlocks) {
            problems_.push_back({pointer, said("operators is a list of blocks"),
                                 said("it has to have 1 to {1}", {std::to_string(kMostBlocks)}),
                                 said("write [{\"name\": …, \"repeat\": …, \"operators\": […]}, …]")});
            return;
        }
        for (std::size_t i = 0; i < list.size(); ++i)
            out.blocks.push_back(block(list[i], pointer + "/" + std::to_string(i)));
    }

  private:
    ListedBlock block(const json& from, const std::string& pointer) {
        ListedBlock out;
        if (!from.is_object()) {
            problems_.push_back(
                {pointer, said("a block is an object"), "", said("write {\"operators\": […]}")});
            return out;
        }
        static const std::vector<std::string> known{"name", "repeat", "operators"};
        for (const auto& [field, value] : from.items()) {
            if (std::ranges::find(known, field) == known.end())
                problems_.push_back(unknown_field(pointer, field, known));
        }
        out.name = name(from, pointer, "block");
        out.repeat = whole(from, "repeat", pointer, 1, 1, 10000);
        const auto operators = from.find("operators");
        if (operators == from.end() || !operators->is_array() || operators->empty() ||
            operators->size() > kMostOperators) {
            problems_.push_back({child_pointer(pointer, "operators"), said("a block has a list of operators"),
                                 said("it has to have 1 to {1}", {std::to_string(kMostOperators)}),
                                 said("give them")});
            return out;
        }
        for (std::size_t i = 0; i < operators->size(); ++i) {
            out.operators.push_back(listed((*operators)[i], pointer + "/operators/" + std::to_string(i)));
        }
        return out;
    }

    ListedOperator listed(const json& from, const std::string& pointer) {
        ListedOperator out;
        if (!from.is_object()) {
            problems_.push_back(
                {pointer, said("an operator is an object"), "", said("write {\"kind\": \"gemm\", …}")});
            return out;
        }
        out.name = name(from, pointer, "operator");
        const auto given = from.find("kind");
        const std::string kind = given != from.end() && given->is_string() ? given->get<std::string>() : "";
        const auto found = std::ranges::find(kKinds, kind, &Kind::name);
        if (found == kKinds.end()) {
            std::vector<std::string> kinds;
            kinds.reserve(kKinds.size());
            for (const Kind& one : kKinds) kinds.emplace_back(one.name);
            const std::string near = nearest(kind, kinds);
            problems_.push_back({child_pointer(pointer, "kind"), said("“{1}” is no kind of operator", {kind}),
                                 kind == "attention" ? said("models with attention are transformers") : "",
                                 !near.empty() && kind != "attention"
                                     ? said("did you mean “{1}”?", {near})
                                     : said("use gemm, convolution, norm, elementwise, softmax or gather")});
            return out;
        }
        out.kind = found->kind;
        std::vector<std::string> known = kOfAny;
        known.insert(known.end(), fields_of(out.kind).begin(), fields_of(out.kind).end());
        for (const auto& [field, value] : from.items()) {
            if (std::ranges::find(known, field) == known.end())
                problems_.push_back(unknown_field(pointer, field, known));
        }
        out.rows = number(from, "rows", pointer, 1, 1);
        out.reduction = number(from, "reduction", pointer, 0, 1);
        if (from.contains("rows") && from.contains("reduction")) {
            problems_.push_back({child_pointer(pointer, "rows"), said("rows and reduction are both given"),
                                 said("each says how many rows there are"), said("leave one out")});
        }
        if (out.multiplies()) {
            sizes(from, pointer, out);
        } else {
            out.width = number(from, "width", pointer, NAN, 1);
            out.traffic = number(from, "traffic", pointer, 2, 0);
            out.weights = out.kind == OperatorKind::norm ? 2 * out.width : 0;
        }
        // What a norm or a matrix reads is kept for its backward pass.
        const bool keeps = out.multiplies() || out.kind == OperatorKind::norm;
        out.saved = number(from, "saved", pointer, keeps ? 1 : 0, 0);
        out.weights = number(from, "weights", pointer, out.weights, 0);
        return out;
    }

    void sizes(const json& from, const std::string& pointer, ListedOperator& out) {
        out.in = number(from, "in", pointer, NAN, 1);
        out.out = number(from, "out", pointer, NAN, 1);
        if (out.kind == OperatorKind::convolution) {
            out.kernel = whole(from, "kernel", pointer, 1, 1, kLargest);
            out.stride = whole(from, "stride", pointer, 1, 1, kLargest);
            out.groups = whole(from, "groups", pointer, 1, 1, kLargest);
            if (std::fmod(out.in, out.groups) != 0 || std::fmod(out.out, out.groups) != 0) {
                problems_.push_back(
                    {child_pointer(pointer, "groups"), said("the groups do not divide the channels"),
                     said("in and out are shared out among them"), said("use a divisor of both")});
            }
        }
        if (const auto bias = from.find("bias"); bias != from.end()) {
            if (bias->is_boolean()) out.bias = bias->get<bool>();
            else problems_.push_back({child_pointer(pointer, "bias"), said("bias is true or false"), "", {}});
        }
        out.weights = out.kernel * out.kernel * out.in / out.groups * out.out + (out.bias ? out.out : 0);
    }

    std::string name(const json& from, const std::string& pointer, const char* otherwise) {
        const auto found = from.find("name");
        if (found == from.end()) return otherwise;
        if (found->is_string() && !found->get<std::string>().empty())
            return clean_title(found->get_ref<const std::string&>());
        problems_.push_back({child_pointer(pointer, "name"), said("a name is a text"), "", {}});
        return otherwise;
    }
    // `fallback` where the field is missing; NaN: it may not be.
    double number(const json& from, const char* field, const std::string& pointer, double fallback,
                  double least) {
        const auto found = from.find(field);
        if (found == from.end() && !std::isnan(fallback)) return fallback;
        const double value = found != from.end() && found->is_number() ? found->get<double>() : NAN;
        if (value >= least && value <= kLargest) return value;
        problems_.push_back({child_pointer(pointer, field), said("{1} is a number", {field}),
                             said("from {1} to 1e12", {format(least, Quantity::count)}), said("give one")});
        return least;
    }
    double whole(const json& from, const char* field, const std::string& pointer, double fallback,
                 double least, double most) {
        const double value = number(from, field, pointer, fallback, least);
        if (value == std::floor(value) && value <= most) return value;
        problems_.push_back(
            {child_pointer(pointer, field), said("{1} is a whole number", {field}),
             said("at most {1}", {format(most, Quantity::count)}),
             said("use {1}", {format(std::clamp(std::round(value), least, most), Quantity::count)})});
        return least;
    }

    Problems& problems_;
};

}  // namespace

std::shared_ptr<const ListedModel> read_listed_model(const json& list, const std::string& pointer,
                                                     Problems& problems) {
    const std::size_t before = problems.size();
    auto out = std::make_shared<ListedModel>();
    Reader(problems).read(list, pointer, *out);
    if (problems.size() > before) return nullptr;
    out->text = json_text(list);
    return out;
}

}  // namespace shardscope
