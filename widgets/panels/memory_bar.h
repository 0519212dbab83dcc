// The memory of one GPU as a bar: model states (below) and working memory (above), compared with the memory
// that a program can use.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <array>
#include <optional>
#include <vector>

#include "explain/output.h"
#include "explore/repair.h"
#include "widgets/live_model.h"
#include "widgets/panels/term_panel.h"
#include "widgets/theme/theme.h"

namespace shardscope {

struct MemoryBarData {
    MemoryTerms terms{};  // bytes at the fullest moment
    double allocated = 0, reserved = 0;
    double peak = 0;
    double capacity = 0;
    double margin = 0;
    Verdict verdict = Verdict::fits;
    Moment moment = Moment::forward_end;
    double stage = 0;   // pipeline stage of the fullest GPU, from the front
    double stages = 1;  // number of pipeline stages
    struct Ghost {
        char letter;
        double peak;
        double capacity;
    };
    std::vector<Ghost> ghosts;
    struct Repaired {
        double peak;
        double capacity;
    };
    std::optional<Repaired> repaired = {};  // after the repair that is previewed
    double top = 0;                         // upper end of the axis, bytes
};

// Returns the data of the bar, with the axis fitted to it.
MemoryBarData memory_bar_data(const Answer& answer, const std::vector<Pin>& pins = {},
                              const std::optional<Repair>& repair = {});

// A line of text beside the bar: a term, or the subtotal of a family (sharded, or on each GPU).
struct MemoryBarLabel {
    MemoryTerm term = MemoryTerm::count;  // count: a subtotal
    QString text;
    double bytes = 0;
    double y = 0;  // centre
};

struct MemoryBarGeometry {
    QRectF bar;  // from 0 to the axis' upper end
    std::array<QRectF, kMemoryTerms> segments;
    std::vector<MemoryBarLabel> labels;  // from top to bottom, at least `line` apart if that fits
    double line = 15;
    double label_left = 0;
    double label_right = 0;
    double ghosts_left = 0;
    double ghost = 7;         // a pin's width
    double ghost_step = 11;   // from a pin to the next
    double leaders_bend = 0;  // x where the level part of the leaders ends, right of the ghosts
    double capacity_y = 0;
    double capacity_text_y = 0;  // centre of its caption, at least `line` from every label

    [[nodiscard]] double y_of(double bytes, double top) const {
        return bar.bottom() - bytes / top * bar.height();
    }
    // Returns the line from the middle of a term's segment, at the edge of the bar, to its label.
    [[nodiscard]] std::array<QPointF, 4> leader(const MemoryBarLabel& label) const;
    // Returns the term whose segment or label is at this point.
    [[nodiscard]] std::optional<MemoryTerm> term_at(const QPointF& at) const;
};

MemoryBarGeometry memory_bar_geometry(const QRectF& area, const MemoryBarData& data, const QFont& font);
void paint_memory_bar(QPainter& painter, const QRectF& area, const Theme& theme, const MemoryBarData& data,
                      const QFont& font);

// The caption of the exported figure.
QString memory_caption(const Answer& answer);

class MemoryBar : public TermPanel {
    Q_OBJECT
  public:
    explicit MemoryBar(LiveModel& model, QWidget* parent = nullptr);
    [[nodiscard]] const MemoryBarData& data() const { return data_; }
    [[nodiscard]] QSize sizeHint() const override { return {262, 292}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 230}; }
    [[nodiscard]] std::vector<Row> rows() const override;  // the peak, then the terms as they are labelled

  protected:
    [[nodiscard]] bool is_on_row(const QPointF& at) const override;
    [[nodiscard]] Output output_at(const QPointF& at) const override;
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void refresh();
    void describe();  // for assistive technology
    [[nodiscard]] QString tip_at(const QPointF& at) const;

    MemoryBarData data_;  // of the last valid answer
};

}  // namespace shardscope
