#include "widgets/plots/figure_words.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

#include "evidence/validated.h"
#include "scenario/domain.h"
#include "scenario/gpu_groups.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

QString value_of(P id, const Settings& settings) { return QString::fromStdString(format(id, settings[id])); }
QString value_of(P id, const Answer& answer) { return value_of(id, answer.settings); }

QString title_of(const Preset* preset, const QString& otherwise) {
    return preset ? QString::fromStdString(preset->title) : otherwise;
}

QString model_of(const Answer& answer, const QString& otherwise) {
    const std::string title = answer.scenario.model_title();
    return title.empty() ? otherwise : QString::fromStdString(title);
}

QString gpus_of(const Answer& answer) {
    return tr("%1 × %2").arg(value_of(P::gpus, answer), title_of(answer.scenario.gpu_preset(), tr("GPU")));
}

QString memory_limit(double capacity) {
    return tr("Hatched: does not fit in %1.").arg(shown(capacity, Quantity::bytes));
}

QString hypothetical_words() { return tr("HYPOTHETICAL: rates as if memory sufficed."); }

}  // namespace

QString figure_title(const QString& plot_title, const Answer& answer) {
    return tr("%1: %2 on %3").arg(plot_title, model_of(answer, tr("Model")), gpus_of(answer));
}

QString setting_sentence(const Answer& answer) {
    QString where = gpus_of(answer);
    if (answer.scenario.cluster) {
        where += QStringLiteral(" (") + title_of(answer.scenario.cluster, {});
        if (is_modified(answer.scenario, Group::cluster) || is_modified(answer.scenario, Group::gpu))
            where += tr(", modified");
        where += QLatin1Char(')');
    }
    QString out =
        tr("Model: %1, %2 parameters%3. Cluster: %4. Plan: %5.")
            .arg(model_of(answer, tr("own")), shown(answer.estimate.parameters, Quantity::big_count),
                 is_modified(answer.scenario, Group::model) ? tr(", modified") : QString(), where,
                 plan_words(answer.settings));
    // Add only the first remark, the most important one for a reader; the report lists all.
    if (const auto beyond = extrapolation_warnings(answer); !beyond.empty())
        out += QLatin1Char(' ') + QString::fromStdString(beyond.front());
    return out;
}

QString plan_words(const Settings& settings) {
    QStringList plan{value_of(P::sharding, settings)};
    // List only the degrees of parallelism above one.
    const auto degree = [&](P id, const QString& words) {
        if (settings[id] > 1) plan += words.arg(value_of(id, settings));
    };
    degree(P::tensor_parallel, settings.on(P::sequence_parallel) ? tr("tensor and sequence parallel %1")
                                                                 : tr("tensor parallel %1"));
    if (settings[P::tensor_parallel] > 1 && settings.on(P::async_tensor_parallel))
        plan += tr("async tensor parallel");
    degree(P::context_parallel, tr("context parallel %1"));
    if (settings[P::context_parallel] > 1 &&
        settings.choice<ContextParallelKind>(P::context_parallel_kind) != ContextParallelKind::p2p)
        plan += tr("%1 between its GPUs").arg(value_of(P::context_parallel_kind, settings));
    degree(P::expert_parallel, tr("expert parallel %1"));
    const double expert_tensor = expert_tensor_parallel(settings);
    if (expert_tensor != settings[P::tensor_parallel])
        plan += tr("expert tensor parallel %1").arg(shown(expert_tensor, Quantity::count));
    degree(P::pipeline_parallel, tr("pipeline parallel %1"));
    degree(P::virtual_stages, tr("%1 virtual stages"));
    if (settings[P::pipeline_parallel] > 1) plan += tr("%1 schedule").arg(value_of(P::schedule, settings));
    if (settings.choice<Offload>(P::offload) != Offload::none)
        plan += tr("offload %1").arg(value_of(P::offload, settings));
    plan += {tr("micro-batch %1").arg(value_of(P::micro_batch, settings)),
             tr("accumulation %1").arg(value_of(P::accumulation, settings)),
             tr("global batch %1").arg(value_of(P::global_batch, settings)), value_of(P::precision, settings),
             tr("recompute %1").arg(value_of(P::recompute, settings))};
    // A model that is given as a list of operators has neither.
    if (applies_to(P::sequence_length, settings))
        plan.insert(plan.size() - 2,
                    tr("sequence %1").arg(shown(settings[P::sequence_length], Quantity::count)));
    if (applies_to(P::attention, settings)) plan += tr("%1 attention").arg(value_of(P::attention, settings));
    if (applies_to(P::image_size, settings))
        plan += tr("images of %1 pixels").arg(value_of(P::image_size, settings));
    return plan.join(QStringLiteral(", "));
}

QString scaling_caption(const ScalingData& data, const ScalingOptions& options) {
    const bool anew = data.plan == SweepPlan::replanned;
    QStringList lines;
    const bool rates = options.y != ScalingY::memory;
    if (!rates) {
        lines += tr("green: memory that shrinks with more GPUs; purple: memory that stays on each");
        if (!data.repaired.empty())
            lines += tr("grey, dashed: after the best repair (%1)").arg(text_of(data.repair));
    }
    if (options.weak && anew) {
        // Other GPU counts have other plans, so the size of a replica is not constant.
        lines += tr("solid: weak scaling, the batch grows with the GPUs");
    } else if (options.weak) {
        const bool cut = data.replica_gpus > 1;
        const QString replica = shown(data.replica_gpus, Quantity::count);
        lines += tr("solid: weak scaling, %1 sequences per %2")
                     .arg(shown(data.sequences_per_replica, Quantity::count),
                          cut ? tr("model replica of %1 GPUs").arg(replica) : tr("GPU"));
    }
    if (options.strong)
        lines +=
            tr("dashed: strong scaling, %1 sequences in all").arg(shown(data.global_batch, Quantity::count));
    if (options.ideal && rates) lines += tr("dotted: the ideal closed form");
    if (options.weak && options.band && rates) lines += tr("grey: the band that contains four of five runs");
    QStringList out;
    if (!lines.isEmpty()) {
        QString what = lines.join(QStringLiteral("; ")) + QLatin1Char('.');
        what[0] = what[0].toUpper();
        out += what;
    }
    if (data.fewest_gpus() > 1)
        out += tr("The plan needs at least %1 GPUs.").arg(shown(data.fewest_gpus(), Quantity::count));
    if (!std::ranges::all_of(data.curves.weak, &CurvePoint::fits)) out += memory_limit(data.capacity);
    if (!data.measured.empty() && options.measured) {
        out +=
            tr("Diamonds: measured runs of this model and GPU, solid with the same settings, hollow with "
               "others.");
        if (data.measured.front().own) out += tr("Diamond with a core: my run.");
    }
    if (data.curves.knee > 0 && options.weak)
        out += tr("Triangle: from here on an added GPU brings less than half as much as one of the first.");
    if (data.plan == SweepPlan::held) out += tr("The plan is held.");
    if (data.plan == SweepPlan::replanned)
        out += tr("Automatic plan parameters are re-planned at every GPU count.");
    if (data.hypothetical) out += hypothetical_words();
    return out.join(QLatin1Char(' '));
}

QString sweep_plan_words(SweepPlan plan) {
    switch (plan) {
        case SweepPlan::as_set: break;
        case SweepPlan::held: return tr("plan held");
        case SweepPlan::replanned: return tr("re-planned at every point");
    }
    return {};
}

QString pinned_words(const std::vector<Pin>& pins) {
    QStringList names;
    for (const Pin& pin : pins) {
        if (pin.answer.valid())
            names += QLatin1Char(pin.letter) + QStringLiteral(", ") +
                     QString::fromStdString(pin.answer.scenario.title());
    }
    return names.isEmpty() ? QString() : tr("Pinned: %1.").arg(names.join(QStringLiteral("; ")));
}

bool fits_everywhere(const SweepData& data) {
    return std::ranges::all_of(data.series, [](const SweepSeries& series) {
        return std::ranges::all_of(series.points,
                                   [](const SweepPoint& point) { return !point.valid || point.fits(); });
    });
}

QString sweep_caption(const SweepData& data, bool others_end) {
    QStringList out;
    if (!data.family) out += tr("Ring: the scenario.");
    else
        out += (is_discrete(data.x) ? tr("Discs and ring: the scenario; other marks: other values of %1.")
                                    : tr("Solid and ring: the scenario; other dashes: other values of %1."))
                   .arg(text_of(label_of(*data.family)));
    if (data.against && !data.series.empty() && !data.series.front().points.empty()) {
        const auto& points = data.series.front().points;
        out += tr("Each point is drawn at its own %1 while %2 goes from %3 to %4.")
                   .arg(text_of(label_of(*data.against)), text_of(label_of(data.x)),
                        QString::fromStdString(format(data.x, points.front().x)),
                        QString::fromStdString(format(data.x, points.back().x)));
    }
    const bool all_fit = fits_everywhere(data);
    if (!all_fit) out += memory_limit(data.capacity);
    else if (others_end) out += tr("Hatched: does not fit.");
    if ((!all_fit || others_end) && !is_discrete(data.x)) out += tr("A curve ends there in a cross.");
    if (data.plan == SweepPlan::held) out += tr("The plan is held.");
    if (data.plan == SweepPlan::replanned)
        out += tr("Automatic plan parameters are re-planned at every point.");
    if (data.hypothetical) out += hypothetical_words();
    return out.join(QLatin1Char(' '));
}

QString memory_caption(const Answer& answer) {
    const MemoryUse& memory = answer.estimate.memory;
    const QString stage = stage_words(memory.stage, answer.settings[P::pipeline_parallel]);
    QString out = tr("Memory of one GPU%1 at its fullest moment, %2: %3 of %4.")
                      .arg(stage.isEmpty() ? QString() : tr(" of the fullest pipeline stage (%1)").arg(stage),
                           text_of(label_of(memory.peak_moment)), shown(memory.peak, Quantity::bytes),
                           shown(memory.capacity, Quantity::bytes));
    out += QLatin1Char(' ') +
           tr("Dashed: usable memory; hatched below it: the margin within which the verdict is risky.");
    if (!answer.fits()) out += QLatin1Char(' ') + tr("Hatched above it: too much.");
    return out;
}

QString waterfall_caption(const Answer& answer, bool hypothetical) {
    const MemoryUse& memory = answer.estimate.memory;
    if (!answer.fits() && !hypothetical) {
        return tr("It does not fit: %1 of %2.")
            .arg(shown(memory.peak, Quantity::bytes), shown(memory.capacity, Quantity::bytes));
    }
    QString out =
        tr("Terms of one optimizer step; they add up to it. Faint: communication overlapped with compute.");
    if (!answer.fits()) out += QLatin1Char(' ') + hypothetical_words();
    return out;
}

QString footer_words(const Answer& answer) {
    constexpr std::array kShown{P::intra_node_bandwidth,
                                P::inter_node_bandwidth,
                                P::memory,
                                P::peak_flops,
                                P::memory_bandwidth,
                                P::software,
                                P::gemm_efficiency,
                                P::attention_efficiency,
                                P::memory_efficiency,
                                P::network_efficiency,
                                P::overlap};
    QStringList out{QStringLiteral("Shardscope " SHARDSCOPE_VERSION)};
    for (const P id : kShown) out += text_of(label_of(id)) + QLatin1Char(' ') + value_of(id, answer);
    return out.join(QStringLiteral(" · "));
}

QString stage_words(double stage, double stages) {
    if (stages <= 1) return {};
    return tr("stage %1 of %2").arg(shown(stage + 1, Quantity::count), shown(stages, Quantity::count));
}

}  // namespace shardscope
