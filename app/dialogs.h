// The dialogs that ask the user for files and folders. They are functions so that tests can replace them. An
// empty answer means that the user has cancelled.
#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace shardscope {

struct Dialogs {
    std::function<QString(QWidget* parent, const QString& title, const QString& folder,
                          const QString& filter)>
        open_file;
    std::function<QString(QWidget* parent, const QString& title, const QString& suggestion,
                          const QString& filter)>
        save_file;
    std::function<QString(QWidget* parent, const QString& title, const QString& folder)> choose_folder;
    static Dialogs native();

    // Like save_file, but for names that end in `ending`; `usual` is appended to any other name.
    [[nodiscard]] QString save_ending_in(const QString& ending, const QString& usual, QWidget* parent,
                                         const QString& title, const QString& suggestion,
                                         const QString& filter) const;
};

// Asks for a file name and completes it with `whole`. The dialog asks about overwriting only for the name as
// it was typed. If the completed name differs and exists, `ask` is therefore called again with it as the
// suggestion.
QString ask_for_completed_name(const QString& suggestion,
                               const std::function<QString(const QString& suggestion)>& ask,
                               const std::function<QString(const QString& typed)>& whole);

}  // namespace shardscope
