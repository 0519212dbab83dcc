// The Collectives tab: public tables of collectives and the user's own nccl-tests logs, each with its fitted
// sigmoid, and the engine's curve for the scenario's fabric. The constants fitted to the user's own logs can
// be applied to the scenario.
#pragma once

#include <memory>
#include <optional>

#include "widgets/plots/collectives/collectives_figure.h"
#include "widgets/plots/live_plot.h"

class QComboBox;
class QToolButton;

namespace shardscope {

class CollectivesPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit CollectivesPlot(LiveModel& model, QWidget* parent = nullptr);
    ~CollectivesPlot() override;

    // Returns the figure, brought up to date even while the plot is hidden.
    [[nodiscard]] const CollectivesFigure& figure();
    [[nodiscard]] FigureRequest request() const override;  // with the user's own tables
    // Adds the tables of an nccl-tests log. Returns false and changes nothing if the log has none. Tables
    // that cannot be used are reported in `problems`, the usable ones are added all the same.
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
    void apply_fitted_fabric();

    QComboBox* tables_;
    QToolButton* take_;
    std::vector<MeasuredTable> own_;
    std::optional<std::size_t> chosen_;
    std::unique_ptr<CollectivesFigure> figure_;
};

}  // namespace shardscope
