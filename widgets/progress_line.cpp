#include "widgets/progress_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace shardscope {

ProgressLine::ProgressLine(const QString& name, const QString& stop_tool_tip, QWidget* parent)
    : QWidget(parent), text_(new QLabel), bar_(new QProgressBar) {
    setObjectName(name);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 4);
    text_->setObjectName(name + QStringLiteral("/text"));
    text_->setTextFormat(Qt::PlainText);
    row->addWidget(text_, 1);
    bar_->setObjectName(name + QStringLiteral("/bar"));
    bar_->setAccessibleName(tr("Progress"));
    bar_->setTextVisible(false);
    constexpr int kWidth = 160;
    bar_->setFixedWidth(kWidth);
    row->addWidget(bar_);
    auto* stop = new QPushButton(tr("Stop"));
    stop->setObjectName(name + QStringLiteral("/stop"));
    stop->setToolTip(stop_tool_tip);
    connect(stop, &QPushButton::clicked, this, &ProgressLine::stopped);
    row->addWidget(stop);
    hide();
}

void ProgressLine::show_step(const QString& text, int done, int of) {
    text_->setText(text);
    bar_->setRange(0, of);
    bar_->setValue(done);
    show();
}

}  // namespace shardscope
