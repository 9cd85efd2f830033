// Plans of CPUs for threads, in C++17: what is asked for, and what each thread gets. <numawise/tbb.hpp>, <numawise/thread.hpp> and <numawise/openmp.hpp> bind
// threads by them.
#ifndef NUMAWISE_PLAN_HPP
#define NUMAWISE_PLAN_HPP

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "error.hpp"
#include "numawise.h"

namespace numawise {

// How CPUs are shared out: node after node, over all nodes, or each task in one node.
enum class strategy { local, distributed, semi };

// What is asked for; what is left out is as if it was not.
struct pinning {
    strategy place = strategy::local;
    // 0: as many as CPUs that the process may use.
    unsigned threads = 0;
    // Every n-th CPU of the order, and at its end from the next one on.
    unsigned step = 0;
    // Leaves the core alone where the system's own work runs.
    bool skip_os_core = false;
    // As the command line takes them: spread, compact, scatter, balanced; hardware threads of each core; CPUs and nodes.
    std::string order = {}, smt = {}, cpus = {}, nodes = {}, skip = {};
};

// CPUs that threads may run on, by their numbers.
using cpu_list = std::vector<unsigned>;

namespace detail {

// Mask and length as sched_setaffinity(2) has them; room for 8192 CPUs.
struct mask {
    unsigned char bytes[1024] = {};
    std::size_t length = sizeof bytes;

    cpu_list cpus() const {
        cpu_list all;
        for (std::size_t cpu = 0; cpu < 8 * sizeof bytes; ++cpu)
            if (bytes[cpu / 8] >> cpu % 8 & 1) all.push_back(static_cast<unsigned>(cpu));
        return all;
    }
};

// Tells objects apart also where one lies where another was; never 0.
inline unsigned long next_number() {
    static std::atomic<unsigned long> last{0};
    return ++last;
}

inline const char *or_null(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace detail

// Which CPUs each thread gets. May be read by several threads.
class placement {
public:
    // Throws numawise::error where what is asked for makes no sense, or cannot be had.
    explicit placement(const pinning &asked = {}) {
        static constexpr const char *strategies[] = {"local", "distributed", "semi"};
        // These orders go over all CPUs of a task, for which no strategy chooses.
        const bool is_over_all = !asked.order.empty() && asked.order != "spread" && asked.order != "compact";
        numawise_request request;
        numawise_request_init(&request);
        request.strategy = is_over_all ? nullptr : strategies[static_cast<int>(asked.place)];
        request.threads = asked.threads;
        request.step = asked.step;
        request.skip_os_core = asked.skip_os_core;
        request.order = detail::or_null(asked.order);
        request.smt = detail::or_null(asked.smt);
        request.cpus = detail::or_null(asked.cpus);
        request.nodes = detail::or_null(asked.nodes);
        request.skip = detail::or_null(asked.skip);
        numawise_placement *planned = nullptr;
        detail::check(numawise_plan(detail::machine(), &request, &planned));
        planned_.reset(planned);
    }

    // Threads with CPUs of their own; those beyond begin again at the first.
    unsigned threads() const {
        unsigned count = 0;
        detail::check(numawise_placement_threads(planned_.get(), 0, &count));
        return count;
    }
    cpu_list cpus(unsigned thread) const {
        detail::mask found;
        detail::check(numawise_placement_cpus(planned_.get(), 0, thread, found.bytes, &found.length));
        return found.cpus();
    }
    // Binds the calling thread; a numawise_status, as the kernel may refuse it.
    int pin(unsigned thread) const noexcept { return numawise_pin(planned_.get(), 0, thread, 0); }

private:
    struct free {
        void operator()(numawise_placement *planned) const noexcept { numawise_placement_free(planned); }
    };
    std::unique_ptr<numawise_placement, free> planned_;
};

// CPUs that the calling thread may run on.
inline cpu_list own_cpus() {
    detail::mask found;
    detail::check(numawise_thread_cpus(0, found.bytes, &found.length));
    return found.cpus();
}

}  // namespace numawise

#endif
