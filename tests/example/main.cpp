// Estimates one scenario with the engine as a library and prints what `shardscope estimate` prints.
#include <shardscope/files/result.h>
#include <shardscope/files/scenario_file.h>
#include <iostream>

int main() {
    shardscope::Problems problems;
    auto presets = shardscope::Catalogue::with_folder("", problems);
    const auto scenario = shardscope::read_scenario(R"({"cluster": {"gpus": 256}})", presets, "", problems);
    for (const auto& problem : problems) std::cerr << problem.text() << '\n';
    if (problems.empty()) std::cout << shardscope::result_text(shardscope::answer(scenario));
}
