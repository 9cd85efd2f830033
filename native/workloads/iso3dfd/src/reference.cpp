#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace iso3dfd {

Reference::Reference(const Grid& grid, const float* now, const float* before, const float* velocity)
    : grid_(grid),
      now_(now, now + grid.floats()),
      other_(before, before + grid.floats()),
      velocity_(velocity, velocity + grid.floats()) {
    for (double value : now_) largest_ = std::max(largest_, std::fabs(value));
    for (double value : other_) largest_ = std::max(largest_, std::fabs(value));
}

void Reference::step(const std::array<double, kHalo + 1>& weights, int threads) {
    double largest = largest_;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : largest)
    for (int z = 0; z < grid_.n3(); ++z) {
        for (int y = 0; y < grid_.n2(); ++y) {
            for (int x = 0; x < grid_.n1(); ++x) {
                const std::size_t i = grid_.index(x, y, z);
                double laplacian = 3.0 * weights[0] * now_[i];
                for (int k = 1; k <= kHalo; ++k) {
                    laplacian += weights[k] * (now_[i - k] + now_[i + k] + now_[i - k * grid_.row()] +
                                               now_[i + k * grid_.row()] + now_[i - k * grid_.plane()] +
                                               now_[i + k * grid_.plane()]);
                }
                other_[i] = 2.0 * now_[i] - other_[i] + velocity_[i] * laplacian;
                largest = std::max(largest, std::fabs(other_[i]));
            }
        }
    }
    largest_ = largest;
    std::swap(now_, other_);
}

double allowed_error(int steps, double largest, double fastest, const std::array<double, kHalo + 1>& weights) {
    const double unit_roundoff = std::ldexp(1.0, -24);
    double magnitude = std::fabs(weights[0]);
    for (int k = 1; k <= kHalo; ++k) magnitude += 2.0 * std::fabs(weights[k]);
    const double one_step = unit_roundoff * largest * (4.0 + 20.0 * 3.0 * magnitude * fastest);
    return one_step * steps * (steps + 1.0) / 2.0;
}

Comparison compare(const Grid& grid, const float* field, const Reference& reference, double allowed) {
    double largest_error = 0.0;
    for (int z = -kHalo; z < grid.n3() + kHalo; ++z) {
        for (int y = -kHalo; y < grid.n2() + kHalo; ++y) {
            for (int x = -kHalo; x < grid.n1() + kHalo; ++x) {
                const std::size_t i = grid.index(x, y, z);
                const double error = std::fabs(field[i] - reference.now()[i]);
                if (std::isnan(error)) return {std::numeric_limits<double>::infinity(), allowed};
                largest_error = std::max(largest_error, error);
            }
        }
    }
    return {largest_error, allowed};
}

}  // namespace iso3dfd
