#include "concurrency.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <thread>

namespace pi {

int gather_threads(int threads, std::chrono::steady_clock::duration patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    std::atomic<int> working{0};
    std::atomic<bool> is_late{false};
    // One task a thread: who has one stays in it, so that each is with another thread.
    tbb::parallel_for(
        tbb::blocked_range<int>(0, threads, 1),
        [&](const tbb::blocked_range<int>&) {
            if (is_late) return;
            ++working;
            while (working < threads && !is_late) {
                if (std::chrono::steady_clock::now() > end) is_late = true;
                std::this_thread::yield();
            }
        },
        tbb::simple_partitioner());
    return working;
}

}  // namespace pi
