#include "launch/stage_layers.h"

#include <cmath>
#include <numeric>

#include "launch/writing.h"
#include "schedules/pipeline_layout.h"
#include "schedules/schedule.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::launch {

StageLayers engine_stage_layers(double layers, double predictions, double stages, Partition partition) {
    StageLayers out;
    const LayerSequence sequence(layers, 0, predictions);
    for (const Stage& stage : every_stage(partition_layers(sequence, stages, 1, partition), sequence))
        out.push_back(stage.layers());
    return out;
}

StageLayers planned_stages(const Settings& s) {
    const double stages = s[P::pipeline_parallel];
    if (stages <= 1) return {s[P::layers]};
    if (const PipelineLayout* layout = pipeline_layout(s))
        return {layout->layers.begin(), layout->layers.end()};
    if (s[P::virtual_stages] > 1) return uneven_virtual_stages(s[P::layers], stages * s[P::virtual_stages]);
    return engine_stage_layers(s[P::layers], s[P::mtp_layers], stages, partition_of(s));
}

double total_layers(const StageLayers& stages) { return std::accumulate(stages.begin(), stages.end(), 0.0); }

StageLayers layers_per_rank(const StageLayers& virtual_stages, double ranks, bool folded) {
    StageLayers out(static_cast<std::size_t>(ranks), 0);
    for (std::size_t i = 0; i < virtual_stages.size(); ++i) {
        const std::size_t rank = i % out.size();
        const bool returns = folded && (i / out.size()) % 2 == 1;
        out[returns ? out.size() - 1 - rank : rank] += virtual_stages[i];
    }
    return out;
}

StageLayers uneven_virtual_stages(double layers, double count) {
    StageLayers out(static_cast<std::size_t>(count), std::floor(layers / count));
    double more = layers - count * std::floor(layers / count);
    for (std::size_t i = 1; i < out.size() && more > 0; ++i, --more) ++out[i];
    return out;
}

std::string layout_text(const StageLayers& layers, double mtp_layers) {
    std::string out;
    for (std::size_t i = 0; i < layers.size();) {
        const bool first = i == 0;
        const bool last = i + 1 == layers.size();
        std::size_t same = 1;
        while (!first && i + same + 1 < layers.size() && layers[i + same] == layers[i]) ++same;
        std::string stage = first ? "E" : "";
        if (layers[i] > 0) stage += "t*" + whole(layers[i]);
        if (last && mtp_layers > 0) stage += "m*" + whole(mtp_layers);
        stage += last ? "L" : "|";
        out += same > 1 ? "(" + stage + ")*" + whole(same) : stage;
        i += same;
    }
    return out;
}

std::string format_stage_layers(const StageLayers& stages) {
    constexpr std::size_t kMostListed = 16;
    std::vector<std::string> items;
    for (std::size_t i = 0; i < stages.size();) {
        std::size_t end = i + 1;
        while (stages.size() > kMostListed && end < stages.size() && stages[end] == stages[i]) ++end;
        const std::string layers = whole(stages[i]);
        items.push_back(end > i + 1 ? translate("{1} ({2} times)", {layers, std::to_string(end - i)})
                                    : layers);
        i = end;
    }
    if (items.size() < 2) return items.empty() ? std::string() : items.front();
    const std::span<const std::string> all_but_last(items.data(), items.size() - 1);
    return translate("{1} and {2}", {joined(all_but_last, ", "), items.back()});
}

}  // namespace shardscope::launch
