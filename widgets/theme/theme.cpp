#include "widgets/theme/theme.h"

#include <QApplication>
#include <QFontMetrics>
#include <QLineF>
#include <QPainter>
#include <QPalette>
#include <QPointer>
#include <QProxyStyle>
#include <QRectF>
#include <QStyleOption>
#include <QTabBar>
#include <QWidget>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

QColor rgb(unsigned value) { return QColor(QRgb(0xFF000000U | value)); }

Theme make_light(Theme::Kind kind) {
    Theme t;
    t.kind = kind;
    t.window = rgb(kind == Theme::Kind::print ? 0xFFFFFF : 0xF3F4F6);
    t.pane = t.raised = rgb(0xFFFFFF);
    t.text = rgb(0x1A1D21);
    t.muted = rgb(0x59616B);
    t.border = rgb(0x858D98);
    t.line = rgb(0xD9DCE1);
    t.grid = rgb(0xE8EAED);
    t.accent = rgb(0x3D4754);
    t.on_accent = rgb(0xFFFFFF);
    t.flash = rgb(0xFFF4D6);
    t.compute = rgb(0x0072B2);
    t.compute_second = rgb(0x66AAD1);
    t.communication = rgb(0xD55E00);
    t.communication_hidden = rgb(0xF3C9AC);
    t.memory_rate = rgb(0x009E73);
    t.latency = rgb(0x7B838D);
    t.host_link = rgb(0x662900);
    t.recompute = rgb(0x56B4E9);
    t.weights = rgb(0x00664A);
    t.gradients = rgb(0x009E73);
    t.optimizer = rgb(0x66C5AB);
    t.gathered = rgb(0x8F4A74);
    t.activations = rgb(0xCC79A7);
    t.logits = rgb(0xE0ABC8);
    t.context = rgb(0x9AA2AC);
    t.allocator = rgb(0xC3C9D0);
    t.hatch_ground = rgb(0xE3E6EA);
    t.hatch_line = rgb(0x8A929C);
    t.risk = rgb(0xE69F00);
    t.fits = {rgb(0x00573F), rgb(0xE2F3ED), rgb(0x009E73)};
    t.risky = {rgb(0x6B4A00), rgb(0xFFF0CC), rgb(0xE69F00)};
    t.does_not_fit = {rgb(0xFFFFFF), t.text, t.text};
    t.pins = {rgb(0xE69F00), rgb(0xCC79A7), rgb(0x56B4E9), rgb(0x009E73), rgb(0xD55E00), rgb(0x0072B2)};
    t.categories = {t.compute, t.communication, t.memory_rate, t.recompute, t.activations, t.risk, t.text};
    return t;
}

Theme make_dark() {
    Theme t;
    t.kind = Theme::Kind::dark;
    t.window = rgb(0x202328);
    t.pane = rgb(0x17191D);
    t.raised = rgb(0x2A2E34);
    t.text = rgb(0xE7E9EC);
    t.muted = rgb(0xA9B1BB);
    t.border = rgb(0x737C88);
    t.line = rgb(0x363B43);
    t.grid = rgb(0x2A2E34);
    t.accent = rgb(0xC3CBD5);
    t.on_accent = rgb(0x17191D);
    t.flash = rgb(0x3B3419);
    t.compute = rgb(0x3C9FDB);
    t.compute_second = rgb(0x8CC7EA);
    t.communication = rgb(0xF0803A);
    t.communication_hidden = rgb(0x6A4029);
    t.memory_rate = rgb(0x2BBE93);
    t.latency = rgb(0x98A1AC);
    t.host_link = rgb(0x806040);
    t.recompute = rgb(0x7CC7F2);
    t.weights = rgb(0x14795C);
    t.gradients = rgb(0x2BBE93);
    t.optimizer = rgb(0x86DCC3);
    t.gathered = rgb(0xA65C8A);
    t.activations = rgb(0xD88DB6);
    t.logits = rgb(0xEBBFD7);
    t.context = rgb(0x7B838D);
    t.allocator = rgb(0x535B65);
    t.hatch_ground = rgb(0x30353C);
    t.hatch_line = rgb(0x767F8A);
    t.risk = rgb(0xE69F00);
    t.fits = {rgb(0x7FE0C2), rgb(0x153A30), rgb(0x2BBE93)};
    t.risky = {rgb(0xFFCF70), rgb(0x43330F), rgb(0xE69F00)};
    t.does_not_fit = {t.pane, t.text, t.text};
    // The three darker colours of the light set have a contrast below 3:1 on the dark pane, so this set has
    // their dark versions.
    t.pins = {rgb(0xE69F00), rgb(0xCC79A7), rgb(0x56B4E9), rgb(0x2BBE93), rgb(0xF0803A), rgb(0x3C9FDB)};
    t.categories = {t.compute, t.communication, t.memory_rate, t.recompute, t.activations, t.risk, t.text};
    return t;
}

QColor mixed(const QColor& a, const QColor& b, double share_of_b) {
    const auto part = [&](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share_of_b)); };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

QPalette palette_of(const Theme& t) {
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.pane);
    p.setColor(QPalette::AlternateBase, t.window);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::Button, t.raised);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.risk);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, t.on_accent);
    p.setColor(QPalette::ToolTipBase, t.raised);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::PlaceholderText, t.muted);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::Light, t.raised);
    p.setColor(QPalette::Midlight, t.grid);
    p.setColor(QPalette::Mid, t.line);
    p.setColor(QPalette::Dark, t.border);
    p.setColor(QPalette::Shadow, t.border);
    const QColor faint = mixed(t.muted, t.window, 0.45);
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::PlaceholderText}) {
        p.setColor(QPalette::Disabled, role, faint);
    }
    p.setColor(QPalette::Disabled, QPalette::Base, t.window);
    p.setColor(QPalette::Disabled, QPalette::Button, t.window);
    return p;
}

bool is_dark(const QPalette& palette) { return palette.color(QPalette::Window).lightness() < 128; }

int control_height(const QFontMetrics& metrics) { return std::max(22, metrics.height() + 6); }

// Draws flat versions of the elements that a style sheet cannot draw without image files (ticks, arrows). It
// also draws the fields, because each flash or refused input would otherwise re-polish the style sheet.
class FlatStyle : public QProxyStyle {
  public:
    FlatStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override {
        switch (element) {
            case PE_PanelLineEdit:
                if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
                    frame && frame->lineWidth > 0) {
                    field(*option, *painter, widget);
                } else {
                    painter->fillRect(option->rect, option->palette.base());
                }
                return;
            case PE_FrameLineEdit: return;  // drawn with the panel
            case PE_FrameFocusRect:
                // The style sheet draws the focus frame of a tab.
                if (qobject_cast<const QTabBar*>(widget)) return;
                outline(*painter, option->rect, current_theme().accent, 2);
                return;
            case PE_FrameTabBarBase: tab_base(*option, *painter); return;
            case PE_IndicatorCheckBox: tick_box(*option, *painter); return;
            case PE_IndicatorArrowDown: triangle(*painter, option->rect, colour(*option)); return;
            default: QProxyStyle::drawPrimitive(element, option, painter, widget);
        }
    }

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override {
        const auto* combo =
            control == CC_ComboBox ? qstyleoption_cast<const QStyleOptionComboBox*>(option) : nullptr;
        if (!combo) {
            QProxyStyle::drawComplexControl(control, option, painter, widget);
            return;
        }
        field(*combo, *painter, widget);
        const QRect arrow = subControlRect(CC_ComboBox, combo, SC_ComboBoxArrow, widget);
        triangle(*painter, arrow, colour(*combo));
    }

    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
        const auto* row =
            element == CE_MenuItem ? qstyleoption_cast<const QStyleOptionMenuItem*>(option) : nullptr;
        const bool highlighted = row && (row->state & State_Selected) && (row->state & State_Enabled);
        // Icons of the desktop's theme have a name. They have several colours and stay unchanged.
        const bool ours =
            highlighted && row->icon.name().isEmpty() && !row->icon.availableSizes(QIcon::Selected).isEmpty();
        if (!ours) {
            QProxyStyle::drawControl(element, option, painter, widget);
            return;
        }
        // Fusion requests QIcon::Active, which hovered buttons use as well, on another background.
        QStyleOptionMenuItem changed(*row);
        const int size = pixelMetric(PM_SmallIconSize, option, widget);
        changed.icon = QIcon(
            row->icon.pixmap(QSize(size, size), painter->device()->devicePixelRatio(), QIcon::Selected));
        QProxyStyle::drawControl(element, &changed, painter, widget);
    }

    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget) const override {
        QSize out = QProxyStyle::sizeFromContents(type, option, size, widget);
        if ((type == CT_LineEdit || type == CT_ComboBox) && widget) {
            out.setHeight(control_height(widget->fontMetrics()));
        }
        return out;
    }

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
        switch (metric) {
            case PM_IndicatorWidth:
            case PM_IndicatorHeight:
                return std::max(14, widget ? widget->fontMetrics().height() * 9 / 10 : 14);
            case PM_LineEditIconSize: return std::max(16, widget ? widget->fontMetrics().height() : 16);
            default: return QProxyStyle::pixelMetric(metric, option, widget);
        }
    }

    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override {
        if (hint == SH_ComboBox_Popup) return 0;  // a list below the box, not a menu over it
        // Fusion returns the same duration on every desktop.
        if (hint == SH_Widget_Animation_Duration && ThemeManager::instance().reduces_motion()) return 0;
        return QProxyStyle::styleHint(hint, option, widget, data);
    }

  private:
    static QColor colour(const QStyleOption& option) {
        return option.palette.color(option.state & State_Enabled ? QPalette::Active : QPalette::Disabled,
                                    QPalette::ButtonText);
    }

    static void outline(QPainter& painter, const QRect& rect, const QColor& colour, double width) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(colour, width));
        painter.setBrush(Qt::NoBrush);
        const double in = width / 2;
        painter.drawRoundedRect(QRectF(rect).adjusted(in, in, -in, -in), 3, 3);
        painter.restore();
    }

    // Draws a line edit or combo box. The border is 1 px, or 2 px if focused (slate) or refused (text
    // colour).
    static void field(const QStyleOption& option, QPainter& painter, const QWidget* widget) {
        const Theme& theme = current_theme();
        const bool enabled = option.state & State_Enabled;
        const bool focus = enabled && (option.state & State_HasFocus);
        const bool refused = widget && widget->property("refused").toBool();
        const bool flash = widget && widget->property("flash").toBool();
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        const QColor base = option.palette.color(QPalette::Base);
        painter.setBrush(!enabled ? QBrush(Qt::NoBrush) : QBrush(flash ? theme.flash : base));
        painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.restore();
        const bool strong = refused || focus;
        outline(painter, option.rect,
                refused   ? theme.text
                : focus   ? theme.accent
                : enabled ? theme.border
                          : theme.line,
                strong ? 2 : 1);
    }

    static void triangle(QPainter& painter, const QRect& rect, const QColor& colour) {
        const double half = std::max(3.5, rect.height() * 0.16);
        const QPointF c = QRectF(rect).center();
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        const std::array<QPointF, 3> points{QPointF(c.x() - half, c.y() - half / 2),
                                            QPointF(c.x() + half, c.y() - half / 2),
                                            QPointF(c.x(), c.y() + half / 2)};
        painter.drawPolygon(points.data(), static_cast<int>(points.size()));
        painter.restore();
    }

    // Draws the line below the tabs, with a gap under the selected tab.
    static void tab_base(const QStyleOption& option, QPainter& painter) {
        const QRect area = option.rect;
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), current_theme().line);
        if (const auto* base = qstyleoption_cast<const QStyleOptionTabBarBase*>(&option)) {
            const QRect tab = base->selectedTabRect.adjusted(1, 0, -1, 0);
            painter.fillRect(QRect(tab.left(), area.bottom(), tab.width(), 1), current_theme().pane);
        }
    }

    static void tick_box(const QStyleOption& option, QPainter& painter) {
        const Theme& theme = current_theme();
        const bool on = option.state & (State_On | State_NoChange);
        const bool enabled = option.state & State_Enabled;
        const QColor edge = !enabled ? theme.line : on ? theme.accent : theme.border;
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(edge, 1));
        painter.setBrush(on ? edge : theme.raised);
        const QRectF box = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
        painter.drawRoundedRect(box, 3, 3);
        if (on) {
            painter.setPen(QPen(theme.on_accent, std::max(1.6, box.width() * 0.13), Qt::SolidLine,
                                Qt::RoundCap, Qt::RoundJoin));
            const auto at = [&](double x, double y) {
                return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
            };
            if (option.state & State_NoChange) {
                painter.drawLine(at(0.25, 0.5), at(0.75, 0.5));
            } else {
                const std::array<QPointF, 3> tick{at(0.22, 0.53), at(0.42, 0.73), at(0.78, 0.29)};
                painter.drawPolyline(tick.data(), static_cast<int>(tick.size()));
            }
        }
        painter.restore();
    }
};

// The style sheet of bars, buttons and tabs. `%name%` is replaced by a colour of the theme or a size.
constexpr const char* kStyleSheet = R"(
QToolTip { background: %raised%; color: %text%; border: 1px solid %border%; padding: 3px; }
QMenuBar { background: %window%; border: 0; padding: 1px 4px; }
QMenuBar::item { background: transparent; padding: 3px 8px; border-radius: 3px; }
QMenuBar::item:selected { background: %line%; }
QToolBar { background: %window%; border: 0; border-bottom: 1px solid %line%; spacing: 4px;
           padding: 4px 8px; min-height: %bar%px; }
QToolBar::separator { background: %line%; width: 1px; margin: 5px 8px; }
QToolButton { color: %text%; background: transparent; border: 1px solid transparent; border-radius: 3px;
              padding: 3px 7px; }
QToolButton:hover { background: %raised%; border-color: %line%; }
QToolButton:checked, QToolButton:pressed { background: %accent%; color: %on_accent%; border-color: %accent%; }
QToolButton:disabled { color: %faint%; }
QToolButton:focus { border: 2px solid %accent%; padding: 2px 6px; }
QToolButton[popupMode="2"] { background: %raised%; border-color: %border%; padding-right: 20px; }
QToolButton[popupMode="2"]:hover { border-color: %text%; }
QToolButton[popupMode="2"]:focus { padding-right: 19px; }
QToolButton::menu-indicator { subcontrol-origin: border; subcontrol-position: center right; right: 6px; }
QToolButton[popupMode="1"] { background: %raised%; border-color: %border%; padding-right: 24px; }
QToolButton[popupMode="1"]:pressed, QToolButton[popupMode="2"]:pressed { color: %text%; border-color: %accent%; }
QToolButton[popupMode="1"]:focus { padding-right: 23px; }
QToolButton::menu-button { background: transparent; border: 0; border-left: 1px solid %border%; width: 17px; }
QFrame#export { background: %pane%; border: 1px solid %border%; }
QToolButton[segment="first"], QToolButton[segment="last"] {
    background: %raised%; border: 1px solid %border%; padding: 2px 8px; }
QToolButton[segment="first"] { border-top-right-radius: 0; border-bottom-right-radius: 0; }
QToolButton[segment="last"] { border-top-left-radius: 0; border-bottom-left-radius: 0; border-left: 0; }
QToolButton[segment="first"]:checked, QToolButton[segment="last"]:checked {
    background: %accent%; color: %on_accent%; border-color: %accent%; }
QToolButton[segment="first"]:focus, QToolButton[segment="last"]:focus {
    border: 2px solid %text%; padding: 1px 7px; }
QPushButton { color: %text%; background: %raised%; border: 1px solid %border%; border-radius: 3px;
              padding: 2px 12px; min-height: %inner%px; }
QPushButton:hover { border-color: %text%; }
QPushButton:default, QPushButton:checked, QPushButton:pressed {
    background: %accent%; color: %on_accent%; border-color: %accent%; }
QPushButton:focus { border: 2px solid %accent%; padding: 1px 11px; }
QPushButton:default:focus { border-color: %text%; }
QPushButton:disabled { color: %faint%; border-color: %line%; background: transparent; }
QTabWidget::pane { border: 0; border-top: 1px solid %line%; background: %pane%; }
QTabBar { background: %window%; }
QTabBar::tab { color: %muted%; background: transparent; border: 1px solid transparent;
               border-top: 2px solid transparent; padding: 0 8px; min-height: %tab%px; }
QTabBar::tab:hover { color: %text%; }
QTabBar::tab:selected { color: %text%; background: %pane%; border-color: %line%; border-bottom-color: %pane%;
                        border-top: 2px solid %accent%; }
QTabBar::tab:focus { border: 2px solid %accent%; padding: 0 7px; }
QTabBar::scroller { width: 0; }
QTabBar[compact="true"]::tab { padding: 0 5px; }
QTabBar[compact="true"]::tab:focus { padding: 0 4px; }
QSplitter::handle { background: %line%; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar[slim="true"]:vertical { width: 6px; }
QScrollBar::handle { background: %border%; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar[slim="true"]::handle:vertical { margin: 2px 1px; border-radius: 2px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)";

QString style_sheet(const Theme& t, const QFontMetrics& metrics) {
    QString sheet = QString::fromLatin1(kStyleSheet);
    const auto put = [&](const char* name, const QString& value) {
        sheet.replace(QLatin1Char('%') + QLatin1String(name) + QLatin1Char('%'), value);
    };
    put("window", t.window.name());
    put("pane", t.pane.name());
    put("raised", t.raised.name());
    put("text", t.text.name());
    put("muted", t.muted.name());
    put("faint", mixed(t.muted, t.window, 0.45).name());
    put("border", t.border.name());
    put("line", t.line.name());
    put("accent", t.accent.name());
    put("on_accent", t.on_accent.name());
    const int height = control_height(metrics);
    put("inner", QString::number(height - 6));
    put("tab", QString::number(std::max(27, metrics.height() + 12)));
    put("bar", QString::number(std::max(29, metrics.height() + 14)));
    return sheet;
}

}  // namespace

QColor Theme::of(MemoryTerm term) const {
    switch (term) {
        case MemoryTerm::weights: return weights;
        case MemoryTerm::gradients: return gradients;
        case MemoryTerm::optimizer: return optimizer;
        case MemoryTerm::gathered: return gathered;
        case MemoryTerm::activations: return activations;
        case MemoryTerm::logits: return logits;
        case MemoryTerm::context: return context;
        case MemoryTerm::allocator: return allocator;
        case MemoryTerm::count: break;
    }
    return muted;
}

QColor Theme::of(StepTerm term) const {
    switch (term) {
        case StepTerm::matmul: return compute;
        case StepTerm::attention: return compute_second;
        case StepTerm::elementwise:
        case StepTerm::memory_copies:
        case StepTerm::optimizer: return memory_rate;
        case StepTerm::recompute: return recompute;
        case StepTerm::network:
        case StepTerm::tensor_network:
        case StepTerm::context_network:
        case StepTerm::expert_network:
        case StepTerm::stage_network: return communication;
        case StepTerm::bubble: return muted;
        case StepTerm::host_link: return host_link;
        case StepTerm::host: return latency;
        case StepTerm::count: break;
    }
    return muted;
}

QColor Theme::of(Wall wall) const {
    switch (wall) {
        case Wall::memory: return hatch_line;  // scenarios that do not fit are hatched
        case Wall::compute: return compute;
        case Wall::memory_bandwidth: return memory_rate;
        case Wall::intra_node:
        case Wall::inter_node: return communication;
        case Wall::latency: return latency;
        case Wall::host_link: return host_link;
        case Wall::balanced: return muted;
    }
    return muted;
}

const Theme& Theme::light() {
    static const Theme theme = make_light(Kind::light);
    return theme;
}

const Theme& Theme::dark() {
    static const Theme theme = make_dark();
    return theme;
}

const Theme& Theme::print() {
    static const Theme theme = make_light(Kind::print);
    return theme;
}

double zoom_of(const QFont& font) {
    constexpr double kLine = 17;  // px, height of the design font
    return std::max(1.0, QFontMetrics(font).height() / kLine);
}

QFont scaled_font(const QFont& base, double factor, bool bold) {
    QFont font = base;
    if (base.pointSizeF() > 0) {
        font.setPointSizeF(base.pointSizeF() * factor);
    } else {
        font.setPixelSize(std::max(1, static_cast<int>(std::lround(base.pixelSize() * factor))));
    }
    font.setBold(bold);
    return font;
}

QColor mfu_color(double mfu) {
    // Nine colours of viridis at equal distances. Linear interpolation between them differs from viridis by
    // less than the eye can distinguish. Source: van der Walt and Smith, matplotlib's default colour map,
    // CC0.
    static const std::array<QColor, 9> viridis{rgb(0x440154), rgb(0x472D7B), rgb(0x3B528B),
                                               rgb(0x2C728E), rgb(0x21918C), rgb(0x28AE80),
                                               rgb(0x5EC962), rgb(0xADDC30), rgb(0xFDE725)};
    constexpr double kLast = viridis.size() - 1;
    // This form of the comparison maps NaN to the lower end.
    const double place = mfu > 0 ? std::min(mfu / kMfuScale, 1.0) * kLast : 0;
    const auto below = static_cast<std::size_t>(std::min(place, kLast - 1));
    return mixed(viridis[below], viridis[below + 1], place - static_cast<double>(below));
}

void fill_hatch(QPainter& painter, const QRectF& area, const Theme& theme, double pitch, double width) {
    if (area.isEmpty() || pitch <= 0) return;
    // The lines x + y = c are cut to the area here, because SVG export ignores clipping. They are counted
    // from the origin, so that adjacent areas share one pattern.
    const double step = pitch * std::sqrt(2.0);
    QVector<QLineF> lines;
    const auto first = static_cast<long>(std::ceil((area.left() + area.top()) / step));
    const auto last = static_cast<long>(std::floor((area.right() + area.bottom()) / step));
    for (long i = first; i <= last; ++i) {
        const double c = static_cast<double>(i) * step;
        const double x1 = std::max(area.left(), c - area.bottom());
        const double x2 = std::min(area.right(), c - area.top());
        if (x2 > x1) lines.append(QLineF(x1, c - x1, x2, c - x2));
    }
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.fillRect(area, theme.hatch_ground);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.hatch_line, width, Qt::SolidLine, Qt::FlatCap));
    painter.drawLines(lines);
    painter.restore();
}

ThemeManager& ThemeManager::instance() {
    static ThemeManager manager;
    return manager;
}

void ThemeManager::set_desktop_dark(bool dark) {
    if (desktop_dark_ == dark) return;
    desktop_dark_ = dark;
    if (choice_ == Choice::system) choose(choice_);
}

void ThemeManager::read_desktop_palette() {
    // An empty palette removes ours and makes the desktop's palette readable.
    QApplication::setPalette(QPalette());
    const bool dark = is_dark(QApplication::palette());
    QApplication::setPalette(palette_of(*theme_));
    set_desktop_dark(dark);
}

void ThemeManager::choose(Choice choice) {
    // Until we set a palette, the application has the desktop's palette.
    if (!desktop_dark_) desktop_dark_ = is_dark(QApplication::palette());
    const bool dark = choice == Choice::dark || (choice == Choice::system && *desktop_dark_);
    choice_ = choice;
    theme_ = dark ? &Theme::dark() : &Theme::light();
    // The application owns its style, and tests create several applications in one process.
    static QPointer<QApplication> styled;
    if (styled != qApp) {
        QApplication::setStyle(new FlatStyle);
        styled = qApp;
    }
    QApplication::setPalette(palette_of(*theme_));
    qApp->setStyleSheet(style_sheet(*theme_, QFontMetrics(QApplication::font())));
    Q_EMIT changed();
}

}  // namespace shardscope
