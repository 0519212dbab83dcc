// A separate, non-modal window that shows the current plan as settings of the training tools. It follows the
// scenario.
//
// Object names: "launch", "launch/tools" (a tab each), "launch/command", "launch/text", "launch/notes-title",
// "launch/notes", "launch/copy", "launch/save".
#pragma once

#include <QDialog>
#include <string>

#include "launch/launch.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QScrollArea;
class QTabBar;

namespace shardscope {

class LiveModel;

class LaunchView : public QDialog {
    Q_OBJECT
  public:
    explicit LaunchView(const LiveModel& model, QWidget* parent = nullptr);

    // Brings the window to the front. It shows the current scenario and follows it, or it shows `other`, a
    // scenario with another plan, which stays fixed.
    void ask(const std::optional<Scenario>& other = {});
    [[nodiscard]] const LaunchFormat& tool() const;
    // Returns the file name that Save proposes and the shown command contains: "mpt-13b-on-64-h100.toml".
    [[nodiscard]] QString file_name() const;

  Q_SIGNALS:
    // Requests to save the text as it is shown; `file_name` is the name to propose.
    void save_requested(const QString& file_name, const std::string& text);

  protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void refresh();
    void restyle();
    void tell(const QString& title, const QStringList& notes);
    void fit_notes();

    [[nodiscard]] const Answer& answer() const;

    const LiveModel& model_;
    std::optional<Answer> other_;
    QTabBar* tools_;
    QLabel* command_;
    QPlainTextEdit* text_;
    QLabel* notes_title_;
    QLabel* notes_;
    QScrollArea* notes_area_;
    QPushButton* copy_;
    QPushButton* save_;
};

}  // namespace shardscope
