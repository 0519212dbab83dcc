// The interface of widgets that report which of their numbers has the focus, so that one key explains a
// number anywhere in the window.
#pragma once

#include <optional>

#include "explain/explanation.h"

class QPointF;
class QWidget;

namespace shardscope {

class Explainable {
  public:
    virtual ~Explainable() = default;
    // Returns the subject that has the focus in the widget, or else its main subject; empty if it shows none.
    [[nodiscard]] virtual std::optional<Subject> focused_subject() const = 0;
    // Returns the subject that is shown at this point of the widget, in px.
    [[nodiscard]] virtual std::optional<Subject> subject_at(const QPointF&) const {
        return focused_subject();
    }

  protected:
    Explainable() = default;
    Explainable(const Explainable&) = default;
    Explainable& operator=(const Explainable&) = default;
};

// Returns the subject of the widget, or of its nearest ancestor that has one.
std::optional<Subject> subject_of(const QWidget* widget);

}  // namespace shardscope
