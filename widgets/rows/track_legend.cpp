#include "widgets/rows/track_legend.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QImage>
#include <QPainter>

#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/rows/painted_track.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kWidth = 260;
constexpr int kFits = 180;   // columns that fit, from 0 to 60 % of MFU
constexpr int kNotch = 110;  // column at which another wall takes over

Track example() {
    Track out;
    for (int i = 0; i < kWidth; ++i) out.columns.push_back({i < kFits, kMfuScale * i / kFits});
    out.changes.push_back({static_cast<double>(kNotch) / kWidth, Wall::inter_node, Wall::compute});
    return out;
}

// Paints a track with its notch, its hatch and their names below it.
QImage picture(const Theme& theme) {
    constexpr int kAbove = 6;  // for the notch
    constexpr int kTrack = 14;
    const QFont font = scaled_font({}, kSmall);
    const QFontMetrics metrics(font);
    QImage out(kWidth, kAbove + kTrack + metrics.height() + 2, QImage::Format_ARGB32_Premultiplied);
    out.fill(Qt::transparent);
    QPainter painter(&out);
    const Track track = example();
    paint_track(painter, QRectF(0, kAbove, kWidth, kTrack), {.held = &track}, theme);
    painter.setFont(font);
    painter.setPen(theme.text);
    const auto below = [&](double x, const QString& text, Qt::Alignment side) {
        painter.drawText(QRectF(x - kWidth, kAbove + kTrack + 2, 2 * kWidth, metrics.height()), side, text);
    };
    below(kWidth, QStringLiteral("0 %"), Qt::AlignLeft);
    below(kNotch, tr("other wall"), Qt::AlignHCenter);
    below(kFits - kWidth, QStringLiteral("60 %"), Qt::AlignRight);
    below(0.5 * (kFits + kWidth), tr("does not fit"), Qt::AlignHCenter);
    return out;
}

QString picture_html() {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    picture(current_theme()).save(&buffer, "PNG");
    return QStringLiteral("<img src=\"data:image/png;base64,%1\"><br>")
        .arg(QString::fromLatin1(bytes.toBase64()));
}

}  // namespace

QString track_legend() {
    // Many sliders share one text.
    static std::array<QString, 2> legends;
    QString& legend = legends.at(current_theme().kind == Theme::Kind::dark ? 1 : 0);
    if (legend.isEmpty()) {
        legend = picture_html() +
                 wrapped_tool_tip(tr(
                     "The colour of a track is the MFU at each value; a hatched part does not fit, or is not "
                     "possible, and one that is hatched below may run out of memory. With automatic "
                     "parameters, the thin band above holds the present plan, and the band below chooses the "
                     "plan again at each value. A notch is "
                     "a value at which another wall takes over. The letter on each handle is the present "
                     "wall: C compute, B memory bandwidth, I network in the node, N network between nodes, "
                     "L latency, H link to the host, M memory. Hold Shift while dragging for ten times finer "
                     "steps, and Alt for "
                     "values that are not round."));
    }
    return legend;
}

}  // namespace shardscope
