#include "widgets/drawn_words.h"

#include <qcustomplot.h>

#include <QPaintDevice>
#include <QPaintEngine>
#include <QWidget>

namespace shardscope {
namespace {

struct Drawing {
    std::vector<DrawnWord> words;
    std::vector<QLineF> lines;
};

class Engine : public QPaintEngine {
  public:
    explicit Engine(Drawing& drawing) : QPaintEngine(AllFeatures), drawing_(drawing) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState& now) override {
        if (now.state().testFlag(DirtyTransform)) transform_ = now.transform();
    }
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawLines(const QLineF* lines, int count) override {
        for (int i = 0; i < count; ++i) drawing_.lines.push_back(transform_.map(lines[i]));
    }
    void drawTextItem(const QPointF& at, const QTextItem& item) override {
        const QRectF box(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
        drawing_.words.push_back({item.text(), transform_.mapRect(box)});
    }
    [[nodiscard]] Type type() const override { return User; }

  private:
    Drawing& drawing_;
    QTransform transform_;
};

class Device : public QPaintDevice {
  public:
    Device(const QWidget& like, Drawing& drawing) : like_(like), engine_(drawing) {}
    [[nodiscard]] QPaintEngine* paintEngine() const override { return &engine_; }

  protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
            case PdmWidth: return like_.width();
            case PdmHeight: return like_.height();
            case PdmDpiX:
            case PdmPhysicalDpiX: return like_.logicalDpiX();
            case PdmDpiY:
            case PdmPhysicalDpiY: return like_.logicalDpiY();
            case PdmDepth: return 32;
            case PdmDevicePixelRatio: return 1;
            case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
            default: return 0;
        }
    }

  private:
    const QWidget& like_;
    mutable Engine engine_;
};

Drawing drawing_of(QCustomPlot& plot) {
    Drawing out;
    Device device(plot, out);
    QCPPainter painter(&device);
    plot.toPainter(&painter, plot.width(), plot.height());
    return out;
}

}  // namespace

std::vector<DrawnWord> drawn_words(QCustomPlot& plot) { return drawing_of(plot).words; }

std::vector<DrawnWord> drawn_words(QWidget& panel) {
    Drawing out;
    Device device(panel, out);
    panel.render(&device);
    return out.words;
}

std::vector<QLineF> drawn_lines(QCustomPlot& plot) { return drawing_of(plot).lines; }

}  // namespace shardscope
