// Tests logs of nccl-tests as they occur: several tables, launchers' prefixes, old layouts, garbage.
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "evidence/nccl_log.h"

using namespace shardscope;

namespace {

std::string devices(int ranks, int per_host) {
    std::string out = "# nThread 1 nGpus 1 minBytes 8 maxBytes 1048576 step: 2(factor)\n#\n# Using devices\n";
    for (int rank = 0; rank < ranks; ++rank) {
        out += "#  Rank " + std::to_string(rank) + " Group  0 Pid   6899 on   host-" +
               std::to_string(rank / per_host) + " device  " + std::to_string(rank % per_host) +
               " [0000:04:00] NVIDIA H100 80GB HBM3\n";
    }
    return out + "#\n";
}

const std::string kHeader =
    "#                                                              out-of-place                       "
    "in-place          \n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
    "busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  "
    "(GB/s)       \n";

// Returns a row of `size` bytes in `time` µs whose bus bandwidth is `factor` times its algorithm bandwidth.
std::string row(double size, double time, double factor,
                const std::string& middle = "float     sum      -1") {
    char text[200];
    const double bandwidth = size / time * 1e-3;
    std::snprintf(text, sizeof text,
                  "%12.0f  %12.0f  %s  %7.2f  %6.2f  %6.2f      0  %7.2f  %6.2f  %6.2f    N/A\n", size,
                  size / 4, middle.c_str(), time, bandwidth, bandwidth * factor, 2 * time, bandwidth / 2,
                  bandwidth * factor / 2);
    return text;
}

const std::string kReduce = "# CollectiveTest test starting: all_reduce_perf\n";

}  // namespace

TEST_CASE("nccl log: a table is read with its ranks, hosts, times and bandwidths", "[nccl]") {
    Problems problems;
    const auto tables = read_nccl_log(
        "# nccl-tests version 2.17.6\n" + kReduce + devices(16, 8) + "NCCL version 2.27.7\n" + kHeader +
            row(0, 12, 1.875) + row(8, 30, 1.875) + row(1 << 20, 200, 1.875) + row(1 << 30, 6759, 1.875) +
            "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 70.742 \n",
        problems);
    CHECK(problems.empty());
    REQUIRE(tables.size() == 1);
    CHECK(tables[0].operation == CollectiveTest::all_reduce);
    CHECK(tables[0].ranks == 16);
    CHECK(tables[0].nodes == 2);
    REQUIRE(tables[0].points.size() == 2);  // rows without bytes and with bandwidth 0.00 are left out
    CHECK(tables[0].points[0].bytes == 1 << 20);
    CHECK(tables[0].points[0].seconds == Approx(200e-6));  // the out-of-place time
    CHECK(tables[0].points[1].bus_bandwidth == Approx(297.86e9));
}

TEST_CASE("nccl log: several runs in one log are read one after another", "[nccl]") {
    Problems problems;
    const auto tables = read_nccl_log(
        "+ build/all_gather_perf -b 1M\r\n" + devices(8, 8) + kHeader +
            row(1 << 20, 100, 0.875, "float    none      -1") + "\n" + kReduce + devices(32, 8) + kHeader +
            row(1 << 20, 300, 1.9375) + "+ mpirun build/reduce_scatter_perf_mpi\n" + devices(4, 1) + kHeader +
            row(1 << 20, 300, 0.75) + "build/alltoall_perf\n" + devices(8, 8) + kHeader +
            row(1 << 20, 100, 0.875, "float    none      -1"),
        problems);
    CHECK(problems.empty());
    REQUIRE(tables.size() == 4);
    CHECK(tables[0].operation == CollectiveTest::all_gather);
    CHECK(tables[1].operation == CollectiveTest::all_reduce);
    CHECK(tables[1].nodes == 4);
    CHECK(tables[2].operation == CollectiveTest::reduce_scatter);
    CHECK(tables[2].nodes == 4);
    CHECK(tables[3].operation == CollectiveTest::all_to_all);
    CHECK(tables[3].nodes == 1);
}

TEST_CASE("nccl log: layouts without columns, launchers' prefixes and groups are read", "[nccl]") {
    Problems problems;
    SECTION("an old all-gather has neither operation nor root") {
        const auto tables = read_nccl_log("all_gather_perf\n" + devices(8, 8) +
                                              "#       size         count    type     time   algbw   busbw  "
                                              "error     time   algbw   busbw  error\n" +
                                              row(1 << 20, 100, 0.875, "float"),
                                          problems);
        REQUIRE(tables.size() == 1);
        CHECK(tables[0].points.size() == 1);
    }
    SECTION("an old all-to-all leaves the column of its operation blank") {
        const auto tables = read_nccl_log(
            "alltoall_perf\n" + devices(8, 8) +
                "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n" +
                row(1 << 20, 100, 0.875, "float        "),
            problems);
        REQUIRE(tables.size() == 1);
        CHECK(tables[0].points[0].seconds == Approx(100e-6));
    }
    SECTION("srun --label and mpirun --tag-output") {
        for (const std::string prefix : {"0: ", "[1,0]<stdout>:"}) {
            std::string text;
            std::string line;
            for (const char c : kReduce + devices(8, 8) + kHeader + row(1 << 20, 100, 1.75)) {
                line += c;
                if (c != '\n') continue;
                text += prefix + line;
                line.clear();
            }
            CHECK(read_nccl_log(text, problems).size() == 1);
        }
    }
    SECTION("of several groups at the same time the first one counts") {
        std::string list = "# Using devices\n";
        for (int rank = 0; rank < 16; ++rank) {
            list += "#  Rank " + std::to_string(rank) + " Group  " + std::to_string(rank % 8) +
                    " Pid 1 on host" + std::to_string(rank / 8) + " device 0 [0x01] H100\n";
        }
        const auto tables = read_nccl_log(kReduce + list + kHeader + row(1 << 20, 100, 1), problems);
        REQUIRE(tables.size() == 1);
        CHECK(tables[0].ranks == 2);
        CHECK(tables[0].nodes == 2);
    }
    SECTION("an all-reduce is known by its bandwidths where the log does not name it") {
        const auto tables = read_nccl_log(devices(8, 8) + kHeader + row(1 << 20, 100, 1.75), problems);
        REQUIRE(tables.size() == 1);
        CHECK(tables[0].operation == CollectiveTest::all_reduce);
    }
    CHECK(problems.empty());
}

TEST_CASE("nccl log: an unusable row is reported with its line", "[nccl]") {
    const auto refused = [](const std::string& text, const std::string& word, int line) {
        INFO(word);
        Problems problems;
        CHECK(read_nccl_log(text, problems).empty());
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].text().find(word) != std::string::npos);
        CHECK(problems[0].line == line);
    };
    const std::string table = kHeader + row(1 << 20, 100, 1.75);
    refused("", "not an nccl-tests log", 0);
    refused("{\"name\": 1}\n\xff\xfe \xc3(", "not an nccl-tests log", 0);
    refused(std::string("#\0s", 3), "not an nccl-tests log", 0);
    refused(kReduce + table, "which GPUs", 3);
    refused(kReduce + devices(1, 1) + table, "a single GPU", 8);
    refused(kReduce + devices(8, 5) + table, "unevenly", 15);
    refused(kReduce + "# Rank 0 on a\n# Rank 7 on a\n" + table, "incomplete", 5);
    refused(kReduce + "# Rank 0 on a\n# Rank 0 on a\n" + table, "MPI=1", 5);
    refused("broadcast_perf\n" + devices(8, 8) + table, "broadcast_perf is not used", 15);
    refused(devices(8, 8) + kHeader + row(1 << 20, 100, 0.875), "does not name its test", 14);
    refused(kReduce + devices(4, 4) + table, "do not match", 11);
    refused(kReduce + devices(8, 8) + "# size count type redop root cputime algbw busbw\n", "-C", 14);
}

TEST_CASE("nccl log: a damaged row does not stop the reading of the others", "[nccl]") {
    Problems problems;
    const auto tables = read_nccl_log(
        kReduce + devices(8, 8) + kHeader + row(1 << 20, 100, 1.75) + row(1 << 21, 150, 1.75) +
            row(1 << 21, 150, 3.5) + "     4194304       1048576     float     sum      -1   inf  nan  1\n" +
            "     8388608       20971\n",
        problems);
    REQUIRE(tables.size() == 1);
    CHECK(tables[0].points.size() == 2);
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].line == 19);
    CHECK(problems[1].line == 20);
}
