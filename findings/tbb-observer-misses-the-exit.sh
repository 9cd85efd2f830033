#!/usr/bin/env bash
# An observer of oneTBB that is switched off is told of no exits any more: a thread that it has bound stays bound.
#
# Software: oneTBB 2023.2.0 (tbb and tbb-devel from the Python package index).
#
# One would expect: each call of on_scheduler_entry has its on_scheduler_exit, so that what is done to a thread in the
# one (its CPUs, its memory policy) can be undone in the other. An observer that is switched off is told of no new
# entries.
#
# What happens, where it is switched off while two threads are in the arena:
#   entries 2, exits 0; the main thread, which the observer bound at its entry, still has 1 CPU after the arena
#   left on: entries 2, exits 2; the main thread has its CPUs back
#
# Why it matters: such an observer is the usual way to bind threads of oneTBB. A program that lets the observer go
# before the last thread has left (an exception, an order of destructors) works on with a main thread on one CPU, and
# with workers that go bound into the next arena.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

wheel tbb==2023.2.0 tbb-devel==2023.2.0
need g++
two_cpus
cat > observer.cpp << 'END'
#include <atomic>
#include <chrono>
#include <cstdio>
#include <sched.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#include <thread>

static std::atomic<int> entries{0}, exits{0};
static thread_local cpu_set_t before;

struct Binder : tbb::task_scheduler_observer {
    explicit Binder(tbb::task_arena &arena) : tbb::task_scheduler_observer(arena) { observe(true); }
    void on_scheduler_entry(bool) override
    {
        sched_getaffinity(0, sizeof before, &before);
        for (int cpu = 0, found = 0; cpu < CPU_SETSIZE && !found; cpu++)
            if (CPU_ISSET(cpu, &before)) {
                cpu_set_t first;
                CPU_ZERO(&first);
                CPU_SET(cpu, &first);
                sched_setaffinity(0, sizeof first, &first);
                found = 1;
            }
        ++entries;
    }
    void on_scheduler_exit(bool) override
    {
        sched_setaffinity(0, sizeof before, &before);
        ++exits;
    }
};

int main(int count, char **)
{
    using namespace std::chrono_literals;
    const bool early = count > 1;
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
    tbb::task_arena arena(2);
    std::atomic<int> inside{0};
    std::atomic<bool> may_go{false};
    Binder binder(arena);
    const auto main_thread = std::this_thread::get_id();
    arena.execute([&] {
        tbb::parallel_for(0, 2, [&](int) {
            ++inside;
            while (inside < 2)
                std::this_thread::yield();
            if (std::this_thread::get_id() == main_thread) {
                if (early)
                    binder.observe(false);
                may_go = true;
            }
            while (!may_go)
                std::this_thread::yield();
        }, tbb::simple_partitioner());
    });
    for (int k = 0; k < (early ? 100 : 1000) && exits < 2; k++) // a worker leaves some time later
        std::this_thread::sleep_for(10ms);
    cpu_set_t now;
    sched_getaffinity(0, sizeof now, &now);
    std::printf("entries %d, exits %d, CPUs of the main thread %d\n", entries.load(), exits.load(), CPU_COUNT(&now));
}
END
g++ -std=c++17 observer.cpp -o observer -I "$work/tbb-devel/include" "$work/tbb/lib/libtbb.so.12" \
    "-Wl,-rpath,$work/tbb/lib" -pthread

note "an observer that binds threads of an arena, on two CPUs"
same "left on" "entries 2, exits 2, CPUs of the main thread 2" "$(on_both ./observer)"
same "switched off inside" "entries 2, exits 0, CPUs of the main thread 1" "$(on_both ./observer early)"
finish
