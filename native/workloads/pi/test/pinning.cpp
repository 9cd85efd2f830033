// In the arena each thread has one CPU, by its slot; out of it each has what it had before.
#include "pinning.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <set>
#include <thread>

#include "affinity.hpp"
#include "tests.hpp"
#include "concurrency.hpp"

namespace pi::test {
namespace {

using List = std::vector<int>;
constexpr std::chrono::seconds kPatience(60);
constexpr int kThreads = 3;

// What each slot's thread finds, all at the same time.
std::vector<List> masks_in(tbb::task_arena& arena) {
    std::vector<List> masks(kThreads);
    arena.execute([&] {
        CHECK(gather_threads(kThreads, kPatience) == kThreads, "threads are missing");
        std::atomic<int> there{0};
        const auto end = std::chrono::steady_clock::now() + kPatience;
        tbb::parallel_for(
            tbb::blocked_range<int>(0, kThreads, 1),
            [&](const tbb::blocked_range<int>&) {
                masks[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())] = own_cpus();
                ++there;
                while (there < kThreads && std::chrono::steady_clock::now() < end) std::this_thread::yield();
            },
            tbb::simple_partitioner());
    });
    return masks;
}

// One CPU each, round robin over those of this thread; then what it was before.
void threads_are_pinned_by_their_slot(const List& cpus, int step) {
    tbb::task_arena arena(kThreads);
    // Starts the threads, before any is pinned.
    const std::vector<List> before = masks_in(arena);
    {
        PinningObserver pinning(arena, kThreads, step);
        CHECK(pinning.order() == by_step(cpus, step), "order");
        pinning.observe(true);
        for (int round = 0; round < 20; ++round) {
            const std::vector<List> masks = masks_in(arena);
            for (std::size_t slot = 0; slot < kThreads; ++slot) {
                const int expected = pinning.order()[slot % cpus.size()];
                CHECK(masks[slot] == List{expected}, "slot %zu: %zu CPUs, the first %d, expected %d", slot, masks[slot].size(),
                      masks[slot].empty() ? -1 : masks[slot][0], expected);
            }
            CHECK(own_cpus() == cpus, "the thread that left the arena may run anywhere again");
        }
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (pinning.pinned() > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        CHECK(pinning.pinned() == 0 && pinning.refused() == 0, "%d are pinned, %d refused", pinning.pinned(), pinning.refused());
    }
    const std::vector<List> after = masks_in(arena);
    const std::multiset<List> had(before.begin(), before.end()), have(after.begin(), after.end());
    CHECK(had == have, "workers got back the CPUs they had");
}

void missing_threads_are_counted() {
    tbb::task_arena arena(2);
    int came = 0;
    // On a busy machine the second takes a while; a third never comes.
    for (std::chrono::milliseconds patience(50); came < 2 && patience < kPatience; patience *= 2)
        came = arena.execute([patience] { return gather_threads(3, patience); });
    CHECK(came == 2, "%d threads of an arena of two", came);
}

}  // namespace

void pinning_tests() {
    const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, kThreads);
    const List cpus = own_cpus();
    threads_are_pinned_by_their_slot(cpus, 1);
    threads_are_pinned_by_their_slot(cpus, 2);
    // A narrower mask is respected.
    CHECK(set_own_cpus({cpus.back()}), "mask");
    threads_are_pinned_by_their_slot({cpus.back()}, 1);
    CHECK(set_own_cpus(cpus), "mask");
    missing_threads_are_counted();
}

}  // namespace pi::test
