// Reads the output of nccl-tests and rccl-tests: tables of collective operations over message sizes.
//
// Layout and meaning of the columns: github.com/NVIDIA/nccl-tests, src/util.cu, src/common.cu and
// doc/PERFORMANCE.md. For every operation read here `size` is that of the whole tensor, after the gather or
// before the reduction; time is the average of one out-of-place call.
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
    int ranks = 0;  // number of GPUs
    int nodes = 0;  // number of hosts, with the same number of GPUs on each
    std::vector<CollectivePoint> points;
    int line = 0;  // of the log, where the table starts
};

// Returns whether a text looks like a log: it has the header of a table.
bool is_nccl_log(std::string_view text);

// Reads every table of a log, which may contain the output of several runs. Other text is skipped. Tables and
// rows that cannot be used are reported as problems with their line, and reading continues. Rows without
// bytes, or whose bandwidth is rounded to 0.00, carry no information and are dropped.
std::vector<CollectiveTable> read_nccl_log(std::string_view text, Problems& problems);

}  // namespace shardscope
