// Writes the PDF files of figures and reports: exact page size, vector graphics, the scenarios in the
// metadata, and a fixed creation date, so that the same content gives the same bytes.
#pragma once

#include <QByteArray>
#include <QSizeF>
#include <QString>
#include <functional>

class QCPPainter;
class QPdfWriter;

namespace shardscope {

// A figure's sizes are in units of a 96th of an inch, as in SVG and CSS.
inline constexpr int kUnitsPerInch = 96;

// `page` is in units of 1/96 inch, and so are the painter's coordinates. `scenario_json` is embedded in the
// metadata, see widgets/carried_scenario.h.
QByteArray write_pdf(const QSizeF& page, const QString& title, const QByteArray& scenario_json,
                     const std::function<void(QPdfWriter&, QCPPainter&)>& paint);

}  // namespace shardscope
