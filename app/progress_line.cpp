#include "app/progress_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace shardscope {

ProgressLine::ProgressLine(QWidget* parent) : QWidget(parent), text_(new QLabel), bar_(new QProgressBar) {
    setObjectName(QStringLiteral("progress"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 4);
    text_->setObjectName(QStringLiteral("progress/text"));
    text_->setTextFormat(Qt::PlainText);
    row->addWidget(text_, 1);
    bar_->setObjectName(QStringLiteral("progress/bar"));
    bar_->setAccessibleName(tr("Progress"));
    bar_->setTextVisible(false);
    constexpr int kWidth = 160;
    bar_->setFixedWidth(kWidth);
    row->addWidget(bar_);
    auto* stop = new QPushButton(tr("Stop"));
    stop->setObjectName(QStringLiteral("progress/stop"));
    stop->setToolTip(tr("Ends this work; nothing is written"));
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
