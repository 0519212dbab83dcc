#include "widgets/plots/figure_words.h"

#include <QStringList>
#include <array>

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

}  // namespace

QString figure_title(const QString& plot_title, const Answer& answer) {
    QString model = model_of(answer, tr("Model"));
    if (answer.scenario.model && is_modified(answer.scenario, Group::model))
        model = tr("%1 (modified)").arg(model);
    return tr("%1: %2 on %3").arg(plot_title, model, gpus_of(answer));
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

QString pinned_words(const std::vector<Pin>& pins) {
    QStringList names;
    for (const Pin& pin : pins) {
        if (pin.answer.valid())
            names += QLatin1Char(pin.letter) + QStringLiteral(", ") +
                     QString::fromStdString(pin.answer.scenario.title());
    }
    return names.isEmpty() ? QString() : tr("Pinned: %1.").arg(names.join(QStringLiteral("; ")));
}

QString memory_limit(double capacity) {
    return tr("Hatched: does not fit in %1.").arg(shown(capacity, Quantity::bytes));
}

QString hypothetical_words() { return tr("HYPOTHETICAL: rates as if memory sufficed."); }

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
