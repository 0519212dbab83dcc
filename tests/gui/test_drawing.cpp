// Tests parts of pictures that several widgets share.
#include <QImage>
#include <QPainter>
#include <catch2/catch.hpp>

#include "widgets/drawing.h"
#include "widgets/theme/theme.h"

using namespace shardscope;

TEST_CASE("drawing: a dimmed picture has no seams between its strips", "[gui][drawing]") {
    const Theme& theme = Theme::light();
    const QRectF area(0, 0, 120, 300);
    const double ratio = GENERATE(1.0, 1.25, 1.5, 2.0, 3.0);
    QImage dimmed(area.size().toSize() * ratio, QImage::Format_RGB32);
    dimmed.setDevicePixelRatio(ratio);
    dimmed.fill(theme.pane);
    {
        QPainter painter(&dimmed);
        painter.fillRect(area.adjusted(20, 20, -20, -20), theme.accent);
    }
    QImage at_once = dimmed;
    {
        QPainter painter(&dimmed);
        painter.setRenderHint(QPainter::Antialiasing);
        dim(painter, area, theme, kInvalidStrength);
    }
    {
        QPainter painter(&at_once);
        QColor veil = theme.pane;
        veil.setAlphaF(static_cast<float>(1 - kInvalidStrength));
        painter.fillRect(area, veil);
    }
    CHECK(dimmed == at_once);
    CHECK(dimmed.pixelColor(dimmed.rect().center()) != theme.accent);
    const QImage before = dimmed;
    {
        QPainter painter(&dimmed);
        dim(painter, area, theme, 1);
    }
    CHECK(dimmed == before);
}
