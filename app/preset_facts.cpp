#include "app/preset_facts.h"

#include <QLocale>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "containers/no_value.h"
#include "evidence/validated.h"
#include "parameters/layer_pattern.h"
#include "planner/answer.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

const QString kAbsent = QStringLiteral("–");

PresetFact number(double value, Quantity quantity) {
    if (std::isnan(value) || value <= 0) return {kAbsent, kNoValue};
    return {shown(value, quantity), value};
}

// "46.7 B", "110 M"
PresetFact parameter_count(double value) {
    if (std::isnan(value)) return {kAbsent, kNoValue};
    constexpr double kMillion = 1e6;
    constexpr double kBillion = 1e9;
    static const QLocale grouped(QLocale::English, QLocale::UnitedStates);
    if (value >= kBillion) return {grouped.toString(value / kBillion, 'f', 1) + QStringLiteral(" B"), value};
    if (value < kMillion) return {shown(value, Quantity::big_count), value};
    return {grouped.toString(value / kMillion, 'f', 0) + QStringLiteral(" M"), value};
}

PresetFact year_of(const Preset* preset) {
    if (!preset || preset->year == 0) return {kAbsent, kNoValue};
    return {QString::number(preset->year), static_cast<double>(preset->year)};
}

QString title_of(const Preset& preset) { return preset_text(preset.shown_title()); }

// Returns the text in lower case, in which units follow their numbers without a blank: "80gb", "400gbit/s".
QString normalized(const QString& text) {
    static const QRegularExpression blank(
        QStringLiteral("(?<=\\d) (?=(gb|gib|tb|gbit|tflop|b|k|m|t)(/s)?( |$|[^a-z]))"));
    QString out = text.toLower();
    out.remove(QLatin1Char(','));
    return out.replace(blank, QString());
}

QStringList words_in(const QString& text) {
    static const QRegularExpression gap(QStringLiteral("[\\s()·,]+"));
    return normalized(text).split(gap, Qt::SkipEmptyParts);
}

// Adds the words of a name, and those between its hyphens.
void add_name(QStringList& words, const Preset* preset) {
    if (!preset) return;
    words << words_in(title_of(*preset)) << text_of(preset->name).toLower();
    words << words.back().split(QLatin1Char('-'));
}

// Returns "dense", "experts", "hybrid", "hybrid, experts" or "operators".
QString kind_of(const Settings& s) {
    if (s.listed()) return QObject::tr("operators");
    const LayerSequence layers(s);
    bool attention = false;
    bool state = false;
    for (std::size_t i = 0; i < layers.kinds(); ++i) {
        const Mixer mixer = layers.kind(i).mixer;
        attention = attention || is_attention(mixer);
        state = state || mixer == Mixer::linear || mixer == Mixer::mamba2;
    }
    QStringList out;
    if (state) out << (attention ? QObject::tr("hybrid") : QObject::tr("state space"));
    if (s[P::experts] > 1) out << QObject::tr("experts");
    return out.isEmpty() ? QObject::tr("dense") : out.join(QStringLiteral(", "));
}

// Adds "70b" and "71b" for 70.6 billion parameters.
void add_size(QStringList& words, double parameters) {
    constexpr double kBillion = 1e9;
    for (const double billions : {std::floor(parameters / kBillion), std::round(parameters / kBillion)}) {
        if (billions >= 1) words << QStringLiteral("%1b").arg(billions, 0, 'f', 0);
    }
}

}  // namespace

std::vector<PresetColumn> columns_of(PresetKind kind) {
    if (kind == PresetKind::cluster) {
        return {{QObject::tr("Cluster")},
                {QObject::tr("GPUs\nper node")},
                {QObject::tr("Memory"), true, Quantity::bytes},
                {QObject::tr("16-bit\npeak"), true, Quantity::flop_rate},
                {QObject::tr("In a\nnode"), true, Quantity::link_bandwidth},
                {QObject::tr("Inter-\nnode"), true, Quantity::network_bandwidth},
                {QObject::tr("Year"), true},
                {QObject::tr("Public\nruns")}};
    }
    return {
        {QObject::tr("Model")},      {QObject::tr("Parameters"), true},     {QObject::tr("Active"), true},
        {QObject::tr("Kind")},       {QObject::tr("Layers × width"), true}, {QObject::tr("Context"), true},
        {QObject::tr("Year"), true}, {QObject::tr("Public\nruns")}};
}

PresetFacts::Facts PresetFacts::of_cluster(const Preset& preset) const {
    const Settings s = resolve(with_cluster(Scenario::first_launch(catalogue_), preset));
    const double peak = std::fmax(s[P::peak_flops_bf16], s[P::peak_flops_fp16]);
    constexpr double kTera = 1e12;
    // "MI250X 128 GB", without "(package of 2 GCDs)"
    const QString gpu =
        preset.gpu ? title_of(*preset.gpu).section(QStringLiteral(" ("), 0, 0) : QObject::tr("own GPU");
    const QString gpus = shown(s[P::gpus_per_node], Quantity::count);
    Facts out;
    out.columns = {{title_of(preset), kNoValue},
                   {QStringLiteral("%1 × %2").arg(gpus, gpu), s[P::gpus_per_node]},
                   number(s[P::memory], Quantity::bytes),
                   number(std::round(peak / kTera) * kTera, Quantity::flop_rate),
                   number(s[P::intra_node_bandwidth], Quantity::link_bandwidth),
                   number(s[P::inter_node_bandwidth], Quantity::network_bandwidth),
                   year_of(preset.gpu),
                   {text_of(comparison_of(preset)), kNoValue}};
    add_name(out.words, &preset);
    add_name(out.words, preset.gpu);
    if (preset.gpu) out.words << text_of(preset.gpu->vendor);
    // "InfiniBand", "EFA", "Slingshot"
    add_name(out.words, preset.calibration);
    return out;
}

PresetFacts::Facts PresetFacts::of_model(const Preset& preset) const {
    const Answer answer = shardscope::answer(with_model(Scenario::first_launch(catalogue_), preset));
    const Settings& s = answer.settings;
    const double parameters = answer.valid() ? answer.compiled.parameters : kNoValue;
    const double active = answer.valid() ? answer.compiled.active_parameters : kNoValue;
    const double learned = s[P::learned_positions];
    PresetFact shape{kAbsent, kNoValue};
    if (!s.listed())
        shape = {QStringLiteral("%1 × %2").arg(shown(s[P::layers], Quantity::count),
                                               shown(s[P::hidden_size], Quantity::count)),
                 s[P::layers] * s[P::hidden_size]};
    Facts out;
    const PresetFact context = number(preset.context > 0 ? preset.context
                                      : s.listed()       ? kNoValue
                                                         : learned,
                                      Quantity::count);
    out.columns = {{title_of(preset), kNoValue},
                   parameter_count(parameters),
                   parameter_count(s[P::experts] > 1 ? active : kNoValue),
                   {kind_of(s), kNoValue},
                   shape,
                   context,
                   year_of(&preset),
                   {text_of(comparison_of(preset)), kNoValue}};
    add_name(out.words, &preset);
    for (const double size : {parameters, active}) add_size(out.words, size);
    if (s[P::experts] > 1) out.words << QStringLiteral("moe");
    constexpr double kThousand = 1024;
    if (context.order >= kThousand)
        out.words << QStringLiteral("%1k").arg(std::round(context.order / kThousand), 0, 'f', 0);
    return out;
}

const PresetFacts::Facts& PresetFacts::facts(const Preset& preset) {
    const auto [at, is_new] = known_.try_emplace(&preset);
    if (!is_new) return at->second;
    Facts& out = at->second;
    out = preset.kind == PresetKind::cluster ? of_cluster(preset) : of_model(preset);
    for (const PresetFact& fact : out.columns) out.words << words_in(fact.text);
    return out;
}

QString PresetFacts::line(const Preset& preset) {
    const std::vector<PresetFact>& all = of(preset);
    const std::vector<PresetColumn> columns = columns_of(preset.kind);
    QStringList out;
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].text == kAbsent) continue;
        // What is a number with nothing but a unit needs its column's title.
        QString title = columns[i].title;
        title.replace(QStringLiteral("-\n"), QStringLiteral("-"))
            .replace(QLatin1Char('\n'), QLatin1Char(' '));
        out << (columns[i].number ? title + QLatin1Char(' ') + all[i].text : all[i].text);
    }
    return out.join(kBetweenParts);
}

bool PresetFacts::have(const Preset& preset, const QString& words) {
    static const QRegularExpression digits(QStringLiteral("^[0-9.]+"));
    const QStringList& own = facts(preset).words;
    const QStringList wanted = words_in(words);
    return std::ranges::all_of(wanted, [&](const QString& word) {
        const qsizetype digit_count = digits.match(word).capturedLength();
        const bool is_letters = std::ranges::none_of(word, [](QChar c) { return c.isDigit(); });
        return std::ranges::any_of(own, [&](const QString& one) {
            if (is_letters) return one.contains(word);
            // "h200" is not "gh200".
            if (!one.startsWith(word)) return false;
            if (digit_count == 0) return true;
            // "80" is "80gb" and not "800gbit/s".
            return digit_count < word.size() || digits.match(one).capturedLength() == digit_count;
        });
    });
}

}  // namespace shardscope
