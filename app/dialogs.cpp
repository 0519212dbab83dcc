#include "app/dialogs.h"

#include <QFileDialog>
#include <algorithm>

namespace shardscope {

Dialogs Dialogs::native() {
    return {
        [](QWidget* parent, const QString& title, const QString& folder, const QString& filter) {
            return QFileDialog::getOpenFileName(parent, title, folder, filter);
        },
        [](QWidget* parent, const QString& title, const QString& suggestion, const QString& filter) {
            return QFileDialog::getSaveFileName(parent, title, suggestion, filter);
        },
        [](QWidget* parent, const QString& title, const QString& suggestion, const QStringList& filters) {
            QString chosen = filters.value(0);
            const QString file = QFileDialog::getSaveFileName(parent, title, suggestion,
                                                              filters.join(QStringLiteral(";;")), &chosen);
            return SaveAs{file, std::max<qsizetype>(0, filters.indexOf(chosen))};
        },
        [](QWidget* parent, const QString& title, const QString& folder) {
            return QFileDialog::getExistingDirectory(parent, title, folder);
        },
    };
}

}  // namespace shardscope
