// E29: attributes every second of the step to the rate that bounds it, while the step time is summed up.
// Every time is inversely proportional to the rate that bounds it, so the attributed shares of the step time
// are the elasticities of throughput: they sum to one and need no extra computation.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace shardscope {

// intra_node: the links inside a node, between GPUs and to the host. latency: also launch and host time.
enum class Rate : unsigned char { compute, memory_bandwidth, intra_node, inter_node, latency, count };
inline constexpr std::size_t kRates = static_cast<std::size_t>(Rate::count);
std::string_view name_of(Rate rate);  // "memory-bandwidth"

// Seconds, split by the rate that bounds them.
struct Time {
    // Padded to a multiple of two, so that the compiler adds two at once; the last one is always 0.
    alignas(16) std::array<double, kRates + kRates % 2> by{};

    Time() = default;
    Time(Rate rate, double seconds) { by[static_cast<std::size_t>(rate)] = seconds; }

    [[nodiscard]] double total() const { return by[0] + by[1] + by[2] + by[3] + by[4]; }
    double operator[](Rate rate) const { return by[static_cast<std::size_t>(rate)]; }
    Time& operator+=(const Time& other) {
        for (std::size_t i = 0; i < by.size(); ++i) by[i] += other.by[i];
        return *this;
    }
    Time& operator*=(double factor) {
        for (double& seconds : by) seconds *= factor;
        return *this;
    }
};
inline Time operator+(Time a, const Time& b) { return a += b; }
inline Time operator*(double factor, Time a) { return a *= factor; }

// Returns the longer of two overlapping times; only the longer one is attributed to its rates.
inline const Time& longer(const Time& a, const Time& b) { return a.total() >= b.total() ? a : b; }

inline const Time& shorter(const Time& a, const Time& b) { return a.total() <= b.total() ? a : b; }

}  // namespace shardscope
