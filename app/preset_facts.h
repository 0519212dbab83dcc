// The key numbers of clusters and models, by which the pickers list them, and by which the pickers and the
// command line find them.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

#include "scenario/catalogue.h"

namespace shardscope {

struct PresetColumn {
    QString title;
    bool number = false;  // right-aligned
    // Set for a column whose numbers have one unit, which is in the title.
    std::optional<Quantity> quantity{};
};
// Returns the columns of a kind; the first is the title.
std::vector<PresetColumn> columns_of(PresetKind kind);

// The text of one column.
struct PresetFact {
    QString text;
    double order = 0;  // by which the column is sorted; NaN: by its text
};

class PresetFacts {
  public:
    // The catalogue has to outlive this object.
    explicit PresetFacts(const Catalogue& catalogue) : catalogue_(catalogue) {}

    // Returns one fact for each column: for a cluster its GPUs, their memory and peak, its links, the year
    // of the GPU and whether it was compared with public runs; for a model its parameters, kind, shape,
    // longest sequence and year.
    const std::vector<PresetFact>& of(const Preset& preset) { return facts(preset).columns; }
    // Returns the facts but the title in one line: "8 × H100 SXM 80 GB · 79.1 GiB · …".
    QString line(const Preset& preset);
    // Returns whether the preset has all of these words in its names or facts. A number has to be equal to
    // one of them, with or without its unit: "80 GB", "141", "70b", "2024".
    bool have(const Preset& preset, const QString& words);

  private:
    struct Facts {
        std::vector<PresetFact> columns;
        QStringList words;  // lower case, in which a search looks
    };
    const Facts& facts(const Preset& preset);
    [[nodiscard]] Facts of_cluster(const Preset& preset) const;
    [[nodiscard]] Facts of_model(const Preset& preset) const;

    const Catalogue& catalogue_;
    std::map<const Preset*, Facts> known_;  // presets never change and keep their addresses
};

}  // namespace shardscope
