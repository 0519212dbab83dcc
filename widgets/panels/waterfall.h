// The step time as a waterfall: one row per term, each bar starting where the previous one ends, and the sum
// below.
//
// Communication that overlaps with compute is drawn pale, left of the exposed part; it does not add to the
// step time. A pin is a mark at the total; one whose step is much longer has a broken bar in a row of its
// own.
#pragma once

#include <QPointF>
#include <QRectF>
#include <array>
#include <bitset>
#include <optional>
#include <vector>

#include "explain/output.h"
#include "widgets/live_model.h"
#include "widgets/panels/term_panel.h"
#include "widgets/theme/theme.h"

namespace shardscope {

struct WaterfallData {
    std::array<double, kStepTerms> terms{};  // exposed s
    double total = 0;
    double hidden = 0;             // overlapped communication, s
    std::bitset<kStepTerms> rows;  // terms that have a row
    bool has_time = true;          // false: it does not fit, and no hypothetical times are shown
    bool hypothetical = false;
    double excess = 0;  // bytes beyond the usable memory
    struct Ghost {
        char letter;
        double total;
        bool far = false;  // it is so long that it has a broken bar in a row of its own
    };
    std::vector<Ghost> ghosts;
    double top = 0;  // right end of the axis, s
};

// Returns the data of the waterfall, with the axis fitted to it. Terms without time have no row, except the
// network, which always has one.
WaterfallData waterfall_data(const Answer& answer, const std::vector<Pin>& pins = {},
                             bool hypothetical = false);

struct WaterfallGeometry {
    struct Row {
        StepTerm term = StepTerm::count;
        double y = 0;    // centre
        QRectF exposed;  // starts exactly where the row above ends
        QRectF hidden;   // left of it; empty except for the network
    };
    std::vector<Row> rows;
    QRectF total;
    double total_y = 0;
    // The bars of far pins, in rows below the total; all of them reach the end of the axis.
    struct FarRow {
        WaterfallData::Ghost ghost;
        double y = 0;  // centre
        QRectF bar;
    };
    std::vector<FarRow> far;
    double row_height = 0;
    double left = 0;   // x of time 0
    double right = 0;  // x of the end of the axis
    double axis_y = 0;

    [[nodiscard]] double x_of(double seconds, double top) const {
        return left + seconds / top * (right - left);
    }
    // Returns the term of the row at this point; `count` is the total.
    [[nodiscard]] std::optional<StepTerm> term_at(const QPointF& at) const;
};

WaterfallGeometry waterfall_geometry(const QRectF& area, const WaterfallData& data, const QFont& font);
void paint_waterfall(QPainter& painter, const QRectF& area, const Theme& theme, const WaterfallData& data,
                     const QFont& font);

class Waterfall : public TermPanel {
    Q_OBJECT
  public:
    explicit Waterfall(LiveModel& model, QWidget* parent = nullptr);
    [[nodiscard]] const WaterfallData& data() const { return data_; }
    [[nodiscard]] QSize sizeHint() const override { return {262, 270}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 190}; }
    [[nodiscard]] std::vector<Row> rows()
        const override;  // the terms and the step; without a time the excess memory

    // Shows times as if memory were unlimited, which the title calls hypothetical.
    void set_hypothetical(bool shown);

  protected:
    [[nodiscard]] bool is_on_row(const QPointF& at) const override;
    [[nodiscard]] Output output_at(const QPointF& at) const override;
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void refresh();
    void describe();  // for assistive technology

    WaterfallData data_;  // of the last valid answer
    bool hypothetical_ = false;
};

}  // namespace shardscope
