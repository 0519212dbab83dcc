#include "app/command_line/prediction.h"

#include "explain/output.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {

QString predicted(const Scenario& changed, const Answer& now) {
    const Answer then = answer(changed);
    if (!then.valid()) return text_of(then.problems.front().what);
    if (!then.fits()) return QObject::tr("does not fit");
    const QString mfu = shown(then.estimate.mfu, Quantity::percent);
    return now.fits() ? QObject::tr("MFU %1 → %2").arg(shown(now.estimate.mfu, Quantity::percent), mfu)
                      : QObject::tr("fits, MFU %1").arg(mfu);
}

}  // namespace shardscope
