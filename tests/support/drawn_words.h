// Finds the words that a plot or panel draws and their places, with a paint device that stores them and draws
// nothing.
#pragma once

#include <qcustomplot.h>

#include <QLineF>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QRectF>
#include <QString>
#include <QWidget>
#include <vector>

namespace shardscope::testing {

struct DrawnWord {
    QString text;
    QRectF box;  // px of the plot or panel; for vertical words the box around them
};

class WordRecorder : public QPaintDevice {
  public:
    explicit WordRecorder(const QSize& size) : size_(size), engine_(*this) {}
    [[nodiscard]] QPaintEngine* paintEngine() const override { return &engine_; }
    [[nodiscard]] const std::vector<DrawnWord>& words() const { return words_; }
    [[nodiscard]] const std::vector<QLineF>& lines() const { return lines_; }

  protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
            case PdmWidth: return size_.width();
            case PdmHeight: return size_.height();
            case PdmDpiX:
            case PdmDpiY:
            case PdmPhysicalDpiX:
            case PdmPhysicalDpiY: return 96;
            case PdmDepth: return 32;
            case PdmDevicePixelRatio: return 1;
            case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
            default: return 0;
        }
    }

  private:
    class Engine : public QPaintEngine {
      public:
        explicit Engine(WordRecorder& owner) : QPaintEngine(AllFeatures), owner_(owner) {}
        bool begin(QPaintDevice*) override { return true; }
        bool end() override { return true; }
        void updateState(const QPaintEngineState& now) override {
            if (now.state() & DirtyTransform) transform_ = now.transform();
        }
        void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
        void drawPath(const QPainterPath&) override {}
        void drawLines(const QLineF* lines, int count) override {
            for (int i = 0; i < count; ++i) owner_.lines_.push_back(transform_.map(lines[i]));
        }
        void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
        void drawTextItem(const QPointF& at, const QTextItem& item) override {
            const QRectF box(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
            owner_.words_.push_back({item.text(), transform_.mapRect(box)});
        }
        [[nodiscard]] Type type() const override { return User; }

      private:
        WordRecorder& owner_;
        QTransform transform_;
    };
    QSize size_;
    mutable Engine engine_;
    std::vector<DrawnWord> words_;
    std::vector<QLineF> lines_;
};

// Draws the plot at its current size.
inline void draw_into(WordRecorder& catcher, QCustomPlot& plot) {
    QCPPainter painter;
    painter.begin(&catcher);
    plot.toPainter(&painter, plot.width(), plot.height());
    painter.end();
}
inline std::vector<DrawnWord> drawn_words(QCustomPlot& plot) {
    WordRecorder catcher(plot.size());
    draw_into(catcher, plot);
    return catcher.words();
}
// Returns the words of a panel and of the widgets in it.
inline std::vector<DrawnWord> drawn_words(QWidget& panel) {
    WordRecorder catcher(panel.size());
    panel.render(&catcher);
    return catcher.words();
}

}  // namespace shardscope::testing
