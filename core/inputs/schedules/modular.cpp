// E27: modular pipeline with layered gradient accumulation. Layer i is on GPU i mod p, so that every layer is
// a stage, and all micro-batches pass through it before the next layer. The bubble is the smallest that whole
// layers allow, and data-parallel communication overlaps with m micro-batches of a layer. The schedule is
// breadth-first with as many virtual stages as a GPU has layers.
//
// Uncertain: the paper's text was not available. Every layer ends in a message, so slow links between stages
// cost more; the share of the messages that overlaps with compute is that of any other schedule here.
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {

const Schedule kModular{
    .kind = ScheduleKind::modular,
    .title = translatable("modular"),
    .rule =
        translatable("every layer is a stage, v = L ÷ p: bubble (p − 1)·(F + B)·p ÷ L with m ≥ p; every GPU "
                     "holds all m micro-batches; v times the messages; FSDP gathers once a step"),
    .source = translatable("Lamy-Poirier 2021, arXiv 2106.02679 (reconstructed)"),
    .layered = true,
    .fixed_virtual_stages = [](double layers_per_gpu) { return layers_per_gpu; },
    .micro_batches = [](const PipelineShape& shape) { return kBreadthFirst.micro_batches(shape); },
    .bubble = [](const PipelineShape& shape, const StageTimes& t,
                 const StageTimes& filling) { return kBreadthFirst.bubble(shape, t, filling); },
    .in_flight = [](const PipelineShape& shape,
                    double position) { return kBreadthFirst.in_flight(shape, position); },
    .order = [](const PipelineShape& shape, int position) { return kBreadthFirst.order(shape, position); }};

}  // namespace shardscope
