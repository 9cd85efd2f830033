// Threads of oneTBB on CPUs: an observer that pins the threads of an arena, arenas of NUMA nodes, and one that knows when all threads are there. C++17,
// oneTBB 2021 or later.
//
//     #include <numawise/tbb.hpp>                           c++ -std=c++17 ... -lnumawise -ltbb
//
//     tbb::task_arena arena(8);
//     numawise::tbb::pinning_observer pin{arena, {.step = 4, .skip_os_core = true}};     // or {.place = numawise::strategy::distributed}
//     numawise::tbb::concurrency_tracker tracker{arena};
//     tracker.wait(8, [&] { arena.execute(warm); });
//
// Plans are those of `numawise run`, for the CPUs that the process may use. A thread has the CPUs of its slot in the arena; where an arena has more
// slots than there are CPUs, they begin again. When a thread leaves the arena, or the
// observer goes, it gets the mask back that it came with. What the kernel refuses is counted
// and ends nothing.
#ifndef NUMAWISE_TBB_HPP
#define NUMAWISE_TBB_HPP

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "memory.hpp"
#include "numawise.h"

namespace numawise {

// How CPUs are shared out: node after node, over all nodes, or each task in one node.
enum class strategy { local, distributed, semi };

namespace tbb {

// A thread that was bound, or was not.
struct binding {
    int slot;
    int status;
    // As numawise_error_text has it; empty where it was bound.
    std::string text;
};

// What of an arena's pinning is asked for; what is left out is as if it was not.
struct pinning {
    strategy place = strategy::local;
    // Every n-th CPU of the order, and at its end from the next one on.
    unsigned step = 0;
    // Leaves the core alone where the system's own work runs.
    bool skip_os_core = false;
    // As the command line takes them: spread, compact, scatter, balanced; hardware threads of each core; CPUs and nodes.
    std::string order = {}, smt = {}, cpus = {}, nodes = {}, skip = {};
    // Is called for each thread that comes, in that thread.
    std::function<void(const binding &)> log = {};
};

namespace detail {

using numawise::detail::check;
using numawise::detail::machine;

struct placement_free {
    void operator()(numawise_placement *placement) const noexcept { numawise_placement_free(placement); }
};
using placement = std::unique_ptr<numawise_placement, placement_free>;

inline const char *or_null(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }

inline placement plan(const pinning &asked) {
    static constexpr const char *strategies[] = {"local", "distributed", "semi"};
    numawise_request request;
    numawise_request_init(&request);
    request.strategy = strategies[static_cast<int>(asked.place)];
    if (!asked.order.empty() && asked.order != "spread" && asked.order != "compact") request.strategy = nullptr;
    request.step = asked.step;
    request.skip_os_core = asked.skip_os_core;
    request.order = or_null(asked.order);
    request.smt = or_null(asked.smt);
    request.cpus = or_null(asked.cpus);
    request.nodes = or_null(asked.nodes);
    request.skip = or_null(asked.skip);
    numawise_placement *planned = nullptr;
    check(numawise_plan(machine(), &request, &planned));
    return placement(planned);
}

// Mask and length as sched_setaffinity(2) has them; room for 8192 CPUs.
struct mask {
    unsigned char bytes[1024];
    std::size_t length = 0;
    bool is_there = false;
};

}  // namespace detail

// Pins the threads of an arena while it lives.
class pinning_observer : public ::tbb::task_scheduler_observer {
public:
    // Of this arena. Throws numawise::error where what is asked for makes no sense.
    explicit pinning_observer(::tbb::task_arena &arena, pinning asked = {})
        : ::tbb::task_scheduler_observer(arena), asked_(std::move(asked)), placement_(detail::plan(asked_)) {
        observe(true);
    }
    // Of the arena that the calling thread is in.
    explicit pinning_observer(pinning asked = {}) : asked_(std::move(asked)), placement_(detail::plan(asked_)) { observe(true); }
    pinning_observer(const pinning_observer &) = delete;
    pinning_observer &operator=(const pinning_observer &) = delete;
    ~pinning_observer() override {
        observe(false);
        // Those that are in the arena still do not come by any more.
        std::lock_guard<std::mutex> locked(mutex_);
        for (const auto &of : inside_)
            if (!of.second.empty()) put_back(of.first, of.second.front());
    }

    // Threads that were bound, and that the kernel would not bind, one count for each time that one came.
    unsigned long bound() const noexcept { return bound_.load(std::memory_order_relaxed); }
    unsigned long refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

    void on_scheduler_entry(bool) override {
        const int slot = ::tbb::this_task_arena::current_thread_index();
        if (slot < 0) return;
        detail::mask came;
        came.length = sizeof came.bytes;
        came.is_there = numawise_thread_cpus(0, came.bytes, &came.length) == NUMAWISE_OK;
        const int status = numawise_pin(placement_.get(), 0, static_cast<unsigned>(slot), 0);
        (status == NUMAWISE_OK ? bound_ : refused_).fetch_add(1, std::memory_order_relaxed);
        {
            std::lock_guard<std::mutex> locked(mutex_);
            inside_[tid()].push_back(came);
        }
        if (asked_.log) asked_.log({slot, status, status == NUMAWISE_OK ? "" : numawise_error_text()});
    }

    void on_scheduler_exit(bool) override {
        detail::mask came;
        {
            std::lock_guard<std::mutex> locked(mutex_);
            const auto found = inside_.find(tid());
            if (found == inside_.end() || found->second.empty()) return;
            came = found->second.back();
            found->second.pop_back();
        }
        put_back(0, came);
    }

private:
    static int tid() {
        static thread_local const int own = static_cast<int>(syscall(SYS_gettid));
        return own;
    }
    static void put_back(int thread, const detail::mask &came) {
        if (came.is_there) numawise_set_thread_cpus(thread, came.bytes, came.length);
    }

    pinning asked_;
    detail::placement placement_;
    std::atomic<unsigned long> bound_{0}, refused_{0};
    std::mutex mutex_;
    // The masks that threads in the arena came with, the last one for the last time that they came in.
    std::unordered_map<int, std::vector<detail::mask>> inside_;
};

// Counts the threads that are in an arena.
class concurrency_tracker : public ::tbb::task_scheduler_observer {
public:
    explicit concurrency_tracker(::tbb::task_arena &arena) : ::tbb::task_scheduler_observer(arena) { observe(true); }
    // Of the arena that the calling thread is in.
    concurrency_tracker() { observe(true); }
    concurrency_tracker(const concurrency_tracker &) = delete;
    concurrency_tracker &operator=(const concurrency_tracker &) = delete;
    ~concurrency_tracker() override { observe(false); }

    void on_scheduler_entry(bool) override {
        const int now = now_.fetch_add(1) + 1;
        int most = most_.load();
        while (most < now && !most_.compare_exchange_weak(most, now)) {
        }
    }
    void on_scheduler_exit(bool) override { now_.fetch_sub(1); }

    // Threads that are there now, and the most that were there at a time.
    int now() const noexcept { return now_.load(); }
    int most() const noexcept { return most_.load(); }

    // Does `work`, which is to give the arena something to do, again and again until so many threads were there at a time; false where they were not by
    // the end of `patience`.
    template <class Work>
    bool wait(int threads, Work work, std::chrono::milliseconds patience = std::chrono::seconds(5)) {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (most() < threads) {
            if (std::chrono::steady_clock::now() > end) return false;
            work();
        }
        return true;
    }

private:
    std::atomic<int> now_{0}, most_{0};
};

// An arena of a NUMA node, with its threads on the node's CPUs.
class node_arena {
public:
    node_arena(unsigned node, int threads, pinning asked) : node_(node), arena_(threads), observer_(arena_, of_node(node, std::move(asked))) {}

    unsigned node() const noexcept { return node_; }
    ::tbb::task_arena &arena() noexcept { return arena_; }
    const pinning_observer &observer() const noexcept { return observer_; }

private:
    static pinning of_node(unsigned node, pinning asked) {
        asked.nodes = std::to_string(node);
        return asked;
    }
    unsigned node_;
    ::tbb::task_arena arena_;
    pinning_observer observer_;
};

// One for each node with CPUs that the process may use, with as many threads as these are. What oneTBB knows of nodes is not needed: its own
// list has one entry, -1, where its binding library or hwloc is missing.
inline std::vector<std::unique_ptr<node_arena>> node_arenas(const pinning &asked = {}) {
    const numawise_machine *machine = detail::machine();
    std::vector<unsigned> nodes(1024);
    std::size_t count = nodes.size();
    detail::check(numawise_nodes(machine, nodes.data(), &count));
    unsigned char allowed[1024], own[1024];
    std::size_t length = sizeof allowed;
    detail::check(numawise_allowed_cpus(machine, allowed, &length));
    std::vector<std::unique_ptr<node_arena>> arenas;
    for (std::size_t k = 0; k < count; ++k) {
        length = sizeof own;
        detail::check(numawise_node_cpus(machine, nodes[k], own, &length));
        int threads = 0;
        for (std::size_t byte = 0; byte < sizeof own; ++byte) threads += __builtin_popcount(allowed[byte] & own[byte]);
        if (threads > 0) arenas.push_back(std::make_unique<node_arena>(nodes[k], threads, asked));
    }
    return arenas;
}

}  // namespace tbb
}  // namespace numawise

#endif
