// The window of the built-in help: the list of pages at the left, the open page at the right. It is not
// modal. Object names: "help", "help/pages", "help/text", "help/search", "help/back".
#pragma once

#include <QDialog>
#include <QString>
#include <vector>

#include "widgets/term.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;

namespace shardscope {

struct HelpPage;

class HelpWindow : public QDialog {
    Q_OBJECT
  public:
    explicit HelpWindow(QWidget* parent);

    void open_page(const HelpPage& page);
    // Opens the glossary at the section of this term.
    void open_term(Term term);
    // Returns the page that is shown; nullptr before the first one is opened.
    [[nodiscard]] const HelpPage* page() const;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void update_page();  // called when another page is shown
    void search(const QString& words);
    void mark_found();
    void restyle();
    [[nodiscard]] QStringList wanted() const;  // the words to search for

    QLineEdit* search_;
    QToolButton* back_;
    QLabel* none_found_;  // says that no page contains the words
    QListWidget* pages_;
    QTextBrowser* text_;
    std::vector<QString> texts_;  // text of each page, for the search
};

}  // namespace shardscope
