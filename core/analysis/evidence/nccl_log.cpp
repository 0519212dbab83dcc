#include "evidence/nccl_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "text/translate.h"

namespace shardscope {
namespace {

using LineWords = std::vector<std::string_view>;

LineWords words_of(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r\f\v";
    LineWords out;
    std::size_t start = 0;
    while ((start = line.find_first_not_of(kBlank, start)) != std::string_view::npos) {
        const std::size_t end = std::min(line.find_first_of(kBlank, start), line.size());
        out.push_back(line.substr(start, end - start));
        start = end;
    }
    return out;
}

template <typename Number>
std::optional<Number> number(std::string_view word) {
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

bool is_digits(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

// The programs of nccl-tests. Tables of the first four are read.
constexpr std::array<std::string_view, 12> kTests{"all_gather", "reduce_scatter", "all_reduce", "alltoall",
                                                  "alltoallv",  "broadcast",      "reduce",     "gather",
                                                  "scatter",    "sendrecv",       "hypercube",  "bisection"};
constexpr std::size_t kRead = 4;

// The test that a line names, as "# Collective test starting: all_reduce_perf" or a command line does.
std::optional<std::size_t> test_named(std::string_view line) {
    const std::size_t end = line.find("_perf");
    if (end == std::string_view::npos) return std::nullopt;
    std::size_t start = end;
    while (start > 0 && ((line[start - 1] >= 'a' && line[start - 1] <= 'z') || line[start - 1] == '_'))
        --start;
    const auto found = std::ranges::find(kTests, line.substr(start, end - start));
    if (found == kTests.end()) return std::nullopt;
    return static_cast<std::size_t>(found - kTests.begin());
}

// The participating GPUs, from lines "#  Rank  0 Group  0 Pid 123 on host device  0 [0x1b] name".
struct Devices {
    std::optional<int> group;  // the first one listed; the others run the same test at the same time
    std::set<int> ranks;
    std::map<std::string, int, std::less<>> on_host;  // number of GPUs by host
    bool several_groups = false;
    bool doubled = false;  // a rank occurs twice: independent processes are all rank 0
};

struct Row {
    CollectivePoint point;
    int line = 0;
};

// Columns of a table's header; the first `time` and `busbw` are those out of place.
struct Header {
    std::size_t time = 0;
    std::size_t bus_bandwidth = 0;
    std::optional<std::size_t> operation_column;  // `redop`: blank if the test has none
    int line = 0;
};

class TableReader {
  public:
    explicit TableReader(Problems& problems) : problems_(problems) {}

    void read(std::string_view line, int number_of_line) {
        line_ = number_of_line;
        if (const auto test = test_named(line)) test_ = test;
        if (const std::size_t hash = line.find('#'); hash != std::string_view::npos) {
            comment(words_of(line.substr(hash + 1)));
        } else if (header_) {
            row(words_of(line));
        }
    }

    void end_table() {
        if (!header_) return;
        judge();
        header_.reset();
        rows_.clear();
        table_devices_ = {};
        table_test_.reset();
    }

    std::vector<CollectiveTable> tables;
    bool any_table = false;

  private:
    void problem(std::string what, std::string why, std::string suggestion, int line) {
        problems_.push_back({"", std::move(what), std::move(why), std::move(suggestion), line});
    }

    void comment(const LineWords& words) {
        if (words.empty()) return;
        if (words[0] == "nThread") {
            end_table();
            devices_ = {};
        } else if (words[0] == "Rank") {
            device(words);
        } else if (words.size() > 2 && words[0] == "size" && words[1] == "count") {
            header(words);
        }
    }

    void device(const LineWords& words) {
        end_table();
        const auto after = [&](std::string_view name) -> std::string_view {
            const auto found = std::ranges::find(words, name);
            return found == words.end() || found + 1 == words.end() ? std::string_view() : found[1];
        };
        const auto rank = number<int>(after("Rank"));
        const std::string_view host = after("on");
        if (!rank || *rank < 0 || host.empty()) return;
        const int group = number<int>(after("Group")).value_or(0);
        if (!devices_.group) devices_.group = group;
        if (group != *devices_.group) {
            devices_.several_groups = true;
            return;
        }
        if (!devices_.ranks.insert(*rank).second) devices_.doubled = true;
        ++devices_.on_host[std::string(host)];
    }

    void header(const LineWords& words) {
        end_table();
        any_table = true;
        Header found;
        found.line = line_;
        const auto column = [&](std::string_view name) {
            return static_cast<std::size_t>(std::ranges::find(words, name) - words.begin());
        };
        found.time = column("time");
        found.bus_bandwidth = column("busbw");
        if (column("redop") < words.size()) found.operation_column = column("redop");
        if (found.time == words.size() || found.bus_bandwidth == words.size()) {
            problem(translate("the table has no column “time” or “busbw”"),
                    translate("CPU times (-C) do not measure the links"),
                    translate("run the test without -C"), line_);
        } else {
            header_ = found;
        }
        // The lines after this table name the next table's test and GPUs again.
        table_devices_ = std::move(devices_);
        table_test_ = test_;
        devices_ = {};
        test_.reset();
    }

    void row(LineWords words) {
        // Launchers may prefix a line with its rank: "0: 1024 …" (srun --label), "[1,0]<stdout>:1024 …"
        // (mpirun).
        if (!words.empty()) {
            words[0].remove_prefix(words[0].rfind(':') + 1);
            if (words[0].empty()) words.erase(words.begin());
        }
        if (words.size() < 4 || !is_digits(words[0]) || !is_digits(words[1])) return;
        const std::optional<std::size_t>& op = header_->operation_column;
        const bool blank =
            op && *op < words.size() && (is_digits(words[*op].substr(0, 1)) || words[*op][0] == '-');
        const auto value = [&](std::size_t column) -> std::optional<double> {
            const std::size_t at = column - (blank && column > *op ? 1 : 0);
            return at < words.size() ? number<double>(words[at]) : std::nullopt;
        };
        const auto bytes = number<double>(words[0]);
        const auto time = value(header_->time);
        const auto bandwidth = value(header_->bus_bandwidth);
        if (!bytes || !time || !bandwidth || !(*time > 0) || !(*bandwidth >= 0) || !std::isfinite(*time) ||
            !std::isfinite(*bandwidth)) {
            problem(translate("the row cannot be read"),
                    translate("a size, a time above 0 and a bandwidth are expected"),
                    translate("correct or remove it"), line_);
            return;
        }
        if (*bytes > 0 && *bandwidth > 0) rows_.push_back({{*bytes, *time * 1e-6, *bandwidth * 1e9}, line_});
    }

    // Adds the table that has ended, or reports why it cannot be used.
    void judge() {
        const Devices& devices = table_devices_;
        const int line = header_->line;
        if (table_test_ && *table_test_ >= kRead) {
            problem(translate("the table is left out"),
                    translate("{1}_perf is not used", {kTests[*table_test_]}),
                    translate("give all_gather_perf, reduce_scatter_perf or all_reduce_perf"), line);
            return;
        }
        const int ranks = static_cast<int>(devices.ranks.size());
        if (ranks == 0) {
            problem(translate("the table does not say which GPUs took part"),
                    translate("its lines “#  Rank …” are missing"),
                    translate("give the log from its first line on"), line);
            return;
        }
        if (devices.doubled) {
            problem(translate("several processes have the same rank"), translate("they ran independently"),
                    translate("build nccl-tests with MPI=1"), line);
            return;
        }
        if (!devices.several_groups && *devices.ranks.rbegin() + 1 != ranks) {
            problem(translate("the list of GPUs is incomplete"),
                    translate("{1} lines up to rank {2}",
                              {std::to_string(ranks), std::to_string(*devices.ranks.rbegin())}),
                    translate("give the log as it was printed"), line);
            return;
        }
        if (ranks == 1) {
            problem(translate("the table is for a single GPU"), translate("nothing is sent"),
                    translate("run it on at least two"), line);
            return;
        }
        const int nodes = static_cast<int>(devices.on_host.size());
        if (std::ranges::any_of(devices.on_host,
                                [&](const auto& host) { return host.second != ranks / nodes; })) {
            problem(translate("the GPUs are spread unevenly"),
                    translate("{1} over {2} hosts", {std::to_string(ranks), std::to_string(nodes)}),
                    translate("use the same number on each host"), line);
            return;
        }
        CollectiveTable table{
            table_test_ ? static_cast<CollectiveTest>(*table_test_) : CollectiveTest::all_reduce,
            ranks,
            nodes,
            {},
            line};
        // Bandwidths follow from sizes and times. If they disagree, the lines of several processes are mixed,
        // or the table belongs to another test or to other GPUs than assumed.
        std::vector<int> contradictory;
        for (const Row& row : rows_) {
            const double expected = bus_factor(table.operation, ranks) * row.point.bytes / row.point.seconds;
            constexpr double kRounding =
                0.02;  // times and bandwidths have at least three digits above 1 GB/s
            if (std::fabs(row.point.bus_bandwidth - expected) <= kRounding * expected + 0.011e9) {
                table.points.push_back(row.point);
            } else {
                contradictory.push_back(row.line);
            }
        }
        if (2 * contradictory.size() > rows_.size() || (!table_test_ && ranks == 2)) {
            if (!table_test_) {
                problem(
                    translate("the table does not name its test"),
                    translate("the sizes alone do not identify it"),
                    translate("add a line above it, such as “# Collective test starting: all_gather_perf”"),
                    line);
            } else {
                problem(translate("the bandwidths do not match the sizes and times"),
                        translate("for {1} over {2} GPUs", {name_of(table.operation), std::to_string(ranks)}),
                        translate("give the log as it was printed"), line);
            }
            return;
        }
        for (const int bad : contradictory) {
            problem(translate("the row’s bandwidth does not match its size and time"), "",
                    translate("correct or remove it"), bad);
        }
        if (table.points.empty()) {
            problem(translate("the table has no row that can be used"), "",
                    translate("run larger sizes, for instance with -b 128K -e 4G -f 2"), line);
        } else {
            tables.push_back(std::move(table));
        }
    }

    Problems& problems_;
    int line_ = 0;
    Devices devices_;  // read since the last table
    std::optional<std::size_t> test_;
    std::optional<Header> header_;  // of the table that is being read
    Devices table_devices_;
    std::optional<std::size_t> table_test_;
    std::vector<Row> rows_;
};

}  // namespace

std::string_view name_of(CollectiveTest operation) { return kTests[static_cast<std::size_t>(operation)]; }

double bus_factor(CollectiveTest operation, int ranks) {
    const double share = (ranks - 1.0) / ranks;
    return operation == CollectiveTest::all_reduce ? 2 * share : share;
}

bool is_nccl_log(std::string_view text) {
    return text.find("busbw") != std::string_view::npos && text.find("algbw") != std::string_view::npos &&
           text.substr(0, text.find_first_not_of(" \t\r\n") + 1).find('{') == std::string_view::npos;
}

std::vector<CollectiveTable> read_nccl_log(std::string_view text, Problems& problems) {
    if (text.find('\0') != std::string_view::npos) {
        problems.push_back({"", translate("not an nccl-tests log"), translate("the file contains NUL bytes"),
                            translate("give the test’s output as plain text")});
        return {};
    }
    const auto before = static_cast<std::ptrdiff_t>(problems.size());
    TableReader reader(problems);
    int line = 0;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        reader.read(text.substr(start, end - start), ++line);
        start = end + 1;
    }
    reader.end_table();
    std::ranges::stable_sort(problems.begin() + before, problems.end(), {}, &Problem::line);
    if (!reader.any_table) {
        problems.push_back(
            {"", translate("not an nccl-tests log"),
             translate("it has no line “#  size  count  …  time  algbw  busbw”"),
             translate("give the output of all_gather_perf or all_reduce_perf, including the lines with #")});
    }
    return std::move(reader.tables);
}

}  // namespace shardscope
