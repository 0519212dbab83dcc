// Random choices from a seed, the same on every machine.
#pragma once

#include <cstdint>
#include <random>

namespace shardscope::testing {

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    // 0 … end - 1.
    int below(int end) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(end)); }
    int between(int least, int most) { return least + below(most - least + 1); }
    bool percent(int share) { return below(100) < share; }
    double share() { return below(1001) / 1000.0; }  // 0 … 1
    template <typename List>
    const auto& of(const List& list) {
        return list[static_cast<typename List::size_type>(below(static_cast<int>(list.size())))];
    }

  private:
    std::mt19937_64 engine_;
};

}  // namespace shardscope::testing
