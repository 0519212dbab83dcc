// Figures, tables and reports, written to files. Where plots plan anew at many points, what they show is
// worked out beside the window, told as it goes and stopped on demand; all else is written at once.
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

// Where a plot is to be written, and the scale if that is a PNG. No file: none.
struct FigureFile {
    QString file;
    double scale = kUsualScale;
};
FigureFile ask_for_figure(const Dialogs& dialogs, QWidget* parent, const QString& suggestion);

class Exports : public QObject {
    Q_OBJECT
  public:
    Exports(MessageBar& messages, ProgressLine& progress, QObject* parent);
    ~Exports() override;

    // Each returns whether it was written, or is being worked out; what is wrong is said.
    bool plot(const FigureRequest& figure, const Answer& answer, const QString& file);
    // Every one of them in every format, named after it. Drawn one by one; written when all are.
    bool plots(const std::vector<FigureRequest>& figures, const Answer& answer, const QString& folder);
    bool report(const ReportRequest& request, const Answer& answer, const QString& file);

    using Figures = std::vector<FigureRequest>;
    // With the data of all, of an answer whose plan is that of its scenario: the window may still show the
    // plan before.
    using Then = std::function<bool(const Figures&, const Answer&)>;
    // `then`, in this thread. False, and said: other work is under way, or the
    // scenario is not valid; or `then` said so.
    bool with_data(const QString& what, const Figures& figures, const Answer& answer, const Then& then);
    [[nodiscard]] bool pending() const { return work_.pending() || drawing_; }

  Q_SIGNALS:
    void written(const QString& file);

  private:
    struct Drawing;  // many files, one at a time, so that the window stays with the person
    void draw_next();

    // All of them; `problem`, where there are none.
    bool write(const std::vector<ReportFile>& files, const QString& problem, const QString& to);

    MessageBar& messages_;
    ProgressLine& progress_;
    QString what_;  // that is under way
    std::unique_ptr<Drawing> drawing_;
    QTimer next_;      // of its files
    Background work_;  // last: its thread ends before what it delivers to
};

}  // namespace shardscope
