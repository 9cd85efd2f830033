// How the grid is cut into blocks and how the blocks go to threads. Initialisation and time-stepping share the one loop
// below: with the static schedule, thread t gets the same blocks in both, and that is the whole secret of first touch.
#pragma once

#include <omp.h>

#include <algorithm>

#include "grid.hpp"
#include "kernel.hpp"

namespace iso3dfd {

enum class Schedule { fixed, dynamic };

class Blocks {
public:
    Blocks(const Grid& grid, int n1_block, int n2_block, int n3_block)
        : n_{grid.n1(), grid.n2(), grid.n3()}, size_{n1_block, n2_block, n3_block} {
        for (int axis = 0; axis < 3; ++axis) {
            size_[axis] = std::min(size_[axis], n_[axis]);
            count_[axis] = (n_[axis] + size_[axis] - 1) / size_[axis];
        }
    }

    long count() const { return static_cast<long>(count_[0]) * count_[1] * count_[2]; }
    int size(int axis) const { return size_[axis]; }

    // Blocks are numbered like points: x fastest.
    Box operator[](long i) const {
        const int x = static_cast<int>(i % count_[0]) * size_[0];
        const int y = static_cast<int>(i / count_[0] % count_[1]) * size_[1];
        const int z = static_cast<int>(i / count_[0] / count_[1]) * size_[2];
        return {x, std::min(x + size_[0], n_[0]), y, std::min(y + size_[1], n_[1]), z, std::min(z + size_[2], n_[2])};
    }

private:
    int n_[3], size_[3], count_[3];
};

// Calls `work(box)` for every block. The static schedule gives each thread one run of consecutive blocks.
template <class Work>
void for_each_block(const Blocks& blocks, Schedule schedule, int threads, Work&& work) {
    const long count = blocks.count();
    if (schedule == Schedule::fixed) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (long i = 0; i < count; ++i) work(blocks[i]);
    } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (long i = 0; i < count; ++i) work(blocks[i]);
    }
}

}  // namespace iso3dfd
