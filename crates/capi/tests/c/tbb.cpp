// Threads of oneTBB, as one of a user's programs has them. Prints what is wrong; its status is how much.
#include "check.hpp"

#include <numawise/tbb.hpp>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <execution>
#include <set>

namespace {

// Until all threads were there: much longer than that takes anywhere.
constexpr std::chrono::minutes patience(2);

cpu_set_t own_mask() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    return mask;
}

void work() {
    tbb::parallel_for(0, 1000, [](int) {
        volatile double x = 1;
        for (int k = 0; k < 2000; ++k) x = x * 1.0000001;
    });
}

// Neither the calling thread nor those of the arena.
void nobody_is_bound(tbb::task_arena &arena, const cpu_set_t &whole) {
    const cpu_set_t after = own_mask();
    CHECK_OF(CPU_EQUAL(&after, &whole), CPU_COUNT(&after));
    arena.execute([&] {
        tbb::parallel_for(0, 1000, [&](int) {
            const cpu_set_t mask = own_mask();
            CHECK_OF(CPU_EQUAL(&mask, &whole), CPU_COUNT(&mask));
        });
    });
}

void threads_are_where_their_slots_are_planned() {
    const cpu_set_t whole = own_mask();
    const int count = CPU_COUNT(&whole);
    std::mutex mutex;
    std::set<std::pair<int, int>> seen;
    std::set<int> logged;
    // Twice as many slots and threads as CPUs: these begin again.
    tbb::global_control more(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(2 * count));
    tbb::task_arena arena(2 * count);
    {
        const auto log = [&](const numawise::tbb::binding &of) {
            std::lock_guard<std::mutex> locked(mutex);
            logged.insert(of.slot);
            CHECK_OF(of.status == NUMAWISE_OK && of.text.empty(), of.status);
        };
        numawise::tbb::pinning_observer pin{arena, {}, log};
        numawise::tbb::concurrency_tracker tracker{arena};
        const bool all = tracker.wait(2 * count, [&] { arena.execute(work); }, patience);
        CHECK_OF(all, tracker.most());
        arena.execute([&] {
            tbb::parallel_for(0, 4000, [&](int) {
                const cpu_set_t mask = own_mask();
                int cpu = 0;
                while (!CPU_ISSET(cpu, &mask)) ++cpu;
                CHECK_OF(CPU_COUNT(&mask) == 1, CPU_COUNT(&mask));
                std::lock_guard<std::mutex> locked(mutex);
                seen.insert({tbb::this_task_arena::current_thread_index(), cpu});
            });
        });
        CHECK_OF(pin.refused() == 0 && pin.bound() > 0, pin.refused());
    }
    // A slot has one CPU, and slot k has that of slot k + count.
    for (const auto &one : seen)
        for (const auto &other : seen)
            CHECK_OF((one.first - other.first) % count != 0 || one.second == other.second, one.first);
    CHECK_OF(!logged.empty(), logged.size());
    nobody_is_bound(arena, whole);
}

void arenas_in_one_another_give_masks_back_in_turn() {
    const cpu_set_t whole = own_mask();
    tbb::task_arena outer(1), inner(1);
    numawise::tbb::pinning_observer of_outer{outer};
    numawise::pinning asked;
    const unsigned first = numawise::own_cpus().front();
    asked.cpus = std::to_string(first);
    numawise::tbb::pinning_observer of_inner{inner, asked};
    outer.execute([&] {
        const cpu_set_t before = own_mask();
        CHECK_OF(CPU_COUNT(&before) == 1, CPU_COUNT(&before));
        inner.execute([&] {
            const cpu_set_t mask = own_mask();
            CHECK_OF(CPU_COUNT(&mask) == 1 && CPU_ISSET(first, &mask), CPU_COUNT(&mask));
        });
        const cpu_set_t after = own_mask();
        CHECK_OF(CPU_EQUAL(&before, &after), CPU_COUNT(&after));
    });
    const cpu_set_t after = own_mask();
    CHECK_OF(CPU_EQUAL(&after, &whole), CPU_COUNT(&after));
}

void threads_that_stay_bound_are_free_once_the_observer_is_gone() {
    const cpu_set_t whole = own_mask();
    const int count = CPU_COUNT(&whole);
    tbb::task_arena arena(count), inner(1), other(1);
    {
        numawise::tbb::pinning_observer pin{arena, {}, numawise::tbb::leaving::stays_bound};
        numawise::tbb::concurrency_tracker tracker{arena};
        CHECK_OF(tracker.wait(count, [&] { arena.execute(work); }, patience), tracker.most());
        const unsigned long bound = pin.bound();
        const cpu_set_t between = own_mask();
        CHECK_OF(CPU_COUNT(&between) == 1, CPU_COUNT(&between));
        for (int k = 0; k < 1000; ++k) arena.execute([] {});
        // A thread that was on its way in may have come meanwhile.
        CHECK_OF(pin.bound() < bound + 500 && pin.refused() == 0, pin.bound() - bound);
        // An arena within it gives back what it found.
        numawise::pinning asked;
        asked.cpus = std::to_string(numawise::own_cpus().front());
        numawise::tbb::pinning_observer of_inner{inner, asked};
        arena.execute([&] {
            const cpu_set_t before = own_mask();
            inner.execute([] {});
            const cpu_set_t after = own_mask();
            CHECK_OF(CPU_EQUAL(&before, &after), CPU_COUNT(&after));
        });
        // The slot of another arena is another place, also where both stay.
        numawise::tbb::pinning_observer of_other{other, asked, numawise::tbb::leaving::stays_bound};
        other.execute([&] { CHECK_OF(numawise::own_cpus().size() == 1, numawise::own_cpus().size()); });
        const unsigned long again = pin.bound();
        arena.execute([&] { CHECK_OF(numawise::own_cpus().size() == 1, numawise::own_cpus().size()); });
        CHECK_OF(pin.bound() > again, pin.bound() - again);
    }
    nobody_is_bound(arena, whole);
}

void each_node_has_an_arena() {
    auto arenas = numawise::tbb::node_arenas();
    CHECK_OF(!arenas.empty(), arenas.size());
    const auto known = tbb::info::numa_nodes();
    // It knows none without its binding library.
    CHECK_OF(known.size() == arenas.size() || (known.size() == 1 && known[0] == -1), known.size());
    for (auto &of : arenas) {
        of->arena().execute([&] {
            tbb::parallel_for(0, 2000, [&](int) {
                unsigned node = 77;
                const cpu_set_t mask = own_mask();
                unsigned cpu = 0;
                while (!CPU_ISSET(cpu, &mask)) ++cpu;
                CHECK_OF(numawise_node_of_cpu(numawise::detail::machine(), cpu, &node) == NUMAWISE_OK && node == of->node(), node);
            });
        });
        CHECK_OF(of->observer().refused() == 0, of->observer().refused());
    }
}

// What libstdc++'s parallel algorithms run on.
void parallel_algorithms_of_the_standard_library_are_bound() {
    const cpu_set_t whole = own_mask();
    std::vector<int> turns(2000, 0);
    {
        numawise::tbb::pinning_observer pin;
        std::for_each(std::execution::par, turns.begin(), turns.end(), [](int &turn) {
            volatile double x = 1;
            for (int k = 0; k < 2000; ++k) x = x * 1.0000001;
            const cpu_set_t mask = own_mask();
            turn = CPU_COUNT(&mask);
        });
        CHECK_OF(pin.bound() > 0 && pin.refused() == 0, pin.bound());
    }
    for (const int turn : turns) CHECK_OF(turn == 1, turn);
    const cpu_set_t after = own_mask();
    CHECK_OF(CPU_EQUAL(&after, &whole), CPU_COUNT(&after));
}

void what_makes_no_sense_is_said() {
    numawise::pinning asked;
    asked.cpus = "5000";
    try {
        tbb::task_arena arena(1);
        numawise::tbb::pinning_observer pin{arena, asked};
        CHECK_OF(!"such a CPU", 0);
    } catch (const numawise::error &failed) {
        CHECK_OF(failed.status() == NUMAWISE_NOT_THERE, failed.status());
    }
    tbb::task_arena arena(1);
    numawise::tbb::concurrency_tracker tracker{arena};
    CHECK_OF(!tracker.wait(1000, [] {}, std::chrono::milliseconds(20)), tracker.most());
}

}  // namespace

int main() {
    threads_are_where_their_slots_are_planned();
    arenas_in_one_another_give_masks_back_in_turn();
    threads_that_stay_bound_are_free_once_the_observer_is_gone();
    each_node_has_an_arena();
    parallel_algorithms_of_the_standard_library_are_bound();
    what_makes_no_sense_is_said();
    return wrong;
}
