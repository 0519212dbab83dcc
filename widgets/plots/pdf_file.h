// PDFs as figures and reports are written: exact page, vectors, the scenarios in the metadata, no date of its
// own, so that the same content gives the same bytes.
#pragma once

#include <QByteArray>
#include <QSizeF>
#include <QString>
#include <functional>

class QCPPainter;
class QPdfWriter;

namespace shardscope {

// `page` in units of 1/96 inch, which the painter's are, too. `carries` is a scenario's JSON, see
// widgets/carried_scenario.h.
QByteArray write_pdf(const QSizeF& page, const QString& title, const QByteArray& carries,
                     const std::function<void(QPdfWriter&, QCPPainter&)>& paint);

}  // namespace shardscope
