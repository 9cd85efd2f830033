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
// slots than there are CPUs, they begin again. When a thread leaves the arena, or the observer goes, it gets the mask back
// that it came with; with leaving::stays_bound only then, so that to come in again costs next to nothing. What the kernel refuses is counted and ends
// nothing.
#ifndef NUMAWISE_TBB_HPP
#define NUMAWISE_TBB_HPP

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plan.hpp"

namespace numawise {

namespace tbb {

// A thread that was bound, or was not.
struct binding {
    int slot;
    int status;
    // As numawise_error_text has it; empty where it was bound.
    std::string text;
};

// Is called for each thread that comes, in that thread.
using binding_log = std::function<void(const binding &)>;

// What becomes of a thread that leaves the arena: it has the mask back that it came with, or stays bound until the observer goes. Then it
// is bound also while it works in arenas without an observer, and what a thread of the program's own makes then is bound as it is. Several observers
// with threads that stay go in the reverse order of their making.
enum class leaving { puts_back, stays_bound };

// Pins the threads of an arena while it lives.
class pinning_observer : public ::tbb::task_scheduler_observer {
public:
    // Of this arena. Throws numawise::error where what is asked for makes no sense.
    explicit pinning_observer(::tbb::task_arena &arena, const pinning &asked = {}, binding_log log = {})
        : pinning_observer(arena, asked, leaving::puts_back, std::move(log)) {}
    pinning_observer(::tbb::task_arena &arena, const pinning &asked, leaving leaves, binding_log log = {})
        : ::tbb::task_scheduler_observer(arena), placement_(asked), log_(std::move(log)), stays_(leaves == leaving::stays_bound) {
        observe(true);
    }
    // Of the arena that the calling thread is in.
    explicit pinning_observer(const pinning &asked = {}, binding_log log = {}) : placement_(asked), log_(std::move(log)) { observe(true); }
    pinning_observer(const pinning_observer &) = delete;
    pinning_observer &operator=(const pinning_observer &) = delete;
    ~pinning_observer() override {
        observe(false);
        // Those that are in the arena still do not come by any more, and some have ended: their numbers may be those of others by now.
        std::lock_guard<std::mutex> locked(mutex_);
        for (const auto &of : inside_)
            if (!of.second.empty() && is_ours(of.first)) put_back(of.first, of.second.front());
    }

    // Threads that were bound, and that the kernel would not bind, one count for each time that one was.
    unsigned long bound() const noexcept { return bound_.load(std::memory_order_relaxed); }
    unsigned long refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

    void on_scheduler_entry(bool) override {
        const int slot = ::tbb::this_task_arena::current_thread_index();
        if (slot < 0) return;
        of_thread &own = this_thread();
        const bool is_outermost = own.arenas++ == 0;
        if (stays_ && is_outermost && own.observer == number_ && own.slot == slot) return;
        before came;
        came.is_known = numawise_thread_cpus(0, came.mask.bytes, &came.mask.length) == NUMAWISE_OK;
        const int status = placement_.pin(static_cast<unsigned>(slot));
        (status == NUMAWISE_OK ? bound_ : refused_).fetch_add(1, std::memory_order_relaxed);
        {
            std::lock_guard<std::mutex> locked(mutex_);
            auto &masks = inside_[own.tid];
            // One that stayed bound comes with a mask of ours; the first one is its own.
            if (!stays_ || !is_outermost || masks.empty()) masks.push_back(came);
        }
        own.observer = stays_ && is_outermost && status == NUMAWISE_OK ? number_ : 0;
        own.slot = slot;
        if (log_) log_({slot, status, status == NUMAWISE_OK ? "" : numawise_error_text()});
    }

    void on_scheduler_exit(bool) override {
        of_thread &own = this_thread();
        if (own.arenas > 0) --own.arenas;
        if (stays_ && own.arenas == 0) return;
        before came;
        {
            std::lock_guard<std::mutex> locked(mutex_);
            const auto found = inside_.find(own.tid);
            if (found == inside_.end() || found->second.empty()) return;
            came = found->second.back();
            found->second.pop_back();
        }
        own.observer = 0;
        put_back(0, came);
    }

private:
    // A thread: in how many arenas with an observer it is, and as whose slot it was bound and stays.
    struct of_thread {
        int tid = static_cast<int>(syscall(SYS_gettid));
        unsigned arenas = 0;
        unsigned long observer = 0;
        int slot = -1;
    };
    static of_thread &this_thread() {
        static thread_local of_thread own;
        return own;
    }
    static bool is_ours(int thread) { return syscall(SYS_tgkill, getpid(), thread, 0) == 0; }
    struct before {
        numawise::detail::mask mask;
        bool is_known = false;
    };
    static void put_back(int thread, const before &came) {
        if (came.is_known) numawise_set_thread_cpus(thread, came.mask.bytes, came.mask.length);
    }

    placement placement_;
    binding_log log_;
    const bool stays_ = false;
    const unsigned long number_ = numawise::detail::next_number();
    std::atomic<unsigned long> bound_{0}, refused_{0};
    std::mutex mutex_;
    // The masks that threads in the arena came with, the last one for the last time that they came in.
    std::unordered_map<int, std::vector<before>> inside_;
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
    node_arena(unsigned node, int threads, const pinning &asked) : node_(node), arena_(threads), observer_(arena_, of_node(node, asked)) {}

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
    const numawise_machine *machine = numawise::detail::machine();
    std::vector<unsigned> nodes(1024);
    std::size_t count = nodes.size();
    numawise::detail::check(numawise_nodes(machine, nodes.data(), &count));
    numawise::detail::mask allowed;
    numawise::detail::check(numawise_allowed_cpus(machine, allowed.bytes, &allowed.length));
    std::vector<std::unique_ptr<node_arena>> arenas;
    for (std::size_t k = 0; k < count; ++k) {
        numawise::detail::mask own;
        numawise::detail::check(numawise_node_cpus(machine, nodes[k], own.bytes, &own.length));
        int threads = 0;
        for (std::size_t byte = 0; byte < sizeof own.bytes; ++byte) threads += __builtin_popcount(allowed.bytes[byte] & own.bytes[byte]);
        if (threads > 0) arenas.push_back(std::make_unique<node_arena>(nodes[k], threads, asked));
    }
    return arenas;
}

}  // namespace tbb
}  // namespace numawise

#endif
