#include "widgets/plots/figure_export.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QImage>
#include <QSvgGenerator>
#include <algorithm>
#include <array>

#include "files/scenario_file.h"
#include "widgets/carried_scenario.h"
#include "widgets/encode.h"
#include "widgets/plots/figure_page.h"
#include "widgets/plots/pdf_file.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

QString creator() { return QStringLiteral("Shardscope " SHARDSCOPE_VERSION); }

QByteArray scenario_json(const FigureRequest& request, const Answer& answer) {
    const SavedScenario scenario(answer.scenario, request.view);
    return QByteArray::fromStdString(write_scenario(scenario, false)).trimmed();
}

QByteArray svg(const FigureRequest& request, const Answer& answer) {
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(request.size);
    generator.setViewBox(QRect(QPoint(0, 0), request.size));
    generator.setResolution(kUnitsPerInch);
    // The generator escapes neither the title nor the description.
    generator.setTitle(html_text(page_title(request, answer)));
    generator.setDescription(html_text(QString::fromUtf8(scenario_json(request, answer))));
    QCPPainter painter(&generator);
    painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching);
    paint_page(painter, request, answer);
    painter.end();
    // The generator escapes the text it draws, but lets characters through that are not allowed in XML.
    return xml_characters(QString::fromUtf8(buffer.data())).toUtf8();
}

QByteArray pdf(const FigureRequest& request, const Answer& answer) {
    return write_pdf(request.size, page_title(request, answer), scenario_json(request, answer),
                     [&](QPdfWriter&, QCPPainter& painter) { paint_page(painter, request, answer); });
}

QByteArray png(const FigureRequest& request, const Answer& answer) {
    const double scale = std::clamp(request.scale, kMinScale, kMaxScale);
    QImage image = draw_figure(request, answer, scale);
    constexpr double kMetre = 39.3701;  // inches
    image.setDotsPerMeterX(qRound(kUnitsPerInch * scale * kMetre));
    image.setDotsPerMeterY(image.dotsPerMeterX());
    image.setText(QString::fromLatin1(kScenarioInPng), QString::fromUtf8(scenario_json(request, answer)));
    image.setText(QStringLiteral("Software"), creator());
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

}  // namespace

std::optional<FigureFormat> format_of(const QString& file) {
    constexpr std::array kEndings{".svg", ".pdf", ".png", ".csv"};  // in the order of FigureFormat
    for (std::size_t i = 0; i < kEndings.size(); ++i) {
        if (file.endsWith(QLatin1String(kEndings[i]), Qt::CaseInsensitive))
            return static_cast<FigureFormat>(i);
    }
    return std::nullopt;
}

std::vector<Axis>* axes_in(PlotOptions& options) {
    if (auto* sweep = std::get_if<SweepOptions>(&options)) return &sweep->axes;
    if (auto* walls = std::get_if<WallsOptions>(&options)) return &walls->axes;
    return nullptr;
}

bool holds_plan(const PlotOptions& options) {
    return std::visit(
        [](const auto& of_plot) {
            if constexpr (requires { of_plot.held; }) return of_plot.held;
            else return false;
        },
        options);
}

FigureRequest request_of(const View& view, const Scenario& scenario) {
    FigureRequest out;
    out.plot = view.plot;
    if (const PlotKind* kind = plot_kind(view.plot); kind && kind->options)
        out.options = kind->options(view, scenario);
    return out;
}

FigureRequest with_computed_data(FigureRequest request, const Answer& answer, const std::stop_token& stop) {
    const PlotKind* kind = plot_kind(request.plot);
    if (kind && kind->compute_data && !request.data && answer.valid())
        request.data = kind->compute_data(request, answer, stop);
    return request;
}

FigureRequest with_height(FigureRequest request, const Answer& answer) {
    if (!request.own_height) request.size.setHeight(height_of_page(request, answer));
    return request;
}

QImage draw_figure(const FigureRequest& request, const Answer& answer, double scale) {
    QImage image((QSizeF(request.size) * scale).toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QCPPainter painter(&image);
    // The image is not vectorized, but drawn as smoothly: a scaled painter has no pixel grid to snap to.
    painter.setModes(QCPPainter::pmNoCaching | QCPPainter::pmVectorized);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    paint_page(painter, request, answer);
    painter.end();
    return image;
}

QString objection_to(const FigureRequest& request, const Answer& answer) {
    const PlotKind* kind = plot_kind(request.plot);
    if (!kind)
        return tr("there is no plot “%1”; use %2").arg(QString::fromStdString(request.plot), plot_names());
    if (!answer.valid()) return QString::fromStdString(answer.problems.front().text());
    PlotOptions options = request.options;
    const std::vector<Axis>* axes = axes_in(options);
    if (axes && std::ranges::any_of(*axes, [](const Axis& axis) { return axis.values.empty(); }))
        return tr("an axis has no values");
    return kind->objection ? kind->objection(request, answer) : QString();
}

QByteArray render_figure(const FigureRequest& asked, const Answer& answer, FigureFormat format,
                         QString* problem) {
    if (const QString objection = objection_to(asked, answer); !objection.isEmpty()) {
        if (problem) *problem = objection;
        return {};
    }
    FigureRequest request = with_computed_data(asked, answer);
    if (format == FigureFormat::csv)
        return QByteArray::fromStdString(to_csv(table_of(*plot_kind(request.plot), request, answer)));
    request = with_height(std::move(request), answer);
    switch (format) {
        case FigureFormat::svg: return svg(request, answer);
        case FigureFormat::pdf: return pdf(request, answer);
        case FigureFormat::png: return png(request, answer);
        case FigureFormat::csv: break;
    }
    return {};
}

}  // namespace shardscope
