// Writes figures, tables and reports to files. Plots that search plans at many points are computed in the
// background, with progress and a button to stop; all others are written immediately.
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>
#include <vector>

#include "app/dialogs.h"
#include "widgets/background.h"
#include "widgets/plots/figure_export.h"
#include "widgets/report/report.h"

namespace shardscope {

class MessageBar;
class ProgressLine;

// Asks for the file of a figure, whose ending sets the format; `ending` completes a name without one.
QString ask_for_figure(const Dialogs& dialogs, QWidget* parent, const QString& folder, const QString& name,
                       const QString& ending);

class Exports : public QObject {
    Q_OBJECT
  public:
    Exports(MessageBar& messages, ProgressLine& progress, QObject* parent);
    ~Exports() override;

    // Each function returns whether the files were written, or are being computed. Problems are shown.
    bool plot(const FigureRequest& figure, const Answer& answer, const QString& file);
    // Writes each figure in every format; the files have the names of the plots. All are drawn, one at a
    // time, before the first one is written. Those that cannot be drawn, such as the difference of a scenario
    // alone, are left out.
    bool plots(const std::vector<FigureRequest>& figures, const Answer& answer, const QString& folder);
    bool report(const ReportRequest& request, const Answer& answer, const QString& file);

    using Figures = std::vector<FigureRequest>;
    // Receives the figures with their data, and an answer with the current plan of its scenario. The window
    // may still show the previous plan.
    using Then = std::function<bool(const Figures&, const Answer&)>;
    // Computes the data of the figures, then calls `then` in this thread. Returns false, with a message
    // shown, if other work is in progress, if the scenario is not valid, or if `then` returns false.
    bool with_data(const QString& what, const Figures& figures, const Answer& answer, const Then& then);
    [[nodiscard]] bool pending() const { return work_.pending() || drawing_; }

  Q_SIGNALS:
    void written(const QString& file);

  private:
    struct Drawing;  // many files, drawn one at a time so that the window stays responsive
    void draw_next();

    // Writes all files; shows `problem` where there are none.
    bool write(const std::vector<ReportFile>& files, const QString& problem, const QString& to);

    MessageBar& messages_;
    ProgressLine& progress_;
    QString what_;  // the work in progress, for messages
    std::unique_ptr<Drawing> drawing_;
    QTimer next_;      // starts the next file of `drawing_`
    Background work_;  // the last member, so that its thread ends before its receivers are destroyed
};

}  // namespace shardscope
