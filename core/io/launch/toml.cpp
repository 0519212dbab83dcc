#include "launch/toml.h"

// The parser of toml++ 3.3 asserts some conditions that it afterwards reports as errors.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <functional>

#include "text/text.h"
#include "text/translate.h"

namespace shardscope::launch {

Toml::Toml(std::string_view text, Problems& problems) {
    // Settings are ASCII. Other characters occur in comments and names; toml++ 3.3 cannot tell which of them
    // are blanks.
    std::string ascii(text);
    for (char& c : ascii) {
        if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    }
    toml::table parsed;
    try {
        parsed = toml::parse(ascii);
    } catch (const toml::parse_error& error) {
        problems.push_back({"", std::string(error.description()), translate("the file is not TOML"), "",
                            static_cast<int>(error.source().begin.line)});
        return;
    }
    const std::function<void(const toml::table&, const std::string&)> walk = [&](const toml::table& table,
                                                                                 const std::string& path) {
        for (const auto& [key, node] : table) {
            const std::string name = path + std::string(key.str());
            if (const toml::table* inner = node.as_table()) {
                walk(*inner, name + ".");
                continue;
            }
            Value value;
            value.line = static_cast<int>(node.source().begin.line);
            if (node.is_number()) {
                value.kind = Kind::number;
                value.number = node.value_or(0.0);
            } else if (node.is_boolean()) {
                value.kind = Kind::flag;
                value.number = node.value_or(false) ? 1 : 0;
            } else if (node.is_string()) {
                value.kind = Kind::text;
                value.texts.push_back(node.value_or(std::string()));
            } else if (const toml::array* items = node.as_array()) {
                value.kind = Kind::list;
                for (const auto& item : *items) value.texts.push_back(item.value_or(std::string()));
            }
            values_[name] = std::move(value);
        }
    };
    walk(parsed, "");
}

int Toml::line(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? 0 : found->second.line;
}

const Toml::Value* Toml::take(const std::string& key, Kind kind, const char* not_one, Problems& problems) {
    const auto found = values_.find(key);
    if (found == values_.end()) return nullptr;
    found->second.used = true;
    if (found->second.kind == kind) return &found->second;
    problems.push_back({key, translate(not_one), "", "", found->second.line});
    return nullptr;
}

std::optional<double> Toml::number(const std::string& key, Problems& problems) {
    const Value* value = take(key, Kind::number, translatable("is not a number"), problems);
    return value ? std::optional(value->number) : std::nullopt;
}

std::optional<bool> Toml::flag(const std::string& key, Problems& problems) {
    const Value* value = take(key, Kind::flag, translatable("is neither true nor false"), problems);
    return value ? std::optional(value->number != 0) : std::nullopt;
}

std::optional<std::string> Toml::text(const std::string& key, Problems& problems) {
    const Value* value = take(key, Kind::text, translatable("is not a string in quotes"), problems);
    return value ? std::optional(value->texts.front()) : std::nullopt;
}

std::vector<std::string> Toml::list(const std::string& key, Problems& problems) {
    const auto found = values_.find(key);
    if (found != values_.end() && found->second.kind == Kind::text) {
        found->second.used = true;
        std::vector<std::string> out;
        for (const std::string& part : split(found->second.texts.front(), ',')) out.push_back(trim(part));
        return out;
    }
    const Value* value = take(key, Kind::list, translatable("is not a list"), problems);
    return value ? value->texts : std::vector<std::string>();
}

std::vector<std::string> Toml::unused(const std::function<bool(const std::string&)>& is_listed) const {
    std::map<std::string, bool> sections;  // whether the keys of a section are named one by one
    const auto section = [](const std::string& key) { return key.substr(0, key.find('.')); };
    for (const auto& [key, value] : values_) sections[section(key)] |= value.used || is_listed(key);
    std::vector<std::string> out;
    for (const auto& [key, value] : values_) {
        if (value.used) continue;
        const std::string name = sections[section(key)] ? key : section(key);
        if (out.empty() || out.back() != name) out.push_back(name);
    }
    return out;
}

}  // namespace shardscope::launch
