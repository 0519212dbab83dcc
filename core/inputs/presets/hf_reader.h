// Reads the fields of a model's config.json and collects the values and notes of the preset.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "presets/hf_defaults.h"
#include "presets/hf_layers.h"
#include "presets/json_values.h"
#include "text/encode.h"
#include "text/problem.h"
#include "text/text.h"
#include "text/translate.h"
#include "text/units.h"

namespace shardscope::hf {

using nlohmann::json;
using nlohmann::ordered_json;

class Reader {
  public:
    Reader(const json& config, Problems& problems)
        : Reader(config, problems, std::make_shared<std::set<const json*>>()) {}

    ordered_json values;
    std::vector<std::string> notes;

    [[nodiscard]] bool has(const char* field) const {
        return config_.contains(field) && !config_[field].is_null();
    }
    [[nodiscard]] const json& operator[](const char* field) const {
        mark_read(field);
        return config_[field];
    }
    [[nodiscard]] const json& whole() const { return config_; }
    // Marks a field as read. `has` does not mark a field.
    void mark_read(const char* field) const {
        if (config_.contains(field)) read_->insert(&config_[field]);
    }
    // Returns whether a value of the file, at any depth, was read.
    [[nodiscard]] bool was_read(const json& value) const { return read_->contains(&value); }
    // Returns a reader of the object in a field, which is empty if there is none.
    [[nodiscard]] Reader part(const char* field) const {
        static const json kNothing = json::object();
        mark_read(field);
        return {has(field) && config_[field].is_object() ? config_[field] : kNothing, problems_, read_};
    }
    // Returns the first of the fields that is present, or nullptr.
    [[nodiscard]] const char* first(std::initializer_list<const char*> fields) const {
        for (const char* field : fields) {
            if (has(field)) return field;
        }
        return nullptr;
    }
    // Returns the default of the configuration class if the file has none of the fields, and `otherwise` if
    // the class has no default.
    double number(std::initializer_list<const char*> fields, double otherwise = 0) {
        const char* field = first(fields);
        if (!field) return default_of(fields).value_or(otherwise);
        // Other names of the same number are read with it.
        for (const char* same : fields) {
            if (has(same) && config_[same] == config_[field]) mark_read(same);
        }
        if (config_[field].is_number()) return config_[field].get<double>();
        problems_.push_back({std::string("/") + field, translate("is not a number"), "",
                             translate("give the file as it was published")});
        return otherwise;
    }
    [[nodiscard]] bool flag(const char* field, bool otherwise = false) const {
        if (!has(field)) return usual_flag(field, otherwise);
        mark_read(field);
        if (config_[field].is_boolean()) return config_[field].get<bool>();
        problems_.push_back({std::string("/") + field, translate("is neither true nor false"), "",
                             translate("give the file as it was published")});
        return otherwise;
    }
    [[nodiscard]] std::string text(const char* field) const {
        mark_read(field);
        return text_at(config_, field);
    }
    // Returns a number for which only the default of the class can be substituted; `why` is the explanation
    // in the message if there is neither.
    double required(const char* why, std::initializer_list<const char*> fields) {
        if (first(fields)) return number(fields);
        if (const auto usual = default_of(fields)) return *usual;
        problems_.push_back({std::string("/") + *fields.begin(), translate("is missing"), translate(why),
                             translate("give a model's whole config.json")});
        return 0;
    }
    [[nodiscard]] const std::string& type() const { return type_; }
    // Adds the layers' kinds, unless all of them have full attention.
    void put_pattern(const LayerWords& layers) {
        const LayerWords pattern = shortest_period(layers);
        if (pattern != LayerWords{"full"}) values["layer_pattern"] = pattern;
    }
    void refuse(const std::string& field, const std::string& why,
                const std::string& otherwise = translate("it would be read as a transformer")) {
        problems_.push_back({"/" + field, why, otherwise, translate("describe the model in a preset")});
    }
    [[nodiscard]] bool usual_flag(const char* field, bool otherwise = false) const {
        const auto usual = hf_default(type_, field);
        return usual ? *usual != 0 : otherwise;
    }
    void note(std::string sentence) { notes.push_back(std::move(sentence)); }
    // Adds a note with the defaults that were used. Flags are not listed, because every file omits some of
    // them.
    void note_defaults() {
        if (!defaults_used_.empty())
            note(translate("Fields that the file omits have the defaults of transformers: {1}.",
                           {joined(defaults_used_, ", ")}));
    }
    void put(const char* field, double value) {
        if (value == std::floor(value) && std::fabs(value) < 1e15)
            values[field] = static_cast<long long>(value);
        else values[field] = value;
    }

  private:
    Reader(const json& config, Problems& problems, std::shared_ptr<std::set<const json*>> read)
        : config_(config), problems_(problems), read_(std::move(read)), type_(text("model_type")) {}

    // Returns the default of the class if none of the fields is present. A field that is null counts as
    // present, because the class then computes its value.
    std::optional<double> default_of(std::initializer_list<const char*> fields) {
        if (std::ranges::any_of(fields, [&](const char* field) { return config_.contains(field); }))
            return std::nullopt;
        for (const char* field : fields) {
            const auto usual = hf_default(type_, field);
            if (!usual) continue;
            const std::string used = std::string(field) + " = " + exact(*usual);
            if (std::ranges::find(defaults_used_, used) == defaults_used_.end())
                defaults_used_.push_back(used);
            return usual;
        }
        return std::nullopt;
    }

    const json& config_;
    Problems& problems_;
    std::shared_ptr<std::set<const json*>> read_;  // shared with the readers of parts
    std::string type_;
    std::vector<std::string> defaults_used_;
};

}  // namespace shardscope::hf
