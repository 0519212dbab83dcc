// The panel that explains a number: a sentence, the formula with its values, the source, the parts that add
// up to it, the assumptions, and the next best fix. A click on any number opens it. The quantities in an
// explanation can be opened in turn, down to operators and presets.
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "explain/explanation.h"
#include "widgets/repairs.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace shardscope {

class WhyBox;
class WhyRow;

class WhyPanel : public QWidget {
    Q_OBJECT
  public:
    explicit WhyPanel(LiveModel& model, QWidget* parent = nullptr);
    [[nodiscard]] const Subject& current() const { return history_[place_]; }
    [[nodiscard]] QString title() const;  // "Why: MFU"

    using QWidget::show;

    // Explains this subject; the previous one is one step back in the history.
    void show(const Subject& subject);
    // Explains values also where memory does not suffice, labelled as hypothetical.
    void set_hypothetical(bool on);

  Q_SIGNALS:
    void closed();

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void build_header();
    void build_content();
    void restyle();
    void refresh();
    void refresh_slow();  // repairs and levers take 1 ms each, so not in every frame of a drag
    void set_explanation(const Explanation& explanation);
    WhyRow* make_row();
    void set_rows(std::vector<WhyRow*>& rows, const std::vector<Ingredient>& entries);
    void set_walls();
    void set_text(QLabel* label, const QString& text);
    void arrange();
    void go(int steps);

    LiveModel& model_;
    Repairs& repairs_;
    std::vector<Subject> history_{Subject::of(Output::mfu)};
    bool hypothetical_ = false;
    std::size_t place_ = 0;

    QLabel* title_ = nullptr;
    QToolButton* back_ = nullptr;
    QToolButton* forward_ = nullptr;
    QToolButton* close_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QWidget* content_ = nullptr;

    QLabel* sentence_ = nullptr;
    QLabel* terms_ = nullptr;  // links to the terms of the sentence in the glossary
    QLabel* walls_title_ = nullptr;
    std::vector<WhyRow*> walls_;  // five rates and their sum
    QLabel* levers_title_ = nullptr;
    std::vector<WhyRow*> levers_;
    QLabel* formula_title_ = nullptr;
    WhyBox* formula_box_ = nullptr;
    QLabel* formula_ = nullptr;
    QLabel* substituted_ = nullptr;  // the formula with the values
    std::vector<WhyRow*> ingredients_;
    QWidget* formula_line_ = nullptr;
    QLabel* result_ = nullptr;
    QLabel* source_ = nullptr;
    QLabel* parts_title_ = nullptr;
    std::vector<WhyRow*> parts_;
    QLabel* assumptions_title_ = nullptr;
    std::vector<WhyRow*> assumptions_;
    QLabel* fix_title_ = nullptr;
    WhyBox* fix_box_ = nullptr;
    QLabel* fix_label_ = nullptr;
    QLabel* fix_result_ = nullptr;
    QPushButton* fix_apply_ = nullptr;

    std::optional<Repair> fix_;
    QTimer slow_;
    bool rearrange_ = true;  // the size of a text has changed
};

}  // namespace shardscope
