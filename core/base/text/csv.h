// Reading and writing tables of comma-separated values (RFC 4180: quoted fields, doubled quotes, either line
// ending).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

struct CsvRow {
    int line = 1;  // of the file, where the row starts
    std::vector<std::string> fields;
};
// All rows, the header first; blank lines are dropped. The apostrophe before what would be a formula is no
// part of its field.
std::vector<CsvRow> read_csv(std::string_view text);
// One field as it is written: valid UTF-8, quoted only where it must be. One that a spreadsheet would take
// for a formula and that is no number begins with an apostrophe, so that it shows as text there.
std::string csv_field(std::string_view text);

}  // namespace shardscope
