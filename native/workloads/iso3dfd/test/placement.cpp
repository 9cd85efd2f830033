// First touch: memory is untouched until it is initialised; every thread computes the blocks that it initialised; both
// ways of initialising leave the same values.
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "tests.hpp"
#include "wave.hpp"

namespace iso3dfd::test {
namespace {

std::size_t resident_pages(const float* data, std::size_t floats) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> in_core((floats * sizeof(float) + page - 1) / page);
    CHECK(mincore(const_cast<float*>(data), floats * sizeof(float), in_core.data()) == 0, "mincore");
    std::size_t count = 0;
    for (unsigned char flags : in_core) count += flags & 1;
    return count;
}

void memory_is_untouched_until_written() {
    const Grid grid(100, 100, 100);
    Field field(grid.floats(), Pages::small);
    CHECK(resident_pages(field.data(), grid.floats()) == 0, "%zu pages", resident_pages(field.data(), grid.floats()));
    field.data()[grid.index(50, 50, 50)] = 1.0f;
    CHECK(resident_pages(field.data(), grid.floats()) == 1, "%zu pages", resident_pages(field.data(), grid.floats()));
}

// A box writes its own pages: with the halo, all of the field, and no box writes another's points.
void every_point_is_initialised_once() {
    const Grid grid(33, 21, 19);
    Wave serial(grid, Pages::small), parallel(grid, Pages::small);
    serial.initialise_serially();
    parallel.initialise_in_parallel(Blocks(grid, 10, 4, 3), 3);
    const std::size_t bytes = grid.floats() * sizeof(float);
    CHECK(std::memcmp(serial.now(), parallel.now(), bytes) == 0, "now differs");
    CHECK(std::memcmp(serial.other(), parallel.other(), bytes) == 0, "other differs");
    CHECK(std::memcmp(serial.velocity(), parallel.velocity(), bytes) == 0, "velocity differs");
}

// Some fields in parallel leave the others untouched, and the rest serially makes it whole.
void fields_are_initialised_one_by_one() {
    const Grid grid(33, 21, 19);
    Wave whole(grid, Pages::small), parts(grid, Pages::small);
    whole.initialise_serially();
    Fields other;
    other.other = true;
    parts.initialise_in_parallel(Blocks(grid, 10, 4, 3), 3, other);
    CHECK(resident_pages(parts.now(), grid.floats()) == 0 && resident_pages(parts.velocity(), grid.floats()) == 0, "touched");
    CHECK(resident_pages(parts.other(), grid.floats()) > 0, "untouched");
    parts.initialise_serially(other.rest());
    const std::size_t bytes = grid.floats() * sizeof(float);
    CHECK(std::memcmp(whole.now(), parts.now(), bytes) == 0, "now differs");
    CHECK(std::memcmp(whole.other(), parts.other(), bytes) == 0, "other differs");
    CHECK(std::memcmp(whole.velocity(), parts.velocity(), bytes) == 0, "velocity differs");
}

std::vector<int> owners(const Blocks& blocks, const Grid& grid, Schedule schedule, int threads) {
    std::vector<int> owner(grid.floats(), -1);
    for_each_block(blocks, schedule, threads, [&](const Box& box) {
        for (int z = box.z0; z < box.z1; ++z) {
            for (int y = box.y0; y < box.y1; ++y) {
                for (int x = box.x0; x < box.x1; ++x) {
                    int& mine = owner[grid.index(x, y, z)];
                    mine = mine == -1 ? omp_get_thread_num() : -2;  // -2: twice
                }
            }
        }
    });
    return owner;
}

// `initialise_in_parallel` and `step` hand out blocks by the same `for_each_block`; this shows that it hands them out
// alike every time, to all threads, each point once.
void threads_compute_what_they_initialised() {
    const Grid grid(40, 30, 20);
    const Blocks blocks(grid, 16, 7, 6);
    for (int threads : {1, 2, 3, 4, 7}) {
        const std::vector<int> first = owners(blocks, grid, Schedule::fixed, threads);
        CHECK(first == owners(blocks, grid, Schedule::fixed, threads), "owners change with %d threads", threads);
        std::vector<int> points(threads, 0);
        bool once = true;
        for (int z = 0; z < grid.n3(); ++z) {
            for (int y = 0; y < grid.n2(); ++y) {
                for (int x = 0; x < grid.n1(); ++x) {
                    const int owner = first[grid.index(x, y, z)];
                    if (owner < 0) {
                        once = false;
                    } else {
                        ++points[owner];
                    }
                }
            }
        }
        CHECK(once, "a point was missed or done twice with %d threads", threads);
        for (int t = 0; t < threads; ++t) CHECK(points[t] > 0, "thread %d of %d has nothing", t, threads);
    }
    const std::vector<int> dynamic = owners(blocks, grid, Schedule::dynamic, 3);
    CHECK(dynamic[grid.index(39, 29, 19)] >= 0 && dynamic[grid.index(0, 0, 0)] >= 0, "dynamic misses points");
}

}  // namespace

void placement_tests() {
    memory_is_untouched_until_written();
    every_point_is_initialised_once();
    fields_are_initialised_one_by_one();
    threads_compute_what_they_initialised();
}

}  // namespace iso3dfd::test
