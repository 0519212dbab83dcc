// The form that asks for what a training log does not state and a prediction needs. Its fields begin with the
// values of the current scenario. Object names: "log-form", "log-form/KEY" for each field, for instance
// "log-form/cluster.preset", "log-form/problem", "log-form/open".
#pragma once

#include <QDialog>
#include <functional>
#include <vector>

#include "logs/training_log.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace shardscope {

class LogForm : public QDialog {
    Q_OBJECT
  public:
    // Sets the values of the form in a scenario.
    using Complete = std::function<void(Scenario& scenario, Problems& problems)>;
    // Opens the run, or returns why it cannot be opened; the form then stays.
    using Take = std::function<Problems(const Complete& complete)>;
    LogForm(const QString& log, const std::vector<MissingInput>& missing, const Scenario& current, Take take,
            QWidget* parent);

    void accept() override;

  private:
    struct Row {
        MissingInput input;
        QComboBox* preset = nullptr;  // the field of a missing preset, otherwise null
        QLineEdit* value = nullptr;   // the field of a missing parameter, otherwise null
        QString shown{};              // what the field began with
    };
    static bool keeps(const Row& row, const Scenario& scenario);
    void complete(Scenario& scenario, Problems& problems) const;

    const Catalogue& catalogue_;
    Take take_;
    std::vector<Row> rows_;
    QLabel* problem_;
};

}  // namespace shardscope
