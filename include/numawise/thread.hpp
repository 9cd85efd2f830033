// A team of threads with CPUs of their own, in C++17.
//
//     #include <numawise/thread.hpp>                        c++ -std=c++17 ... -lnumawise -pthread
//
//     numawise::thread_team team{{.place = numawise::strategy::distributed}};
//     team.run([&](unsigned k) { sum[k] = part(k, team.size()); });      // once in each thread; comes back when all are through
#ifndef NUMAWISE_THREAD_HPP
#define NUMAWISE_THREAD_HPP

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "plan.hpp"

namespace numawise {

// Threads that wait for work, each bound as its number in the plan has it. `run` is called by one thread at a time.
class thread_team {
public:
    explicit thread_team(const pinning &asked = {}) : placement_(asked) {
        const unsigned count = placement_.threads();
        statuses_.resize(count);
        threads_.reserve(count);
        try {
            for (unsigned k = 0; k < count; ++k) threads_.emplace_back([this, k] { serve(k); });
        } catch (...) {
            end();
            throw;
        }
        run([](unsigned) {});
    }
    thread_team(const thread_team &) = delete;
    thread_team &operator=(const thread_team &) = delete;
    ~thread_team() { end(); }

    unsigned size() const noexcept { return static_cast<unsigned>(statuses_.size()); }
    // Whether the kernel bound a thread: a numawise_status.
    int status(unsigned thread) const { return statuses_.at(thread); }
    const placement &plan() const noexcept { return placement_; }

    // Calls `work` with its number in each thread. What one of them throws is thrown here, when all are through.
    void run(std::function<void(unsigned)> work) {
        std::unique_lock<std::mutex> locked(mutex_);
        work_ = std::move(work);
        failed_ = nullptr;
        at_work_ = size();
        ++turn_;
        begun_.notify_all();
        done_.wait(locked, [this] { return at_work_ == 0; });
        work_ = nullptr;
        if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
    }

private:
    void serve(unsigned number) {
        statuses_[number] = placement_.pin(number);
        unsigned long seen = 0;
        std::unique_lock<std::mutex> locked(mutex_);
        for (;;) {
            begun_.wait(locked, [&] { return has_ended_ || turn_ != seen; });
            if (has_ended_) return;
            seen = turn_;
            const auto &work = work_;
            locked.unlock();
            std::exception_ptr failed;
            try {
                work(number);
            } catch (...) {
                failed = std::current_exception();
            }
            locked.lock();
            if (failed && !failed_) failed_ = failed;
            if (--at_work_ == 0) done_.notify_one();
        }
    }

    void end() noexcept {
        {
            std::lock_guard<std::mutex> locked(mutex_);
            has_ended_ = true;
        }
        begun_.notify_all();
        for (std::thread &one : threads_) one.join();
    }

    placement placement_;
    std::vector<int> statuses_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable begun_, done_;
    std::function<void(unsigned)> work_;
    std::exception_ptr failed_;
    unsigned long turn_ = 0;
    unsigned at_work_ = 0;
    bool has_ended_ = false;
};

}  // namespace numawise

#endif
