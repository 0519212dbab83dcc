// What can say which number of it has the focus, so that one key asks why anywhere.
#pragma once

#include <optional>

#include "explain/explanation.h"

class QPointF;
class QWidget;

namespace shardscope {

class Explainable {
  public:
    virtual ~Explainable() = default;
    // What has the focus in it, or the most of what it shows; nothing where nothing is shown.
    [[nodiscard]] virtual std::optional<Subject> subject_here() const = 0;
    // What is shown at this point of it, px.
    [[nodiscard]] virtual std::optional<Subject> subject_at(const QPointF&) const { return subject_here(); }

  protected:
    Explainable() = default;
    Explainable(const Explainable&) = default;
    Explainable& operator=(const Explainable&) = default;
};

// Of the widget, or the nearest around it that has one.
std::optional<Subject> subject_of(const QWidget* widget);

}  // namespace shardscope
