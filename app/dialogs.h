// Questions to the person, so that tests can answer them. An empty answer is none.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>

class QWidget;

namespace shardscope {

struct Dialogs {
    struct SaveAs {
        QString file;
        qsizetype filter = 0;  // the one chosen
    };
    std::function<QString(QWidget* parent, const QString& title, const QString& folder,
                          const QString& filter)>
        open_file;
    std::function<QString(QWidget* parent, const QString& title, const QString& suggestion,
                          const QString& filter)>
        save_file;
    std::function<SaveAs(QWidget* parent, const QString& title, const QString& suggestion,
                         const QStringList& filters)>
        save_file_as;
    std::function<QString(QWidget* parent, const QString& title, const QString& folder)> choose_folder;
    static Dialogs native();

    // As save_file, of a name that ends in `ending`: to any other `usual` is added.
    [[nodiscard]] QString save_ending_in(const QString& ending, const QString& usual, QWidget* parent,
                                         const QString& title, const QString& suggestion,
                                         const QString& filter) const;
};

// A name that somebody types, completed. Whether a file is to be overwritten was asked of the name as it was
// typed: where the whole one is a file that exists, `ask` comes again with it as the suggestion.
QString ask_for_whole_name(const QString& suggestion,
                           const std::function<QString(const QString& suggestion)>& ask,
                           const std::function<QString(const QString& typed)>& whole);

}  // namespace shardscope
