// Fuzzes tables of comma-separated values: rows read back equal after one writing, which makes them valid
// UTF-8.
#include "text/csv.h"

#include "fuzz/fuzz.h"
#include "text/encode.h"

using namespace shardscope;

namespace {

std::string written(const std::vector<CsvRow>& rows) {
    std::string out;
    for (const CsvRow& row : rows) {
        for (std::size_t i = 0; i < row.fields.size(); ++i)
            out += (i > 0 ? "," : "") + csv_field(row.fields[i]);
        out += '\n';
    }
    return out;
}

void run(std::string_view text) {
    const std::vector<CsvRow> rows = read_csv(text);
    int line = 0;
    for (const CsvRow& row : rows) {
        fuzz::promise(row.line > line, "rows follow one another");
        fuzz::promise(!row.fields.empty(), "a row has a field");
        line = row.line;
    }
    const std::vector<CsvRow> again = read_csv(written(rows));
    fuzz::promise(again.size() == rows.size(), "a written table has as many rows");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<std::string> fields;
        for (const std::string& field : rows[i].fields) fields.push_back(valid_utf8(field));
        fuzz::promise(again[i].fields == fields, "a written row reads back equal");
    }
}

const fuzz::Registration kRegistered({"csv", run});

}  // namespace
