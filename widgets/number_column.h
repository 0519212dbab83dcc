// The numbers of one column of a table, which have one unit and the same number of decimals.
#pragma once

#include <QString>
#include <span>
#include <vector>

#include "text/units.h"

namespace shardscope {

struct NumberColumn {
    QString unit;                  // of all numbers; empty for bare ones
    std::vector<QString> numbers;  // "–" where there is no value
};

// Times are in ms. The smallest number decides how many decimals there are.
NumberColumn number_column(std::span<const double> values, Quantity quantity);

}  // namespace shardscope
