// The median of measurements and how sure it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace iso3dfd::bench {

struct Interval {
    double median, low, high;
};

// The median and the 95 % interval for it from order statistics (sign test): the r-th smallest and the r-th largest
// value, with the largest r for which P(Binomial(n, 1/2) < r) is at most 2.5 %. With fewer than 6 values, the range.
inline Interval median_interval(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    double probability = std::ldexp(1.0, -static_cast<int>(n)), cumulated = probability;
    std::size_t r = 0;
    while (cumulated <= 0.025) {
        ++r;
        probability *= static_cast<double>(n - r + 1) / r;
        cumulated += probability;
    }
    const std::size_t rank = r == 0 ? 0 : r - 1;
    return {(values[(n - 1) / 2] + values[n / 2]) / 2.0, values[rank], values[n - 1 - rank]};
}

}  // namespace iso3dfd::bench
