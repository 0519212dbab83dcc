#include "parameters/interned_text.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace shardscope {
namespace {

struct List {
    std::mutex mutex;
    std::deque<std::string> texts{std::string()};  // references stay valid when it grows
    std::unordered_map<std::string_view, double> numbers{{texts.front(), 0}};
};

List& list() {
    static List of_process;
    return of_process;
}

}  // namespace

double intern_text(std::string_view text) {
    constexpr std::size_t kMost = 1'000'000;
    List& all = list();
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.numbers.find(text); found != all.numbers.end()) return found->second;
    if (all.texts.size() >= kMost) return 0;
    const auto number = static_cast<double>(all.texts.size());
    all.numbers.emplace(all.texts.emplace_back(text), number);
    return number;
}

const std::string& interned_text(double number) {
    List& all = list();
    const std::lock_guard lock(all.mutex);
    if (number >= 1 && number < static_cast<double>(all.texts.size()))
        return all.texts[static_cast<std::size_t>(number)];
    return all.texts.front();
}

}  // namespace shardscope
