// One step from a single non-zero point must reproduce every weight at its place and zero everywhere else. This is the
// sharpest test of a kernel there is: each weight is seen by itself, so even the smallest, 2.4e-6, cannot hide.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests.hpp"
#include "grid.hpp"
#include "isa.hpp"
#include "weights.hpp"

namespace iso3dfd::test {
namespace {

constexpr float kVelocity = 0.75f;

// The largest error relative to the value expected (or absolute, where zero is); `kernel_weights` go to the kernel.
double worst_error(const Isa& isa, const Grid& grid, const int at[3], const std::array<float, kHalo + 1>& kernel_weights) {
    std::vector<float> now(grid.floats(), 0.0f), next(grid.floats(), 0.0f), velocity(grid.floats(), kVelocity);
    now[grid.index(at[0], at[1], at[2])] = 1.0f;
    const std::size_t origin = grid.index(0, 0, 0);
    const Sweep sweep{next.data() + origin, now.data() + origin, velocity.data() + origin, grid.row(), grid.plane(),
                      kernel_weights.data()};
    isa.kernel(sweep, {0, grid.n1(), 0, grid.n2(), 0, grid.n3()});
    const auto w = second_derivative_weights();
    double worst = 0.0;
    for (int z = -kHalo; z < grid.n3() + kHalo; ++z) {
        for (int y = -kHalo; y < grid.n2() + kHalo; ++y) {
            for (int x = -kHalo; x < grid.n1() + kHalo; ++x) {
                const int d[3] = {std::abs(x - at[0]), std::abs(y - at[1]), std::abs(z - at[2])};
                const int distance = d[0] + d[1] + d[2];
                const bool inside = x >= 0 && x < grid.n1() && y >= 0 && y < grid.n2() && z >= 0 && z < grid.n3();
                const bool on_axis = distance == std::max({d[0], d[1], d[2]}) && distance <= kHalo;
                double expected = 0.0;
                if (inside && on_axis) expected = distance == 0 ? 2.0 + kVelocity * 3.0 * w[0] : kVelocity * w[distance];
                const double error = std::fabs(next[grid.index(x, y, z)] - expected);
                worst = std::max(worst, expected == 0.0 ? error : error / std::fabs(expected));
            }
        }
    }
    return worst;
}

}  // namespace

void impulse_tests() {
    const Grid grid(45, 27, 21);  // a full vector and an odd rest, two tiles in y, two groups of planes and a rest
    const int places[][3] = {{20, 13, 10}, {0, 0, 0}, {44, 26, 20}, {15, 16, 8}, {16, 15, 7}, {33, 2, 19}};
    const auto good = rounded(second_derivative_weights());
    // Rounding of the weight, of the product, and at the centre of three times the weight, and cancellation against 2:
    // a handful of 2^-24.
    const double allowed = 16.0 * std::ldexp(1.0, -24);
    for (const Isa& isa : available_isas()) {
        for (const auto& at : places) {
            const double error = worst_error(isa, grid, at, good);
            CHECK(error <= allowed, "%s at %d %d %d: %g, allowed %g", isa.name.data(), at[0], at[1], at[2], error, allowed);
        }
        for (int k = 0; k <= kHalo; ++k) {
            auto wrong = good;
            wrong[k] *= 1.00001f;
            const double error = worst_error(isa, grid, places[0], wrong);
            CHECK(error > allowed, "%s: weight %d wrong by 1e-5 went unnoticed", isa.name.data(), k);
        }
    }
}

}  // namespace iso3dfd::test
