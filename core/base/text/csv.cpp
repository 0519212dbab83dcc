#include "text/csv.h"

#include <algorithm>
#include <charconv>

#include "text/encode.h"

namespace shardscope {
namespace {

// The characters that begin a formula in a spreadsheet, according to OWASP ("CSV Injection"); the last four
// are the full-width forms of the first four.
constexpr std::string_view kFormulaBegins[] = {
    "=", "+", "-", "@", "\t", "\r", "\n", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};

bool begins_formula(std::string_view text) {
    return std::ranges::any_of(kFormulaBegins,
                               [text](std::string_view begin) { return text.starts_with(begin); });
}

bool is_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

std::string_view without_apostrophes(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
    return text;
}

// Returns whether the text looks like a formula, possibly behind apostrophes. Such a text gets one more
// apostrophe, which the reader removes.
bool looks_like_formula(std::string_view text) {
    return begins_formula(without_apostrophes(text)) && !is_number(text);
}

}  // namespace

std::vector<CsvRow> read_csv(std::string_view text) {
    std::vector<CsvRow> rows;
    CsvRow row;
    std::string field;
    bool quoted = false;
    int line = 1;
    const auto end_field = [&] {
        if (field.starts_with('\'') && begins_formula(without_apostrophes(field))) field.erase(0, 1);
        row.fields.push_back(std::move(field));
        field.clear();
    };
    const auto end_row = [&] {
        end_field();
        if (row.fields.size() > 1 || !row.fields[0].empty()) rows.push_back(std::move(row));
        row = {};
        row.line = line;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') ++line;
        if (quoted) {
            if (c != '"') field += c;
            else if (i + 1 < text.size() && text[i + 1] == '"') field += text[++i];
            else quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            end_field();
        } else if (c == '\n') {
            end_row();
        } else if (c != '\r') {
            field += c;
        }
    }
    if (!field.empty() || !row.fields.empty()) end_row();
    return rows;
}

std::string csv_field(std::string_view text) {
    std::string field = (looks_like_formula(text) ? "'" : "") + valid_utf8(text);
    if (field.find_first_of(",;\"\n\r\t") == std::string::npos) return field;
    std::string out = "\"";
    for (const char c : field) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

}  // namespace shardscope
