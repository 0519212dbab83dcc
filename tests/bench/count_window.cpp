// Runs one workload of the window, offscreen at 1440×900, once under callgrind for `./dev count`. Without an
// argument it prints the names of all workloads and how often each repeats its work, by which its count is
// divided.
#include <QApplication>
#include <QImage>
#include <QMouseEvent>
#include <QStandardPaths>
#include <QTest>
#include <cstdio>
#include <cstring>
#include <memory>

#include "app/commands/command.h"
#include "app/main_window.h"
#include "app/session.h"
#include "bench/counted.h"
#include "widgets/theme/theme.h"

using namespace shardscope;

namespace {

constexpr int kFrames = 10;

// The program with its window painted once.
class Started {
  public:
    Started(int& argc, char** argv) : application_(argc, argv) {
        QStandardPaths::setTestModeEnabled(true);
        QApplication::setApplicationName(QStringLiteral("shardscope-bench"));
        ThemeManager::instance().choose(ThemeManager::Choice::light);
        window_ = std::make_unique<MainWindow>(commands::catalogue(), session_);
        window_->resize(1440, 900);
        window_->show();
        QApplication::processEvents();
        QImage frame(window_->size(), QImage::Format_ARGB32_Premultiplied);
        window_->render(&frame);
    }
    [[nodiscard]] MainWindow& window() { return *window_; }

  private:
    QApplication application_;
    Session session_;
    std::unique_ptr<MainWindow> window_;
};

// Counts from the start to the first painted frame, without the end of the program.
void start(int& argc, char** argv) {
    std::unique_ptr<Started> started;
    shardscope_counted([&] { started = std::make_unique<Started>(argc, argv); });
}

// Counts frames of a drag of the inter-node bandwidth, each from the mouse event until all is painted.
void drag(int& argc, char** argv) {
    Started started(argc, argv);
    MainWindow& window = started.window();
    auto* slider = window.findChild<QWidget*>(QStringLiteral("cluster.inter_node_bandwidth/slider"));
    if (!slider) std::exit(1);
    const int y = slider->height() / 2;
    int x = 8;
    const auto move = [&] {
        x += 3;
        QMouseEvent event(QEvent::MouseMove, QPointF(x, y), slider->mapToGlobal(QPointF(x, y)), Qt::NoButton,
                          Qt::LeftButton, {});
        QApplication::sendEvent(slider, &event);
        for (int pass = 0; pass < 3; ++pass) QApplication::processEvents();
    };
    QTest::mousePress(slider, Qt::LeftButton, {}, {x, y});
    for (int i = 0; i < kFrames; ++i) move();
    shardscope_counted([&] {
        for (int i = 0; i < kFrames; ++i) move();
    });
    QTest::mouseRelease(slider, Qt::LeftButton, {}, {x, y});
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::printf("drag_frame %d\nstart 1\n", kFrames);
        return 0;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (std::strcmp(argv[1], "version") == 0) std::printf("%s\n", qVersion());
    else if (std::strcmp(argv[1], "start") == 0) start(argc, argv);
    else if (std::strcmp(argv[1], "drag_frame") == 0) drag(argc, argv);
    else return 2;
    return 0;
}
