#include "app/dialogs.h"

#include <QFileDialog>
#include <QFileInfo>

namespace shardscope {

Dialogs Dialogs::native() {
    return {
        [](QWidget* parent, const QString& title, const QString& folder, const QString& filter) {
            return QFileDialog::getOpenFileName(parent, title, folder, filter);
        },
        [](QWidget* parent, const QString& title, const QString& suggestion, const QString& filter) {
            return QFileDialog::getSaveFileName(parent, title, suggestion, filter);
        },
        [](QWidget* parent, const QString& title, const QString& folder) {
            return QFileDialog::getExistingDirectory(parent, title, folder);
        },
    };
}

QString Dialogs::save_ending_in(const QString& ending, const QString& usual, QWidget* parent,
                                const QString& title, const QString& suggestion,
                                const QString& filter) const {
    return ask_for_completed_name(
        suggestion, [&](const QString& suggested) { return save_file(parent, title, suggested, filter); },
        // Any other text after a point is part of the name: "llama-3.1".
        [&](const QString& typed) {
            return typed.endsWith(ending, Qt::CaseInsensitive) ? typed : typed + usual;
        });
}

QString ask_for_completed_name(const QString& suggestion,
                               const std::function<QString(const QString& suggestion)>& ask,
                               const std::function<QString(const QString& typed)>& whole) {
    QString suggested = suggestion;
    while (true) {
        const QString typed = ask(suggested);
        if (typed.isEmpty()) return {};
        QString file = whole(typed);
        if (file == typed || !QFileInfo::exists(file)) return file;
        suggested = file;
    }
}

}  // namespace shardscope
