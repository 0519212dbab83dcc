#include "app/about.h"

#include <QMessageBox>

#include "widgets/text.h"

namespace shardscope {
void show_about(QWidget* parent) {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("About Shardscope"),
        tr("<b>Shardscope %1</b><p>Where memory or bandwidth becomes the wall of training a large "
           "transformer.</p>"
           "<p>Free software under the GNU General Public License, version 3 or later.</p>")
            .arg(QStringLiteral(SHARDSCOPE_VERSION)),
        QMessageBox::Close, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace shardscope
