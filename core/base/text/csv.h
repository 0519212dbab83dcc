// Reads and writes tables of comma-separated values (RFC 4180: quoted fields, doubled quotes, LF or CRLF).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

struct CsvRow {
    int line = 1;  // line of the file on which the row starts
    std::vector<std::string> fields;
};
// Returns all rows, the header first, without blank lines. An apostrophe that csv_field() wrote in front of a
// formula is removed from the field.
std::vector<CsvRow> read_csv(std::string_view text);
// Returns a field as it is written to a file: in valid UTF-8, and quoted only if necessary. A field that a
// spreadsheet would interpret as a formula and that is not a number gets an apostrophe in front, so that the
// spreadsheet shows it as text.
std::string csv_field(std::string_view text);

}  // namespace shardscope
