// Reading what nccl-tests and rccl-tests print: tables of collective operations over message sizes.
//
// Layout and meaning of the columns: github.com/NVIDIA/nccl-tests, src/util.cu, src/common.cu and
// doc/PERFORMANCE.md. `size` is the whole tensor, gathered or before reduction, for every operation read
// here; time is the average of one call, out of place.
#pragma once

#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope {

enum class CollectiveTest { all_gather, reduce_scatter, all_reduce, all_to_all };
std::string_view name_of(CollectiveTest operation);  // "all_gather", as nccl-tests writes it
// Bus bandwidth ÷ (bytes ÷ time), doc/PERFORMANCE.md.
double bus_factor(CollectiveTest operation, int ranks);

struct CollectivePoint {
    double bytes = 0;
    double seconds = 0;
    double bus_bandwidth = 0;  // B/s
};
struct CollectiveTable {
    CollectiveTest operation = CollectiveTest::all_reduce;
    int ranks = 0;  // GPUs that took part
    int nodes = 0;  // hosts they are on, the same number on each
    std::vector<CollectivePoint> points;
    int line = 0;  // of the log, where the table starts
};

// Whether a text looks like a log: it has the head of a table.
bool is_nccl_log(std::string_view text);

// Every table of a log, which may hold the output of several runs one after another. Text that belongs to
// none is skipped; tables and rows that cannot be used become problems with their line and do not stop the
// rest. Rows without bytes, or whose bandwidth is rounded to 0.00, say nothing and are dropped.
std::vector<CollectiveTable> read_nccl_log(std::string_view text, Problems& problems);

}  // namespace shardscope
