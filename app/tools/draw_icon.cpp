// draw_icon FILE.svg SIZE FILE.png: draws the icon as a PNG during the build.
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: draw_icon FILE.svg SIZE FILE.png\n", stderr);
        return 2;
    }
    QSvgRenderer icon(QString::fromLocal8Bit(argv[1]));
    const int size = QByteArray(argv[2]).toInt();
    QImage image(size, size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    icon.render(&painter);
    painter.end();
    if (icon.isValid() && image.save(QString::fromLocal8Bit(argv[3]))) return 0;
    std::fprintf(stderr, "draw_icon: %s could not be drawn as %s\n", argv[1], argv[3]);
    return 1;
}
