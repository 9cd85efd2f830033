// Threads and arrays of OpenMP, in C++17: binds what OMP_PLACES and OMP_PROC_BIND left free, says where threads may run, and touches arrays first
// where a static loop uses them.
//
//     #include <numawise/openmp.hpp>                        c++ -std=c++17 -fopenmp ... -lnumawise
//
//     numawise::openmp::pin({.place = numawise::strategy::distributed});
//     for (auto &cpus : numawise::openmp::threads()) ...
//     numawise::openmp::first_touch(u, n, 0.0);
#ifndef NUMAWISE_OPENMP_HPP
#define NUMAWISE_OPENMP_HPP

#ifndef _OPENMP
#error "numawise/openmp.hpp is for programs that are compiled with OpenMP (-fopenmp)"
#endif

#include <omp.h>

#include <cstddef>
#include <vector>

#include "plan.hpp"

namespace numawise {
namespace openmp {

// What became of binding.
struct pinned {
    // The runtime has places of its own (OMP_PLACES, OMP_PROC_BIND), and nothing was changed.
    bool by_runtime = false;
    unsigned bound = 0, refused = 0;
};

// Binds the threads of the next parallel regions of the calling thread, one CPU of the plan for each: a runtime keeps its threads from one region to the
// next. The calling thread is bound too, as the first one of the team.
inline pinned pin(pinning asked = {}) {
    pinned result;
    result.by_runtime = omp_get_proc_bind() != omp_proc_bind_false || omp_get_num_places() > 0;
    if (result.by_runtime) return result;
    if (asked.threads == 0) asked.threads = static_cast<unsigned>(omp_get_max_threads());
    const placement planned(asked);
    unsigned bound = 0, refused = 0;
#pragma omp parallel reduction(+ : bound, refused)
    {
        const int status = planned.pin(static_cast<unsigned>(omp_get_thread_num()));
        (status == NUMAWISE_OK ? bound : refused) += 1;
    }
    result.bound = bound;
    result.refused = refused;
    return result;
}

// The CPUs on which each thread of a parallel region may run, by its number.
inline std::vector<cpu_list> threads() {
    std::vector<cpu_list> all;
#pragma omp parallel
    {
#pragma omp single
        all.resize(static_cast<std::size_t>(omp_get_num_threads()));
        cpu_list own;
        try {
            own = own_cpus();
        } catch (const std::exception &) {
            // Nothing is known of this thread: its list stays empty.
        }
        all[static_cast<std::size_t>(omp_get_thread_num())] = own;
    }
    return all;
}

// Gives all elements a value, each in the thread that gets it in a parallel loop with a static schedule: pages that nobody has touched yet lie there then.
template <class T>
void first_touch(T *data, std::size_t count, const T &value = T()) {
    const auto last = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t k = 0; k < last; ++k) data[k] = value;
}

}  // namespace openmp
}  // namespace numawise

#endif
