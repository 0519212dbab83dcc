// The panel "Solve for", which finds the value of an input that meets a target. The question is a line of
// fields, and a click on a chip fills in a common question. The answer follows the scenario: it has a button
// for every value that can be applied, or gives the reason why there is none.
//
// Object names: "solve/output", "/comparison", "/value", "/input", "/chip/fewest-gpus" …, "/result",
// "/apply/0" … (the values, the answer first), "/way/0" … (other plans), "/cancel", "/close".
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "explore/solve.h"
#include "widgets/background.h"

class QComboBox;
class QGridLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace shardscope {

class LiveModel;

class SolvePanel : public QWidget {
    Q_OBJECT
  public:
    explicit SolvePanel(LiveModel& model, QWidget* parent = nullptr);

    // Opens the panel and gives it the focus.
    void ask();
    // Opens the panel with this question, and sets the solution as soon as it is found, as one undo step. A
    // change of the question, a drag or Cancel withdraws this.
    void apply_answer(const Target& target, P input);
    [[nodiscard]] bool pending() const { return background_.pending(); }

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    // The result of a search: the solution, and the alternatives if there is none.
    struct Found {
        Question question;
        Solution solution;
        std::vector<Alternative> ways;
        double batch = 0;                 // the global batch of the solution
        std::vector<double> way_batch{};  // and that of each alternative
    };
    [[nodiscard]] QString batch_change(P id, double batch) const;

    void build_question();
    void build_chips();
    void arrange_chips();
    void ask_predefined(const PredefinedQuestion& question);
    void ask_anew();  // the user has changed the question
    void show_target(const Target& target);
    [[nodiscard]] std::optional<Target> target();  // empty if it cannot be parsed; the reason is then shown
    void solve_again();
    void show(const Found& found);
    void tell(const QString& plain);
    void show_progress(double done);
    void stop_waiting();
    void close_panel();
    void clear_offers();
    void offer(const QString& name, const QString& text, const QString& undo_text, const Scenario& scenario);

    LiveModel& model_;
    QComboBox* output_ = nullptr;
    QComboBox* comparison_ = nullptr;
    QLineEdit* value_ = nullptr;
    QComboBox* input_ = nullptr;
    QToolButton* cancel_ = nullptr;
    QLabel* result_ = nullptr;
    QHBoxLayout* offers_row_ = nullptr;
    std::vector<QPushButton*> offers_;
    QGridLayout* grid_ = nullptr;
    std::vector<QPushButton*> chips_;
    Target shown_target_;  // the last target that `show_target` wrote,
    QString shown_text_;   // and its text, which is rounded
    bool apply_when_found_ = false;
    Background background_;
};

}  // namespace shardscope
