// The wave field: its memory, its initial state, its steps in time.
#pragma once

#include <array>
#include <vector>

#include "blocks.hpp"
#include "grid.hpp"
#include "kernel.hpp"

namespace iso3dfd {

// The medium: sound speed grows linearly with depth, as in a sediment. With these the scheme is stable: the largest
// (c dt / h)^2 is 0.09, and test/weights.cpp checks it against the stability limit.
constexpr double kSpeedTop = 1500.0;     // m/s, water
constexpr double kSpeedBottom = 4500.0;  // m/s, limestone
constexpr double kTimeStep = 0.001;      // s
constexpr double kSpacing = 15.0;        // m

// (c dt / h)^2 at a fraction of the depth between 0 and 1.
constexpr double squared_courant(double depth) {
    const double courant = (kSpeedTop + (kSpeedBottom - kSpeedTop) * depth) * kTimeStep / kSpacing;
    return courant * courant;
}

// The state at time zero: a standing wave at rest, non-zero nearly everywhere, so that no time goes to denormals.
class InitialState {
public:
    explicit InitialState(const Grid& grid);
    float field(int x, int y, int z) const { return x_[x] * y_[y] * z_[z]; }
    float velocity(int z) const { return velocity_[z]; }

private:
    std::vector<float> x_, y_, z_, velocity_;
};

// Some of the three fields.
struct Fields {
    bool now = false, other = false, velocity = false;

    static constexpr Fields all() { return {true, true, true}; }
    bool any() const { return now || other || velocity; }
    bool are_all() const { return now && other && velocity; }
    Fields rest() const { return {!now, !other, !velocity}; }
};

class Wave {
public:
    // Maps the memory and touches none of it. A line for each field, so that a tool that names the lines tells them apart.
    Wave(const Grid& grid, Pages pages)
        : grid_(grid),
          now_(grid.floats(), pages),
          other_(grid.floats(), pages),
          velocity_(grid.floats(), pages) {}

    // Everything from the calling thread: all pages come to lie where it runs.
    void initialise_serially(Fields which = Fields::all());
    // Every block by the thread that will compute it, when it is stepped with the static schedule.
    void initialise_in_parallel(const Blocks& blocks, int threads, Fields which = Fields::all());

    void step(const Blocks& blocks, Schedule schedule, int threads, Kernel kernel,
              const std::array<float, kHalo + 1>& weights);

    const Grid& grid() const { return grid_; }
    // The field now; before a step, `other` is the field one step ago.
    float* now() { return now_.data(); }
    float* other() { return other_.data(); }
    float* velocity() { return velocity_.data(); }

private:
    void fill(const Box& box, const InitialState& state, Fields which);

    Grid grid_;
    Field now_, other_, velocity_;
};

}  // namespace iso3dfd
