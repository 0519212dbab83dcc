#include "app/exports.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <array>

#include "app/message_bar.h"
#include "planner/planner.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/progress_line.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// Returns whether a figure needs a search. The plot Plans always does; other plots do where automatic
// parameters are planned again at every point, also those of a pin in its own panel.
bool needs_search(const Exports::Figures& figures, const Answer& answer) {
    const bool replans = !plans_within_a_frame(answer.scenario);
    return std::ranges::any_of(figures, [replans, valid = answer.valid()](const FigureRequest& figure) {
        const PlotKind* kind = plot_kind(figure.plot);
        if (!kind || !kind->compute_data || figure.data) return false;
        if (kind->searches) return valid;
        const bool pins = options_in<SweepOptions>(figure).side_by_side &&
                          std::ranges::any_of(figure.pins, [](const Pin& pin) {
                              return !plans_within_a_frame(pin.answer.scenario);
                          });
        return (replans || pins) && !holds_plan(figure.options);
    });
}

struct Worked {
    Exports::Figures figures;
    Answer answer;
};

}  // namespace

QString ask_for_figure(const Dialogs& dialogs, QWidget* parent, const QString& folder, const QString& name,
                       const QString& ending) {
    return ask_for_completed_name(
        QStringLiteral("%1/%2.%3").arg(folder, name, ending),
        [&](const QString& suggested) {
            return dialogs.save_file(parent, Exports::tr("Export the plot"), suggested,
                                     Exports::tr("Figures and tables (*.svg *.pdf *.png *.csv)"));
        },
        [&](const QString& typed) { return format_of(typed) ? typed : typed + QLatin1Char('.') + ending; });
}

struct Exports::Drawing {
    Figures figures;
    Answer answer;
    QString folder;
    std::vector<ReportFile> files;
};

Exports::~Exports() = default;

Exports::Exports(MessageBar& messages, ProgressLine& progress, QObject* parent)
    : QObject(parent), messages_(messages), progress_(progress) {
    next_.setSingleShot(true);
    connect(&next_, &QTimer::timeout, this, &Exports::draw_next);
    connect(&progress_, &ProgressLine::stopped, this, [this] {
        work_.cancel();
        next_.stop();
        drawing_.reset();
        progress_.hide();
        messages_.report(tr("%1: stopped, nothing is written.").arg(what_));
    });
}

bool Exports::with_data(const QString& what, const Figures& figures, const Answer& answer, const Then& then) {
    if (pending()) {
        messages_.say(tr("%1 is still being worked out; wait for it or stop it").arg(what_));
        return false;
    }
    const auto is_valid = [this, what](const Answer& now) {
        if (!now.valid()) messages_.say(tr("%1: %2").arg(what, text_of(now.problems.front().text())));
        return now.valid();
    };
    if (!needs_search(figures, answer)) {
        if (!is_valid(answer)) return false;
        Figures whole;
        for (const FigureRequest& figure : figures) whole.push_back(with_computed_data(figure, answer));
        return then(whole, answer);
    }
    what_ = what;
    const auto show_progress = [this, what, of = static_cast<int>(figures.size())](int done) {
        if (pending())
            progress_.show_step(tr("%1: re-planning for plot %2 of %3").arg(what).arg(done + 1).arg(of), done,
                                of);
    };
    work_.ask(
        [this, show_progress, figures, answer](const std::stop_token& stop) {
            Worked out{{}, shardscope::answer(answer.scenario)};
            if (!out.answer.valid()) return out;
            Figures& whole = out.figures;
            for (const FigureRequest& figure : figures) {
                if (stop.stop_requested()) break;
                QMetaObject::invokeMethod(
                    this, [show_progress, done = static_cast<int>(whole.size())] { show_progress(done); },
                    Qt::QueuedConnection);
                whole.push_back(with_computed_data(figure, out.answer, stop));
            }
            return out;
        },
        [this, then, is_valid](const Worked& out) {
            progress_.hide();
            if (is_valid(out.answer)) then(out.figures, out.answer);
        });
    show_progress(0);
    return true;
}

bool Exports::write(const std::vector<ReportFile>& files, const QString& problem, const QString& to) {
    if (files.empty()) {
        messages_.say(tr("%1: %2").arg(to, problem));
        return false;
    }
    Problems problems;
    std::string failed;
    if (!write_files(files, problems, failed)) {
        messages_.say(problems, QString::fromStdString(failed));
        return false;
    }
    Q_EMIT written(files.back().path);
    return true;
}

bool Exports::plot(const FigureRequest& figure, const Answer& answer, const QString& file) {
    const auto format = format_of(file);
    if (!format) {
        messages_.say(tr("%1: the file extension sets the format; use .svg, .pdf, .png or .csv").arg(file));
        return false;
    }
    return with_data(QFileInfo(file).fileName(), {figure}, answer,
                     [=, this](const Figures& whole, const Answer& now) {
                         QString problem;
                         std::vector<ReportFile> files;
                         const QByteArray bytes = render_figure(whole.front(), now, *format, &problem);
                         if (!bytes.isEmpty()) files.push_back({file, bytes});
                         if (!write(files, problem, file)) return false;
                         messages_.report(tr("Written: %1").arg(file));
                         return true;
                     });
}

bool Exports::plots(const std::vector<FigureRequest>& figures, const Answer& answer, const QString& folder) {
    return with_data(tr("All plots"), figures, answer, [=, this](const Figures& whole, const Answer& now) {
        what_ = tr("All plots");
        drawing_ = std::make_unique<Drawing>(Drawing{whole, now, folder, {}});
        std::erase_if(drawing_->figures,
                      [&](const FigureRequest& figure) { return !objection_to(figure, now).isEmpty(); });
        draw_next();
        return drawing_ != nullptr;
    });
}

void Exports::draw_next() {
    constexpr std::array kEndings{".svg", ".pdf", ".png", ".csv"};
    Drawing& d = *drawing_;
    const std::size_t done = d.files.size();
    const std::size_t all = d.figures.size() * kEndings.size();
    QString problem;
    if (done < all) {
        const FigureRequest& figure = d.figures[done / kEndings.size()];
        const QString file = QDir(d.folder).filePath(text_of(figure.plot) +
                                                     QLatin1String(kEndings.at(done % kEndings.size())));
        const QByteArray bytes = render_figure(figure, d.answer, *format_of(file), &problem);
        if (!bytes.isEmpty()) {
            d.files.push_back({file, bytes});
            progress_.show_step(tr("%1: drawing file %2 of %3").arg(what_).arg(done + 1).arg(all),
                                static_cast<int>(done + 1), static_cast<int>(all));
            next_.start(0);
            return;
        }
        write({}, problem, file);
    } else if (write(d.files, {}, d.folder)) {
        messages_.report(tr("Files written to %1: %2").arg(d.folder).arg(all));
    }
    progress_.hide();
    drawing_.reset();
}

bool Exports::report(const ReportRequest& request, const Answer& answer, const QString& file) {
    ReportRequest with_figures = request;
    with_figures.figures = figures_of(request, answer);
    return with_data(QFileInfo(file).fileName(), with_figures.figures, answer,
                     [=, this](const Figures& whole, const Answer& now) {
                         ReportRequest ready = with_figures;
                         ready.figures = whole;
                         QString problem;
                         if (!write(render_report(ready, now, file, &problem), problem, file)) return false;
                         messages_.report(tr("Written: %1").arg(file));
                         return true;
                     });
}

}  // namespace shardscope
