#include "files/csv.h"

namespace shardscope {

std::vector<CsvRow> read_csv(std::string_view text) {
    std::vector<CsvRow> rows;
    CsvRow row;
    std::string field;
    bool quoted = false;
    int line = 1;
    const auto end_field = [&] {
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
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

}  // namespace shardscope
