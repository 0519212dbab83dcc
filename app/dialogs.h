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
};

}  // namespace shardscope
