#include "presets/listed_model_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "presets/json_values.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMostBlocks = 1000;
constexpr std::size_t kMostOperators = 1000;  // per block
constexpr double kLargestSize = 1e12;         // limit of every size

struct Kind {
    std::string_view name;
    OperatorKind kind;
};
constexpr std::array kOperatorKinds{
    Kind{"gemm", OperatorKind::gemm},       Kind{"convolution", OperatorKind::convolution},
    Kind{"norm", OperatorKind::norm},       Kind{"elementwise", OperatorKind::elementwise},
    Kind{"softmax", OperatorKind::softmax}, Kind{"gather", OperatorKind::gather}};

// A field of an operator or a block that holds a number.
struct Field {
    const char* name;
    double least;
    const char* help = "";
    double most = kLargestSize;
    bool whole = false;
    bool required = false;
};
constexpr Field kRepeat{"repeat", 1, "how often the block occurs; 1 unless given", 10000, true};
constexpr Field kRows{"rows", 1, "rows of one sample; 1 unless given"};
constexpr Field kReduction{"reduction", 1,
                           "rows are the pixels of a feature map whose edge is image_size / reduction"};
constexpr Field kWeights{"weights", 0, "parameters; else they follow from the sizes"};
constexpr Field kSaved{
    "saved", 0,
    "elements kept for the backward pass for each input; 1 for gemm, convolution and norm, else 0"};
constexpr Field kIn{.name = "in", .least = 1, .help = "columns or channels read", .required = true};
constexpr Field kOut{.name = "out", .least = 1, .help = "columns or channels written", .required = true};
constexpr Field kKernel{.name = "kernel", .least = 1, .help = "edge of the kernel", .whole = true};
constexpr Field kStride{
    .name = "stride", .least = 1, .help = "pixels from one position to the next", .whole = true};
constexpr Field kGroups{.name = "groups", .least = 1, .help = "a divisor of in and out", .whole = true};
constexpr Field kWidth{.name = "width", .least = 1, .help = "columns", .required = true};
constexpr Field kTraffic{"traffic", 0, "elements read or written for each element; 2 unless given"};

// Returns the numbers that an operator of this kind may have.
std::vector<Field> numbers_of(OperatorKind kind) {
    std::vector<Field> out{kRows, kReduction, kWeights, kSaved};
    if (kind == OperatorKind::gemm) out.insert(out.end(), {kIn, kOut});
    else if (kind == OperatorKind::convolution) out.insert(out.end(), {kIn, kOut, kKernel, kStride, kGroups});
    else out.insert(out.end(), {kWidth, kTraffic});
    return out;
}

class ListedModelReader {
  public:
    explicit ListedModelReader(Problems& problems) : problems_(problems) {}

    void read(const json& list, const std::string& pointer, ListedModel& out) {
        if (!list.is_array() || list.empty() || list.size() > kMostBlocks) {
            problems_.push_back({pointer, translate("operators must be a list of blocks"),
                                 translate("it must have 1 to {1}", {std::to_string(kMostBlocks)}),
                                 translate("write [{\"name\": …, \"repeat\": …, \"operators\": […]}, …]")});
            return;
        }
        for (std::size_t i = 0; i < list.size(); ++i)
            out.blocks.push_back(block(list[i], pointer + "/" + std::to_string(i)));
    }

  private:
    ListedBlock block(const json& from, const std::string& pointer) {
        ListedBlock out;
        if (!from.is_object()) {
            problems_.push_back({pointer, translate("a block must be an object"), "",
                                 translate("write {\"operators\": […]}")});
            return out;
        }
        static const std::vector<std::string> known{"name", "repeat", "operators"};
        for (const auto& [field, value] : from.items()) {
            if (std::ranges::find(known, field) == known.end())
                problems_.push_back(unknown_field(pointer, field, known));
        }
        out.name = name(from, pointer, "block");
        out.repeat = number(from, kRepeat, pointer, 1);
        const auto operators = from.find("operators");
        if (operators == from.end() || !operators->is_array() || operators->empty() ||
            operators->size() > kMostOperators) {
            problems_.push_back({child_pointer(pointer, "operators"),
                                 translate("a block must have a list of operators"),
                                 translate("it must have 1 to {1}", {std::to_string(kMostOperators)}),
                                 translate("give the operators")});
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
            problems_.push_back({pointer, translate("an operator must be an object"), "",
                                 translate("write {\"kind\": \"gemm\", …}")});
            return out;
        }
        out.name = name(from, pointer, "operator");
        const auto given = from.find("kind");
        const std::string kind = given != from.end() && given->is_string() ? given->get<std::string>() : "";
        const auto found = std::ranges::find(kOperatorKinds, kind, &Kind::name);
        if (found == kOperatorKinds.end()) {
            std::vector<std::string> kinds;
            kinds.reserve(kOperatorKinds.size());
            for (const Kind& one : kOperatorKinds) kinds.emplace_back(one.name);
            const std::string all = translate("use one of {1}", {joined(kinds, ", ")});
            problems_.push_back(
                {child_pointer(pointer, "kind"), translate("“{1}” is not a kind of operator", {kind}),
                 kind == "attention" ? translate("models with attention are transformers") : "",
                 kind == "attention" ? all : suggestion(kind, kinds, all)});
            return out;
        }
        out.kind = found->kind;
        std::vector<std::string> known{"name", "kind"};
        for (const Field& field : numbers_of(out.kind)) known.emplace_back(field.name);
        if (out.multiplies()) known.emplace_back("bias");
        for (const auto& [field, value] : from.items()) {
            if (std::ranges::find(known, field) == known.end())
                problems_.push_back(unknown_field(pointer, field, known));
        }
        out.rows = number(from, kRows, pointer, 1);
        out.reduction = number(from, kReduction, pointer, 0);
        if (from.contains("rows") && from.contains("reduction")) {
            problems_.push_back({child_pointer(pointer, "rows"),
                                 translate("rows and reduction are both given"),
                                 translate("each gives the number of rows"), translate("leave one out")});
        }
        if (out.multiplies()) {
            sizes(from, pointer, out);
        } else {
            out.width = number(from, kWidth, pointer);
            out.traffic = number(from, kTraffic, pointer, 2);
            out.weights = out.kind == OperatorKind::norm ? 2 * out.width : 0;
        }
        // The inputs of norms and matrix products are kept for the backward pass.
        const bool keeps = out.multiplies() || out.kind == OperatorKind::norm;
        out.saved = number(from, kSaved, pointer, keeps ? 1 : 0);
        out.weights = number(from, kWeights, pointer, out.weights);
        return out;
    }

    void sizes(const json& from, const std::string& pointer, ListedOperator& out) {
        out.in = number(from, kIn, pointer);
        out.out = number(from, kOut, pointer);
        if (out.kind == OperatorKind::convolution) {
            out.kernel = number(from, kKernel, pointer, 1);
            out.stride = number(from, kStride, pointer, 1);
            out.groups = number(from, kGroups, pointer, 1);
            if (std::fmod(out.in, out.groups) != 0 || std::fmod(out.out, out.groups) != 0) {
                problems_.push_back({child_pointer(pointer, "groups"),
                                     translate("the groups do not divide the channels"),
                                     translate("in and out are split evenly over the groups"),
                                     translate("use a divisor of both")});
            }
        }
        if (const auto bias = from.find("bias"); bias != from.end()) {
            if (bias->is_boolean()) out.bias = bias->get<bool>();
            else
                problems_.push_back(
                    {child_pointer(pointer, "bias"), translate("bias must be true or false"), "", {}});
        }
        out.weights = out.kernel * out.kernel * out.in / out.groups * out.out + (out.bias ? out.out : 0);
    }

    std::string name(const json& from, const std::string& pointer, const char* otherwise) {
        const auto found = from.find("name");
        if (found == from.end()) return otherwise;
        if (found->is_string() && !found->get<std::string>().empty())
            return clean_title(found->get_ref<const std::string&>());
        problems_.push_back({child_pointer(pointer, "name"), translate("a name must be a string"), "", {}});
        return otherwise;
    }
    // Returns `fallback` where an optional field is missing.
    double number(const json& from, const Field& field, const std::string& pointer, double fallback = 0) {
        const auto found = from.find(field.name);
        if (found == from.end() && !field.required) return fallback;
        const double value = found != from.end() && found->is_number() ? found->get<double>() : NAN;
        if (!(value >= field.least && value <= kLargestSize)) {
            problems_.push_back({child_pointer(pointer, field.name),
                                 translate("{1} must be a number", {field.name}),
                                 translate("from {1} to 1e12", {format(field.least, Quantity::count)}),
                                 translate("give one")});
            return field.least;
        }
        if (!field.whole || (value == std::floor(value) && value <= field.most)) return value;
        problems_.push_back(
            {child_pointer(pointer, field.name), translate("{1} must be a whole number", {field.name}),
             translate("at most {1}", {format(field.most, Quantity::count)}),
             translate("use {1}",
                       {format(std::clamp(std::round(value), field.least, field.most), Quantity::count)})});
        return field.least;
    }

    Problems& problems_;
};

}  // namespace

std::shared_ptr<const ListedModel> read_listed_model(const json& list, const std::string& pointer,
                                                     Problems& problems) {
    const std::size_t before = problems.size();
    auto out = std::make_shared<ListedModel>();
    ListedModelReader(problems).read(list, pointer, *out);
    if (problems.size() > before) return nullptr;
    out->text = json_text(list);
    return out;
}

namespace {

ordered_json number_schema(const Field& field) {
    ordered_json out = ordered_json::object();
    if (*field.help != '\0') out["description"] = field.help;
    out["type"] = field.whole ? "integer" : "number";
    out["minimum"] = static_cast<long long>(field.least);
    out["maximum"] = static_cast<long long>(field.most);
    return out;
}

ordered_json operator_schema(const Kind& kind) {
    ordered_json properties = {{"name", {{"type", "string"}, {"minLength", 1}}},
                               {"kind", {{"const", kind.name}}}};
    ordered_json required = {"kind"};
    for (const Field& field : numbers_of(kind.kind)) {
        properties[field.name] = number_schema(field);
        if (field.required) required.push_back(field.name);
    }
    ListedOperator one;
    one.kind = kind.kind;
    if (one.multiplies()) properties["bias"] = {{"type", "boolean"}};
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", required},
            {"properties", properties},
            {"not", {{"required", {kRows.name, kReduction.name}}}}};
}

}  // namespace

ordered_json operators_schema() {
    ordered_json operators = ordered_json::array();
    for (const Kind& kind : kOperatorKinds) operators.push_back(operator_schema(kind));
    const ordered_json block = {{"type", "object"},
                                {"additionalProperties", false},
                                {"required", {"operators"}},
                                {"properties",
                                 {{"name", {{"type", "string"}, {"minLength", 1}}},
                                  {"repeat", number_schema(kRepeat)},
                                  {"operators",
                                   {{"type", "array"},
                                    {"minItems", 1},
                                    {"maxItems", kMostOperators},
                                    {"items", {{"anyOf", operators}}}}}}}};
    return {
        {"description",
         "the model's blocks in forward order; a first and a last one that stand alone are stem and head, "
         "those between them are the layers"},
        {"type", "array"},
        {"minItems", 1},
        {"maxItems", kMostBlocks},
        {"items", block}};
}

}  // namespace shardscope
