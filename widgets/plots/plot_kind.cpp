#include "widgets/plots/plot_kind.h"

#include <algorithm>
#include <array>

#include "text/translate.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr std::array kKinds{
#define SHARDSCOPE_PLOT(name, kind) &(kind),
#include "files/plots.inc"
};

}  // namespace

std::span<const PlotKind* const> plot_kinds() { return kKinds; }

const PlotKind* plot_kind(std::string_view name) {
    const auto found = std::ranges::find(kKinds, name, &PlotKind::name);
    return found == kKinds.end() ? nullptr : *found;
}

PlotTable table_of(const PlotKind& kind, const FigureRequest& request, const Answer& answer) {
    const EnglishScope written;
    return kind.table(request, answer);
}

// A plot without values says so in its caption.
QString why_empty(const PlotTable& table, const PlotKind& kind, const FigureRequest& request,
                  const Answer& answer) {
    return table.rows.empty() ? kind.words(request, answer) : QString();
}

QString plot_names() {
    QStringList names;
    for (const PlotKind* kind : kKinds) names << QString::fromUtf8(kind->name.data());
    const QString last = names.takeLast();
    return tr("%1 or %2").arg(names.join(QStringLiteral(", ")), last);
}

}  // namespace shardscope
