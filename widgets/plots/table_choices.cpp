#include "widgets/plots/table_choices.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <algorithm>
#include <array>
#include <vector>

#include "text/translate.h"
#include "widgets/drawing.h"

namespace shardscope {
namespace {

std::vector<Output> sorted_outputs() {
    using enum Output;
    std::vector<Output> out{mfu,           tokens_per_s_per_gpu, tokens_per_s, step_time, peak_memory,
                            hfu,           training_days,        gpu_hours,    cost,      energy,
                            power_per_gpu, tokens_per_joule};
    // Texts, and properties that a scenario has without being run, are not offered.
    constexpr std::array kLeftOut{wall, capacity};
    for (std::size_t i = 0; i < kOutputs; ++i) {
        const auto id = static_cast<Output>(i);
        if (std::ranges::find(kLeftOut, id) != kLeftOut.end() || std::ranges::find(out, id) != out.end())
            continue;
        out.push_back(id);
    }
    return out;
}

constexpr int kNoRow = -1;  // the data of the entry `none`; other entries have the index of their row

template <typename Id>
std::optional<Id> selected(const QComboBox& box) {
    const int data = box.currentData().toInt();
    if (data == kNoRow) return std::nullopt;
    return static_cast<Id>(data);
}

// A view may name any entry of the tables, even one that is not offered; it is then added to the box.
template <typename Id>
void choose_in(QComboBox& box, std::optional<Id> id) {
    const int data = id ? static_cast<int>(*id) : kNoRow;
    int at = box.findData(data);
    if (at < 0 && id) {
        box.addItem(text_of(label_of(*id)), data);
        at = box.count() - 1;
    }
    if (at >= 0) box.setCurrentIndex(at);
}

}  // namespace

std::span<const Output> output_choices() {
    static const std::vector<Output> choices = sorted_outputs();
    return choices;
}

void fill_inputs(QComboBox& box, const QString& none) {
    if (!none.isEmpty()) box.addItem(none, kNoRow);
    for (std::size_t i = 0; i < kParameters; ++i) {
        const Parameter& row = parameters()[i];
        if (row.prominence != Prominence::file)
            box.addItem(text_of(translate(row.label)), static_cast<int>(i));
    }
}

void fill_outputs(QComboBox& box, const QString& none) {
    if (!none.isEmpty()) box.addItem(none, kNoRow);
    for (const Output id : output_choices()) box.addItem(text_of(label_of(id)), static_cast<int>(id));
}

std::optional<P> input_of(const QComboBox& box) { return selected<P>(box); }
std::optional<Output> output_of(const QComboBox& box) { return selected<Output>(box); }

void choose(QComboBox& box, std::optional<P> id) { choose_in(box, id); }
void choose(QComboBox& box, std::optional<Output> id) { choose_in(box, id); }

void narrow(QComboBox& box, int letters) {
    box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box.setMinimumContentsLength(letters);
    box.view()->setMinimumWidth(box.view()->sizeHintForColumn(0) + 24);
}

}  // namespace shardscope
