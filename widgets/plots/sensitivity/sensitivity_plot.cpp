#include "widgets/plots/sensitivity/sensitivity_plot.h"

#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

#include "system/jobs.h"
#include "text/translate.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/chart/option_row.h"
#include "widgets/chart/painted_item.h"
#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/sensitivity/sensitivity_words.h"
#include "widgets/plots/table_choices.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

Change change_in(const View& view) {
    return view.is_switched("ten_percent") ? Change::ten_percent : Change::half_and_double;
}

}  // namespace

SensitivityPlot::SensitivityPlot(LiveModel& model, QWidget* parent)
    : LivePlot(kSensitivityKind, model, parent) {
    constexpr int kLetters = 14;
    output_ = options().add_choice(QStringLiteral("sensitivity/output"), tr("Output"), {});
    fill_outputs(*output_);
    narrow(*output_, kLetters);
    // In the order of Change.
    change_ = options().add_choice(QStringLiteral("sensitivity/change"), tr("How much each input changes"),
                                   {tr("½ × and 2 ×"), tr("±10 %")});
    for (const QComboBox* box : {output_, change_})
        connect(box, &QComboBox::currentIndexChanged, this, &SensitivityPlot::refresh);
    anew_ = options().add_check(QStringLiteral("sensitivity/anew"), tr("Re-plan"), true);
    anew_->setToolTip(tr("Automatic plan parameters: also re-plan them at both ends, or only hold them"));
    connect(anew_, &QCheckBox::toggled, this, &SensitivityPlot::refresh);
    prepare(canvas());
    canvas().plotLayout()->clear();
    new PaintedItem(canvas(), QStringLiteral("overlay"),
                    [this](QCPPainter& painter) { figure_.paint(painter, canvas().rect()); });
    canvas().setFocusPolicy(Qt::StrongFocus);
    canvas().installEventFilter(this);
    start();
}

SensitivityQuestion SensitivityPlot::question() const {
    return {*output_of(*output_), static_cast<Change>(change_->currentIndex()), hypothetical(),
            !anew_->isChecked()};
}

View SensitivityPlot::view() const {
    View out = LivePlot::view();
    out.outputs = {question().output};
    out.held = question().held;
    out.set_switched("ten_percent", question().change == Change::ten_percent);
    return out;
}

void SensitivityPlot::show_view(const View& view) {
    choose(*output_, view.first_output());
    anew_->setChecked(!view.held);
    change_->setCurrentIndex(static_cast<int>(change_in(view)));
}

const SensitivityFigure& SensitivityPlot::figure() {
    bring_up_to_date();
    return figure_;
}

void SensitivityPlot::update_figure() {
    const Answer& answer = model().answer();
    figure_.set_strength(answer.valid() ? 1 : kInvalidStrength);
    if (!answer.valid()) {
        background_.cancel();
        return;
    }
    const bool automatic = answer.scenario.automatic.any();
    anew_->setEnabled(automatic);
    const SensitivityQuestion asked = question();
    SensitivityQuestion held = asked;
    held.held = true;
    if (asked.held || !automatic) {
        background_.cancel();
        figure_.set_data(sensitivity_data(answer, held, model().pins()));
        asked_ = held;
        return;
    }
    // The bars with the plan held are shown at once, or the previous ones stay, dimmed.
    if (asked_ != asked || figure_.data().held.fits != answer.fits())
        figure_.set_data(sensitivity_data(answer, held, model().pins()));
    asked_ = asked;
    figure_.set_strength(kStaleStrength);
    background_.ask(
        [answer, asked, pins = model().pins()](const std::stop_token& stop) {
            return sensitivity_data(answer, asked, pins, background_threads(), stop);
        },
        [this](SensitivityData found) {
            figure_.set_strength(1);
            figure_.set_data(std::move(found));
            replot();
        });
}

void SensitivityPlot::style_figure(const Theme& theme, const QFont& font) {
    canvas().setBackground(QBrush(theme.pane));
    figure_.set_style(theme, font);
}

QString SensitivityPlot::description() const { return figure_.description(); }

void SensitivityPlot::select(int bar) {
    if (figure_.bars() == 0) return;
    figure_.select(std::clamp(bar, 0, figure_.bars() - 1));
    replot();
}

void SensitivityPlot::open(int bar) {
    if (const auto id = figure_.input_of(bar)) Q_EMIT sweep_requested(*id, figure_.data().held.output);
}

void SensitivityPlot::press(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const int bar = figure_.bar_at(event->position());
    if (bar < 0) return;
    select(bar);
    open(bar);
}

void SensitivityPlot::move(QMouseEvent* event) {
    const int bar = figure_.bar_at(event->position());
    canvas().setCursor(bar < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    const SensitivityData& drawn = figure_.data();
    QString words;
    if (bar >= 0) words = bar_words(drawn.ranked().bars[static_cast<std::size_t>(bar)], drawn.ranked());
    else if (figure_.over_lists(event->position())) words = column_words(drawn);
    QToolTip::showText(event->globalPosition().toPoint(), tool_tip(words), &canvas());
}

bool SensitivityPlot::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Wheel) {
        const int step = static_cast<QWheelEvent*>(event)->angleDelta().y() > 0 ? -1 : 1;
        select(figure_.selected() + step);
        return true;
    }
    if (event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
            case Qt::Key_Up: select(figure_.selected() - 1); return true;
            case Qt::Key_Down: select(figure_.selected() + 1); return true;
            case Qt::Key_Home: select(0); return true;
            case Qt::Key_End: select(figure_.bars() - 1); return true;
            case Qt::Key_Return:
            case Qt::Key_Enter:
            case Qt::Key_Space: open(figure_.selected()); return true;
            default: break;
        }
    }
    return LivePlot::eventFilter(watched, event);
}

const PlotKind kSensitivityKind{
    .name = "sensitivity",
    .label = translatable("Sensitivity"),
    .accessible_name = translatable("Sensitivity plot"),
    .options = [](const View& view, const Scenario&) -> PlotOptions {
        return SensitivityOptions{view.first_output(), change_in(view), view.held};
    },
    .least_height = 460,
    .compute_data = [](const FigureRequest& request, const Answer& answer,
                       const std::stop_token& stop) -> std::shared_ptr<const PlotData> {
        const auto options = options_in<SensitivityOptions>(request);
        return as_plot_data(
            sensitivity_data(answer, {options.output, options.change, request.hypothetical, options.held},
                             request.pins, usable_threads(), stop));
    },
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer&) {
            SensitivityFigure figure;
            figure.set_style(Theme::print(), page_font());
            figure.set_data(data_in<SensitivityData>(request));
            figure.paint(painter, area);
        },
    .words = [](const FigureRequest& request,
                const Answer&) { return sensitivity_caption(data_in<SensitivityData>(request)); },
    .table = [](const FigureRequest& request,
                const Answer&) { return sensitivity_table(data_in<SensitivityData>(request)); },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new SensitivityPlot(model); }};

}  // namespace shardscope
