// Pins the threads of an arena of oneTBB while they are in it.
#pragma once

#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <atomic>
#include <vector>

namespace pi {

// A thread that enters the arena is pinned to one CPU of those that the thread which made the observer may use; when it leaves, it
// may run where it could before. The thread in slot k of the arena gets CPU k of the order, round robin, so that no two threads
// share a CPU while there are enough, however often threads leave and come back.
//
// A new thread inherits the CPUs of the one that starts it: let all threads of the arena work once before `observe(true)`, or what
// they are given back is the one CPU of another thread.
class PinningObserver : public tbb::task_scheduler_observer {
public:
    // `slots` is the concurrency of the arena. Throws std::system_error.
    PinningObserver(tbb::task_arena& arena, int slots, int step);
    ~PinningObserver() override;

    void on_scheduler_entry(bool is_worker) override;
    void on_scheduler_exit(bool is_worker) override;

    // CPUs in the order in which threads take them.
    const std::vector<int>& order() const { return order_; }
    // Threads that are pinned now.
    int pinned() const { return pinned_; }
    // How often the kernel refused.
    int refused() const { return refused_; }

private:
    std::vector<int> order_;
    std::vector<std::vector<int>> before_;  // by slot: where its thread could run before; empty: not pinned
    std::atomic<int> pinned_{0};
    std::atomic<int> refused_{0};
};

}  // namespace pi
