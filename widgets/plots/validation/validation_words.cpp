#include "widgets/plots/validation/validation_words.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <map>

#include "evidence/validated.h"
#include "text/translate.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {

QString error_words(double error) {
    constexpr double kNothing = 0.0005;  // an error below it is shown as 0.0 %
    if (std::fabs(error) < kNothing) return tr("as fast as predicted");
    // An error of several times the value is hard to read in percent.
    const double factor = std::max(1 + error, 1 / (1 + error));
    constexpr double kMultiple = 3;
    if (factor >= kMultiple) {
        return (error > 0 ? tr("%1 times as fast as predicted") : tr("%1 times slower than predicted"))
            .arg(shown(factor, Quantity::fraction));
    }
    return (error > 0 ? tr("%1 faster than predicted") : tr("%1 slower than predicted"))
        .arg(shown(std::fabs(error), Quantity::percent));
}

QString family_label(const std::string& family) {
    static const std::map<std::string, const char*> kLabels{
        {"bigscience", "BigScience"},
        {"dgxc", "DGX Cloud"},
        {"ibm", "IBM FMS-FSDP"},
        {"internevo", "InternEvo"},
        {"jax_toolbox", "JAX-Toolbox"},
        {"kempner", "KempnerForge"},
        {"korthikanti", "Korthikanti 2022"},
        {"mbridge_cards", translatable("Megatron-Bridge model cards")},
        {"megatron21", "Narayanan 2021"},
        {"megatron_bridge", "Megatron-Bridge"},
        {"megatron_h100_2024", "Megatron-LM, H100"},
        {"megatron_moe_zoo", "MoE-ModelZoo"},
        {"mlm_golden", translatable("Megatron-LM functional tests")},
        {"mlperf", "MLPerf Training"},
        {"mosaic", "LLM Foundry"},
        {"nemo_older", "NeMo 24"},
        {"primus_amd", "AMD Primus"},
        {"simumax", "SimuMax"},
        {"small_tables", translatable("small tables")},
        {"torchao_titan", "torchao, torchtitan"},
        {"torchtitan", "torchtitan"},
        {"tpu", "TPU recipes"},
        {"ultrascale", "Ultra-Scale"},
        {"xtuner", "XTuner"},
    };
    const auto found = kLabels.find(family);
    return found == kLabels.end() ? QString::fromStdString(family) : text_of(translate(found->second));
}

QString measured_text(double value, ValidationQuantity quantity) {
    switch (quantity) {
        case ValidationQuantity::mfu: return tr("%1 MFU").arg(shown(value, Quantity::percent));
        case ValidationQuantity::tokens_per_s_per_gpu:
            return tr("%1 tokens/s/GPU").arg(shown(value, Quantity::rate, false));
        case ValidationQuantity::memory: return shown(value, Quantity::bytes);
        case ValidationQuantity::step_time: break;
    }
    return shown(value, Quantity::seconds);
}

QString validation_band_text() {
    constexpr double kPercent = 0.01;
    return tr("±%1 %").arg(std::lround(kValidationBand / kPercent));
}

QString summary_words(const ValidationData& data) {
    const auto percent = [](double value) { return shown(value, Quantity::percent); };
    const QString words =
        data.memory ? tr("%1 public runs: mean error of the memory %2, median %3, nine of ten within %4.")
                    : tr("%1 public runs: mean error of the step time %2, median %3, nine of ten within %4.");
    return words.arg(data.all.n)
        .arg(percent(data.all.mean_abs_error), percent(data.all.median_abs_error),
             percent(data.all.p90_abs_error));
}

QString validation_caption(const ValidationData& data, const std::optional<ValidationPoint>& own) {
    QStringList out{summary_words(data),
                    tr("Line: prediction equals measurement; grey: %1.").arg(validation_band_text())};
    if (!data.filter.empty()) out += tr("Only runs with “%1”.").arg(QString::fromStdString(data.filter));
    else if (data.left_out > 0 && data.memory)
        out += tr("%1 runs of the table are not shown: their memory was not measured, or it was full.")
                   .arg(data.left_out);
    else if (data.left_out > 0)
        out += tr("%1 runs of the table are not shown: they have no good step time.").arg(data.left_out);
    for (const ValidationFamily& family : data.families) {
        if (family.own)
            out += tr("%1: %2 own runs, mean error %3.")
                       .arg(QString::fromStdString(family.name))
                       .arg(family.summary.n)
                       .arg(shown(family.summary.mean_abs_error, Quantity::percent));
    }
    if (own)
        out += tr("Diamond with a core: my run, measured %1, %2.")
                   .arg(measured_text(own->measured(ValidationQuantity::mfu), ValidationQuantity::mfu),
                        error_words(own->error));
    return out.join(QLatin1Char(' '));
}

QString validation_footer_words() {
    return tr("Shardscope %1 · each run with the constants of its GPU, fabric and software")
        .arg(QStringLiteral(SHARDSCOPE_VERSION));
}

}  // namespace shardscope
