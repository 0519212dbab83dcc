// The Collectives tab: public tables of collectives and one's own nccl-tests logs, each with its sigmoid, and
// the scenario's fabric beside them. The constants of one's own log can be taken into the scenario.
#pragma once

#include <memory>
#include <optional>

#include "widgets/plots/collectives_figure.h"
#include "widgets/plots/live_plot.h"

class QComboBox;
class QToolButton;

namespace shardscope {

class CollectivesPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit CollectivesPlot(LiveModel& model, QWidget* parent = nullptr);
    ~CollectivesPlot() override;

    // What is drawn, up to date also while the plot is hidden.
    [[nodiscard]] const CollectivesFigure& figure();
    [[nodiscard]] FigureRequest request() const override;  // with one's own tables
    // Adds the tables of an nccl-tests log. False when it has none; then nothing changes. Tables that cannot
    // be used are problems beside those that can.
    bool add_log(const std::string& path, Problems& problems);

  Q_SIGNALS:
    void log_requested();

  protected:
    void update_figure() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void move(QMouseEvent* event) override;

  private:
    void fill_tables();
    void take_fabric();

    QComboBox* tables_;
    QToolButton* take_;
    std::vector<MeasuredTable> own_;
    std::optional<std::size_t> chosen_;
    std::unique_ptr<CollectivesFigure> figure_;
};

}  // namespace shardscope
