// Teams of threads, and those of OpenMP, as one of a user's programs has them. Prints what is wrong; its status is how much.
#include "check.hpp"

#include <numawise/memory.hpp>
#include <numawise/openmp.hpp>
#include <numawise/thread.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

void team() {
    numawise::pinning asked;
    asked.place = numawise::strategy::distributed;
    numawise::thread_team team{asked};
    const auto whole = numawise::own_cpus();
    CHECK(team.size() == whole.size());
    std::vector<numawise::cpu_list> where(team.size());
    std::vector<unsigned> turns(team.size());
    for (int turn = 0; turn < 100; ++turn)
        team.run([&](unsigned k) {
            where[k] = numawise::own_cpus();
            ++turns[k];
        });
    for (unsigned k = 0; k < team.size(); ++k) {
        CHECK(team.status(k) == NUMAWISE_OK && turns[k] == 100);
        CHECK(where[k] == team.plan().cpus(k) && where[k].size() == 1);
    }
    CHECK(numawise::own_cpus() == whole);
    try {
        team.run([](unsigned k) {
            if (k == 0) throw std::runtime_error("of thread 0");
        });
        CHECK(!"it was thrown");
    } catch (const std::runtime_error &failed) {
        CHECK(std::string(failed.what()) == "of thread 0");
    }
    team.run([&](unsigned k) { ++turns[k]; });
    CHECK(turns[0] == 101);
#if __cplusplus >= 202002L
    numawise::thread_team one{{.threads = 1, .skip_os_core = false}};
    CHECK(one.size() == 1);
#endif
    asked.cpus = "0-";
    try {
        numawise::thread_team none{asked};
        CHECK(!"it was thrown");
    } catch (const numawise::error &failed) {
        CHECK(failed.status() == NUMAWISE_INVALID);
    }
}

void places_for_threads_of_others() {
    const auto whole = numawise::own_cpus();
    numawise::pool_places places;
    // One more than there are CPUs: the last one shares the first place.
    const std::size_t count = whole.size() + 1;
    std::vector<numawise::cpu_list> where(count);
    for (std::size_t k = 0; k < count; ++k) {
        std::thread one(places.bind([&](std::size_t at) {
                            CHECK(places.take() == NUMAWISE_OK);
                            where[at] = numawise::own_cpus();
                        }),
                        k);
        one.join();
    }
    CHECK(places.taken() == count);
    for (std::size_t k = 0; k < count; ++k) CHECK(where[k].size() == 1 && where[k] == places.plan().cpus(static_cast<unsigned>(k)));
    CHECK(where[0] == where[count - 1]);
    CHECK(numawise::own_cpus() == whole);
    // A function that a pool calls in each of its threads, and again.
    std::thread([&] {
        places();
        const auto first = numawise::own_cpus();
        places();
        CHECK(numawise::own_cpus() == first);
    }).join();
    CHECK(places.taken() == count + 1);
    auto twice = places.bind([](int x) { return 2 * x; });
    static_assert(std::is_invocable_r_v<int, decltype(twice), int>);
    static_assert(!std::is_invocable_v<decltype(twice), std::string>, "what cannot be called is no function of it");
    std::thread([&] { CHECK(twice(21) == 42); }).join();
#if __cplusplus >= 202002L && defined(__cpp_lib_jthread)
    bool has_stopped = false;
    {
        std::jthread with_token(places.bind([&](std::stop_token stop, int) {
                                    while (!stop.stop_requested()) std::this_thread::yield();
                                    has_stopped = numawise::own_cpus().size() == 1;
                                }),
                                5);
        std::jthread without(places.bind([](int) {}), 5);
    }
    CHECK(has_stopped);
#endif
}

void openmp() {
    const auto found = numawise::openmp::pin();
    const auto threads = numawise::openmp::threads();
    CHECK(threads.size() == static_cast<std::size_t>(omp_get_max_threads()));
    if (found.by_runtime) {
        CHECK(found.bound == 0 && found.refused == 0);
    } else {
        CHECK(found.bound == threads.size() && found.refused == 0);
        const numawise::placement planned;
        for (std::size_t k = 0; k < threads.size(); ++k) CHECK(threads[k] == planned.cpus(static_cast<unsigned>(k)));
    }
    numawise::allocator<double> from(numawise::local());
    const std::size_t count = std::size_t{5} << 20;
    double *u = from.allocate(count);
    numawise::openmp::first_touch(u, count, 2.5);
    CHECK(u[0] == 2.5 && u[count - 1] == 2.5 && numawise::pages(u, count).absent == 0);
    from.deallocate(u, count);
}

}  // namespace

int main() {
    team();
    places_for_threads_of_others();
    openmp();
    return wrong;
}
