// The frame under the tool bar's Export button: format, size and resolution of a figure with a preview of the
// file. It is no dialog: Esc, or a click elsewhere, closes it. Object names: "export" and "export/format",
// "export/size", "export/width", "export/height", "export/resolution", "export/preview", "export/state",
// "export/copy", "export/save".
#pragma once

#include <QFrame>
#include <QPointer>
#include <functional>

#include "widgets/background.h"
#include "widgets/live_model.h"
#include "widgets/plots/figure_export.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace shardscope {

class ExportPopover : public QFrame {
    Q_OBJECT
  public:
    using Ask = std::function<FigureRequest(const QString& plot)>;
    // `request_of` returns the request for a plot as the window shows it.
    ExportPopover(LiveModel& model, Ask request_of, QWidget& window);

    // Opens under `anchor` with this plot.
    void open(const QString& plot, const QString& format, const QWidget* anchor);

  Q_SIGNALS:
    // The user wants this figure, of this answer, as a file; `ending` is that of the chosen format.
    void save_requested(const FigureRequest& figure, const Answer& answer, const QString& ending);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void hideEvent(QHideEvent* event) override;

  private:
    void make_controls();
    QComboBox* add_choice(const QString& name, const QString& label, const QString& help,
                          const QStringList& choices);
    QSpinBox* add_length(const QString& name, const QString& label, const QString& help);
    void place();
    void close_it();
    [[nodiscard]] FigureFormat format() const;
    [[nodiscard]] bool has_own_size() const;
    [[nodiscard]] FigureRequest sized(FigureRequest figure) const;
    void take_choices();
    void compute();  // the plot's data, in the background
    void draw_preview();
    void copy();

    LiveModel& model_;
    Ask request_of_;
    QString plot_;
    QPointer<const QWidget> anchor_;
    QPointer<QWidget> focus_before_;
    QComboBox* format_ = nullptr;
    QComboBox* size_ = nullptr;
    QSpinBox* width_ = nullptr;
    QSpinBox* height_ = nullptr;
    QComboBox* resolution_ = nullptr;
    QLabel* preview_ = nullptr;
    QLabel* state_ = nullptr;
    QPushButton* copy_ = nullptr;
    QPushButton* save_ = nullptr;
    FigureRequest figure_;  // with its data once `ready_`
    Answer answer_;         // of the data
    bool ready_ = false;
    Background work_;  // last: its thread ends before the members it delivers to
};

}  // namespace shardscope
