#include "app/command_line/prediction.h"

#include "explain/output.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {

QString predicted(const Scenario& changed, const Answer& now) {
    const Answer then = answer(changed);
    if (!then.valid()) return text_of(then.problems.front().what);
    const QString mfu = shown(then.estimate.mfu, Quantity::percent);
    QString out = QObject::tr("does not fit");
    if (then.fits()) {
        out = now.fits() ? QObject::tr("MFU %1 → %2").arg(shown(now.estimate.mfu, Quantity::percent), mfu)
                         : QObject::tr("fits, MFU %1").arg(mfu);
    }
    return now.scenario.automatic.any() ? QObject::tr("%1 with the present plan").arg(out) : out;
}

}  // namespace shardscope
