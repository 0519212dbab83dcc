#include "widgets/plots/sensitivity_plot.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

#include "widgets/panels/drawing.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/option_row.h"
#include "widgets/plots/painted_item.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/table_choices.h"

namespace shardscope {
namespace {

constexpr double kStale = 0.6;
constexpr double kInvalid = 0.4;

// "Inter-node link 400 Gbit/s: at 200 Gbit/s MFU 37.1 %, at 800 Gbit/s 38.8 %"
QString words_of(const SensitivityBar& bar, Output id) {
    const auto value = [&](double x) { return QString::fromStdString(format(bar.id, x)); };
    QStringList ends;
    for (const auto& end : {bar.less, bar.more}) {
        if (!end) continue;
        ends +=
            SensitivityPlot::tr("at %1 %2")
                .arg(value(end->x), std::isnan(end->value) ? SensitivityPlot::tr("it does not fit")
                                                           : text_of(output(id).label) + QLatin1Char(' ') +
                                                                 shown(end->value, output(id).quantity));
    }
    return text_of(parameter(bar.id).label) + QLatin1Char(' ') + value(bar.now) + QStringLiteral(": ") +
           ends.join(QStringLiteral(", "));
}

}  // namespace

SensitivityPlot::SensitivityPlot(LiveModel& model, QWidget* parent)
    : LivePlot(QStringLiteral("sensitivity"), tr("Sensitivity plot"), model, parent) {
    constexpr int kLetters = 14;
    output_ = options().add_choice(QStringLiteral("sensitivity/output"), tr("Output"), {});
    fill_outputs(*output_);
    narrow(*output_, kLetters);
    // In the order of Change.
    change_ = options().add_choice(QStringLiteral("sensitivity/change"), tr("How much each input changes"),
                                   {tr("½ × and 2 ×"), tr("±10 %")});
    for (const QComboBox* box : {output_, change_})
        connect(box, &QComboBox::currentIndexChanged, this, &SensitivityPlot::refresh);
    prepare(canvas());
    canvas().plotLayout()->clear();
    new PaintedItem(canvas(), QStringLiteral("overlay"),
                    [this](QCPPainter& painter) { figure_.paint(painter, canvas().rect()); });
    canvas().setFocusPolicy(Qt::StrongFocus);
    canvas().installEventFilter(this);
    start();
}

Output SensitivityPlot::chosen_output() const { return output_of(*output_); }
Change SensitivityPlot::chosen_change() const { return static_cast<Change>(change_->currentIndex()); }

FigureRequest SensitivityPlot::request() const {
    FigureRequest out = LivePlot::request();
    out.outputs = {chosen_output()};
    out.change = chosen_change();
    return out;
}

const SensitivityFigure& SensitivityPlot::figure() {
    bring_up_to_date();
    return figure_;
}

void SensitivityPlot::update_figure() {
    const Answer& answer = model().answer();
    figure_.set_strength(answer.valid() ? 1 : kInvalid);
    if (!answer.valid()) return;
    const auto work = [answer, id = chosen_output(), change = chosen_change(), hypothetical = hypothetical()](
                          bool anew, const std::stop_token& stop) {
        return sensitivity_data(answer, id, change, hypothetical, anew, stop);
    };
    if (!answer.scenario.automatic.any()) {
        background_.forget();
        figure_.set_data(work(false, {}));
        return;
    }
    // The bars with the plan held are there at once, or the last ones stay, dimmed.
    const SensitivityData& last = figure_.data();
    if (!last.anew || last.held.output != chosen_output() || last.held.change != chosen_change())
        figure_.set_data(work(false, {}));
    figure_.set_strength(kStale);
    background_.ask([work](const std::stop_token& stop) { return work(true, stop); },
                    [this](SensitivityData found) {
                        figure_.set_strength(1);
                        figure_.set_data(std::move(found));
                        replot();
                    });
}

void SensitivityPlot::style_figure(const Theme& theme, const QFont& font) { figure_.set_style(theme, font); }

QString SensitivityPlot::description() const { return figure_.description(); }

void SensitivityPlot::select(int bar) {
    if (figure_.bars() == 0) return;
    figure_.select(std::clamp(bar, 0, figure_.bars() - 1));
    replot();
}

void SensitivityPlot::open(int bar) {
    if (const auto id = figure_.input_of(bar)) Q_EMIT sweep_requested(*id, chosen_output());
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
    if (bar < 0) {
        QToolTip::hideText();
        return;
    }
    const Sensitivity& ranked = figure_.data().ranked();
    QToolTip::showText(event->globalPosition().toPoint(),
                       words_of(ranked.bars[static_cast<std::size_t>(bar)], ranked.output), &canvas());
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

namespace {

SensitivityData data_of(const FigureRequest& request, const Answer& answer) {
    const Output id = request.outputs.empty() ? Output::mfu : request.outputs.front();
    return sensitivity_data(answer, id, request.change, request.hypothetical, !request.held);
}

}  // namespace

const PlotKind kSensitivityKind{
    .name = "sensitivity",
    .label = QT_TRANSLATE_NOOP("PlotKind", "Sensitivity"),
    .title =
        [](const FigureRequest& request) {
            const Output id = request.outputs.empty() ? Output::mfu : request.outputs.front();
            return SensitivityPlot::tr("Sensitivity of %1").arg(text_of(output(id).label));
        },
    .paint =
        [](QCPPainter& painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
            SensitivityFigure figure;
            figure.set_style(Theme::print(), page_font());
            figure.set_data(data_of(request, answer));
            figure.paint(painter, area);
        },
    .words = [](const FigureRequest& request,
                const Answer& answer) { return sensitivity_words(data_of(request, answer)); },
    .table = [](const FigureRequest& request,
                const Answer& answer) { return sensitivity_table(data_of(request, answer)); },
    .make_tab = [](LiveModel& model) -> LivePlot* { return new SensitivityPlot(model); }};

}  // namespace shardscope
