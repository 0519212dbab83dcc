// What is open on the desk beside the scenarios: the tab, what every plot shows, the study. Taken up and put
// back as one step of the history.
#pragma once

#include <QUndoCommand>
#include <functional>
#include <string>
#include <vector>

#include "studies/view.h"

namespace shardscope {

struct DeskState {
    std::string tab;    // the plot in front
    std::string study;  // "": none
    std::vector<View> plots;
};

class DeskStep : public QUndoCommand {
  public:
    DeskStep(std::function<void(const DeskState&)> show, DeskState before, DeskState after)
        : show_(std::move(show)), before_(std::move(before)), after_(std::move(after)) {}
    void undo() override { show_(before_); }
    void redo() override { show_(after_); }

  private:
    std::function<void(const DeskState&)> show_;
    DeskState before_;
    DeskState after_;
};

}  // namespace shardscope
