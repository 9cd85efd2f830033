#include "wave.hpp"

#include <cmath>
#include <utility>

namespace iso3dfd {
namespace {

std::vector<float> half_waves(int points, int count) {
    const double pi = std::acos(-1.0);
    std::vector<float> values(points);
    for (int i = 0; i < points; ++i) values[i] = static_cast<float>(std::sin(pi * count * (i + 1) / (points + 1)));
    return values;
}

// The box, grown over the halo where it lies at the edge of the grid.
Box with_halo(const Box& box, const Grid& grid) {
    return {box.x0 == 0 ? -kHalo : box.x0, box.x1 == grid.n1() ? box.x1 + kHalo : box.x1,
            box.y0 == 0 ? -kHalo : box.y0, box.y1 == grid.n2() ? box.y1 + kHalo : box.y1,
            box.z0 == 0 ? -kHalo : box.z0, box.z1 == grid.n3() ? box.z1 + kHalo : box.z1};
}

}  // namespace

InitialState::InitialState(const Grid& grid)
    : x_(half_waves(grid.n1(), 3)), y_(half_waves(grid.n2(), 2)), z_(half_waves(grid.n3(), 1)), velocity_(grid.n3()) {
    for (int z = 0; z < grid.n3(); ++z) velocity_[z] = static_cast<float>(squared_courant((z + 0.5) / grid.n3()));
}

void Wave::fill(const Box& box, const InitialState& state, Fields which) {
    const Box all = with_halo(box, grid_);
    for (int z = all.z0; z < all.z1; ++z) {
        for (int y = all.y0; y < all.y1; ++y) {
            const bool halo_row = z < 0 || z >= grid_.n3() || y < 0 || y >= grid_.n2();
            for (int x = all.x0; x < all.x1; ++x) {
                const std::size_t i = grid_.index(x, y, z);
                const bool halo = halo_row || x < 0 || x >= grid_.n1();
                const float value = halo ? 0.0f : state.field(x, y, z);
                if (which.now) now()[i] = value;
                if (which.other) other()[i] = value;
                if (which.velocity) velocity()[i] = halo ? 0.0f : state.velocity(z);
            }
        }
    }
}

void Wave::initialise_serially(Fields which) {
    fill({0, grid_.n1(), 0, grid_.n2(), 0, grid_.n3()}, InitialState(grid_), which);
}

void Wave::initialise_in_parallel(const Blocks& blocks, int threads, Fields which) {
    const InitialState state(grid_);
    for_each_block(blocks, Schedule::fixed, threads, [&](const Box& box) { fill(box, state, which); });
}

void Wave::step(const Blocks& blocks, Schedule schedule, int threads, Kernel kernel,
                const std::array<float, kHalo + 1>& weights) {
    const std::size_t origin = grid_.index(0, 0, 0);
    const Sweep sweep{other() + origin, now() + origin, velocity() + origin, grid_.row(), grid_.plane(), weights.data()};
    for_each_block(blocks, schedule, threads, [&](const Box& box) { kernel(sweep, box); });
    std::swap(now_, other_);
}

}  // namespace iso3dfd
