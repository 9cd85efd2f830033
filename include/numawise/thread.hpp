// A team of threads with CPUs of their own, and CPUs for threads of other pools, in C++17.
//
//     #include <numawise/thread.hpp>                        c++ -std=c++17 ... -lnumawise -pthread
//
//     numawise::thread_team team{{.place = numawise::strategy::distributed}};
//     team.run([&](unsigned k) { sum[k] = part(k, team.size()); });      // once in each thread; comes back when all are through
//
//     numawise::pool_places places;
//     std::jthread worker(places.bind(work), 42);                        // a thread takes a place of the plan before it works
//     pool.execute(places.bind(task));                                   // each thread of somebody's pool that comes by, once
#ifndef NUMAWISE_THREAD_HPP
#define NUMAWISE_THREAD_HPP

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <unordered_map>
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

// Places of a plan for threads that somebody else makes. A thread takes the next one when it comes first, and keeps it until it ends; there are as many
// as CPUs were asked for, then they begin again. Threads may take places at the same time.
class pool_places {
public:
    explicit pool_places(const pinning &asked = {}) : placement_(asked) {}
    pool_places(const pool_places &) = delete;
    pool_places &operator=(const pool_places &) = delete;

    // Binds the calling thread, unless it has a place of these already: a numawise_status.
    int take() {
        std::unordered_map<unsigned long, int> &had = places_of_this_thread();
        const auto found = had.find(number_);
        if (found != had.end()) return found->second;
        const int status = placement_.pin(next_.fetch_add(1, std::memory_order_relaxed));
        had.emplace(number_, status);
        return status;
    }
    // As the function that a pool calls in each of its threads.
    void operator()() { take(); }
    // A function that takes a place and then does the work. It must not outlive the places.
    template <class Work>
    auto bind(Work work) {
        return bound<Work>{this, std::move(work)};
    }

    // Threads that have taken a place.
    unsigned taken() const noexcept { return next_.load(std::memory_order_relaxed); }
    const placement &plan() const noexcept { return placement_; }

private:
    template <class Work>
    struct bound {
        pool_places *places;
        Work work;

        template <class... Arguments>
        std::invoke_result_t<Work &, Arguments...> operator()(Arguments &&...arguments) {
            places->take();
            return std::invoke(work, std::forward<Arguments>(arguments)...);
        }
    };
    static std::unordered_map<unsigned long, int> &places_of_this_thread() {
        static thread_local std::unordered_map<unsigned long, int> had;
        return had;
    }

    placement placement_;
    const unsigned long number_ = detail::next_number();
    std::atomic<unsigned> next_{0};
};

}  // namespace numawise

#endif
