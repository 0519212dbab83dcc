#include "widgets/panels/wall_rows.h"

#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "explain/output.h"
#include "widgets/column.h"
#include "widgets/panels/control_group.h"
#include "widgets/rows/track_legend.h"
#include "widgets/rows/track_slider.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"
#include "widgets/wall_mark.h"

namespace shardscope {
namespace {

constexpr int kHeader = 24;

// The line above the rows: "Walls" and the wall of the scenario with its mark.
class WallsHeader : public QWidget {
  public:
    WallsHeader(LiveModel& model, QWidget* parent) : QWidget(parent), model_(model) {
        setObjectName(QStringLiteral("controls/walls"));
        setFixedHeight(static_cast<int>(kHeader * zoom_of(font())));
        setToolTip(track_legend());
        QObject::connect(&model_, &LiveModel::changed, this, [this] {
            setAccessibleName(WallRows::tr("Walls, bound by %1").arg(wall_name()));
            update();
        });
        QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, this,
                         qOverload<>(&QWidget::update));
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = current_theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const int padding = panel_padding(width(), font());
        const QRect area = rect().adjusted(padding, 0, -padding, 0);
        const QFont bold = scaled_font(font(), 1, true);
        const QString title = WallRows::tr("Walls");
        painter.setFont(bold);
        painter.setPen(theme.text);
        painter.drawText(area, Qt::AlignLeading | Qt::AlignVCenter, title);
        if (!model_.answer().valid()) return;
        const QFont small = scaled_font(font(), kSmall);
        const QFontMetrics metrics(small);
        const QString name = wall_name();
        const int side = static_cast<int>(15 * zoom_of(font()));
        const int name_width = metrics.horizontalAdvance(name);
        painter.setFont(small);
        const auto part = [&](int from_right, int width) {
            return QStyle::visualRect(layoutDirection(), rect(),
                                      QRect(area.right() + 1 - from_right - width, 0, width, height()));
        };
        constexpr int kGap = 6;
        painter.drawText(part(0, name_width), Qt::AlignCenter, name);
        const QRect mark = part(name_width + kGap, side);
        paint_wall_mark(painter, QRectF(mark.left(), (height() - side) / 2.0, side, side), wall(), theme);
        painter.setPen(theme.muted);
        const QString words = WallRows::tr("bound by");
        const int taken = name_width + side + 2 * kGap;
        const int free = area.width() - taken - kGap - QFontMetrics(bold).horizontalAdvance(title);
        if (metrics.horizontalAdvance(words) <= free)
            painter.drawText(part(taken, metrics.horizontalAdvance(words)), Qt::AlignCenter, words);
    }

  private:
    [[nodiscard]] Wall wall() const {
        return model_.answer().fits() ? model_.answer().estimate.wall : Wall::memory;
    }
    [[nodiscard]] QString wall_name() const { return text_of(label_of(wall())); }

    LiveModel& model_;
};

}  // namespace

WallRows::WallRows(LiveModel& model, QWidget* parent) : QWidget(parent) {
    auto* all = make_column(this);
    header_ = new WallsHeader(model, this);
    all->addWidget(header_);
    for (const P id : kWallParameters) {
        rows_.push_back(new ParameterRow(id, model, this, RowForm::prominent));
        all->addWidget(rows_.back());
    }
    set_height(RowHeight::high);
}

ParameterRow* WallRows::row(P id) const {
    const auto found = std::ranges::find(rows_, id, &ParameterRow::id);
    return found == rows_.end() ? nullptr : *found;
}

WordMatch WallRows::match(const QString& words) const {
    auto best = WordMatch::none;
    for (const ParameterRow* row : rows_) best = std::max(best, match_parameter(row->id(), words));
    return best;
}

WordMatch WallRows::filter(const QString& words) {
    for (ParameterRow* row : rows_)
        row->setVisible(words.isEmpty() || match_parameter(row->id(), words) != WordMatch::none);
    const WordMatch best = words.isEmpty() ? WordMatch::mentioned : match(words);
    setVisible(best != WordMatch::none);
    return best;
}

int WallRows::height_with(RowHeight height) const {
    return header_->height() + static_cast<int>(rows_.size()) * prominent_row_height(height, font());
}

void WallRows::set_height(RowHeight height) {
    for (ParameterRow* row : rows_) row->set_height(height);
}

QWidgetList WallRows::stops() const {
    QWidgetList out;
    for (const ParameterRow* row : rows_) out << focus_stops(row);
    return out;
}

}  // namespace shardscope
