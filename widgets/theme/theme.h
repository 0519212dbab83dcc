// The palettes of everything that is drawn: light, dark, and print (exports). The interface is grey; colours
// are reserved for data.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>
#include <array>
#include <optional>

#include "estimate/estimate.h"

class QPainter;
class QRectF;

namespace shardscope {

struct Theme {
    enum class Kind { light, dark, print };
    Kind kind = Kind::light;

    // Surfaces and text.
    QColor window, pane, raised, text, muted, border, line, grid;
    QColor accent, on_accent;  // slate of interactive elements, and the text on it
    QColor flash;              // a field that a preset has just changed

    // Data.
    QColor compute, compute_second, communication, communication_hidden, memory_rate, latency, host_link,
        recompute;
    QColor weights, gradients, optimizer;  // can be sharded
    QColor gathered, activations, logits;  // working memory
    QColor context, allocator;
    QColor hatch_ground, hatch_line, risk;

    struct Chip {
        QColor text, fill, edge;
    };
    Chip fits, risky, does_not_fit;
    std::array<QColor, 6> pins;        // ghosts B … G, in order
    std::array<QColor, 7> categories;  // Okabe–Ito, for data without a fixed colour

    [[nodiscard]] QColor of(MemoryTerm term) const;
    [[nodiscard]] QColor of(StepTerm term) const;
    [[nodiscard]] QColor of(Wall wall) const;

    static const Theme& light();
    static const Theme& dark();
    static const Theme& print();
};

// Returns the height of the font relative to the font that the window is designed for; at least 1.
double zoom_of(const QFont& font);
// Panels fold in windows below these sizes, in px at the design font size.
inline constexpr int kNarrowWindow = 1200;
inline constexpr int kLowWindow = 820;

// The type scale has these factors of the application's font: small 0.92, body 1, title 1.33, display 2.
QFont scaled_font(const QFont& base, double factor, bool bold = false);
inline constexpr double kSmall = 0.92;
inline constexpr double kTitle = 1.33;
inline constexpr double kDisplay = 2.0;

// Returns the colour of an MFU, which is the same in every theme and plot: viridis over 0 … kMfuScale; values
// beyond have the colour of the nearer end.
QColor mfu_color(double mfu);
inline constexpr double kMfuScale = 0.6;

// Fills a rectangle with a 45° hatch: lines of `width` px at a distance of `pitch` px.
void fill_hatch(QPainter& painter, const QRectF& area, const Theme& theme, double pitch = 8,
                double width = 1);

// Decides which theme the window uses. It emits `changed`, so that custom-painted widgets repaint.
class ThemeManager : public QObject {
    Q_OBJECT
  public:
    enum class Choice { system, light, dark };
    static ThemeManager& instance();
    [[nodiscard]] const Theme& theme() const { return *theme_; }
    [[nodiscard]] Choice choice() const { return choice_; }
    void choose(Choice choice);  // sets the application's palette and style sheet
    // Sets which theme `Choice::system` means, and applies it at once.
    void set_desktop_dark(bool dark);
    // Does the same from the palette that the desktop gives to programs without a palette.
    void read_desktop_palette();
    // Sets whether the desktop requests reduced motion. The style passes this on to all animations, Qt's and
    // ours: their duration is then zero (SH_Widget_Animation_Duration).
    void set_reduces_motion(bool reduces) { reduces_motion_ = reduces; }
    [[nodiscard]] bool reduces_motion() const { return reduces_motion_; }

  Q_SIGNALS:
    void changed();

  private:
    ThemeManager() = default;
    const Theme* theme_ = &Theme::light();
    Choice choice_ = Choice::system;
    std::optional<bool> desktop_dark_;
    bool reduces_motion_ = false;
};
inline const Theme& current_theme() { return ThemeManager::instance().theme(); }

}  // namespace shardscope
