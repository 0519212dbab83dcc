// The words that a plot or panel draws and their places, found with a paint device that stores them and draws
// nothing.
#pragma once

#include <QLineF>
#include <QRectF>
#include <QString>
#include <vector>

class QCustomPlot;
class QWidget;

namespace shardscope {

struct DrawnWord {
    QString text;
    QRectF box;  // px of the plot or panel; for vertical words the box around them
};

// Returns the words of a plot at its current size. Words with a halo occur several times.
std::vector<DrawnWord> drawn_words(QCustomPlot& plot);
// Returns the words of a panel and of the widgets in it.
std::vector<DrawnWord> drawn_words(QWidget& panel);
// Returns the straight lines that a plot draws one by one.
std::vector<QLineF> drawn_lines(QCustomPlot& plot);

}  // namespace shardscope
