// One palette for everything drawn: light, dark, and print (exports). The interface is grey; colour means
// data.
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
    QColor accent, on_accent;  // interaction slate and the text on it
    QColor flash;              // a field a preset just changed

    // Data.
    QColor compute, compute_second, communication, communication_hidden, memory_rate, latency, recompute;
    QColor weights, gradients, optimizer;  // shared by the GPUs
    QColor gathered, activations, logits;  // staying with each
    QColor context, allocator;
    QColor hatch_ground, hatch_line, risk;

    struct Chip {
        QColor text, fill, edge;
    };
    Chip fits, risky, does_not_fit;
    std::array<QColor, 6> pins;        // ghosts B … G, in order
    std::array<QColor, 7> categories;  // Okabe–Ito, for what has no colour of its own

    [[nodiscard]] QColor of(MemoryTerm term) const;
    [[nodiscard]] QColor of(StepTerm term) const;
    [[nodiscard]] QColor of(Wall wall) const;

    static const Theme& light();
    static const Theme& dark();
    static const Theme& print();
};

// How much larger letters are than those that the window's sizes are meant for; never less than 1.
double zoom_of(const QFont& font);
// Below these sizes, px in letters of the usual size, panels fold.
inline constexpr int kNarrowWindow = 1200;
inline constexpr int kLowWindow = 820;

// Type scale as factors of the application's font: small 0.92, body 1, title 1.33, display 2.
QFont scaled_font(const QFont& base, double factor, bool bold = false);
inline constexpr double kSmall = 0.92;
inline constexpr double kTitle = 1.33;
inline constexpr double kDisplay = 2.0;

// The colour of an MFU, the same in every theme and plot: viridis over 0 … kMfuScale, the ends beyond.
QColor mfu_color(double mfu);
inline constexpr double kMfuScale = 0.6;

// 45° hatch over a rectangle; `pitch` in px between lines of `width` px.
void fill_hatch(QPainter& painter, const QRectF& area, const Theme& theme, double pitch = 8,
                double width = 1);

// Which theme the window uses; emits when it changes, so that everything painted by hand repaints.
class ThemeManager : public QObject {
    Q_OBJECT
  public:
    enum class Choice { system, light, dark };
    static ThemeManager& instance();
    [[nodiscard]] const Theme& theme() const { return *theme_; }
    [[nodiscard]] Choice choice() const { return choice_; }
    void choose(Choice choice);  // sets the application's palette and style sheet
    // What `system` means; followed at once.
    void set_desktop_dark(bool dark);
    // The same, from the palette that the desktop has for programs without one of their own.
    void read_desktop_palette();
    // Whether the desktop wants still what need not move. It is the style that says so to all that moves or
    // fades, Qt's own and ours: animations have no length then (SH_Widget_Animation_Duration).
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
