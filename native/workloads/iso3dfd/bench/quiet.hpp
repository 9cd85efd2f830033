// Timing that notices when other programs took the CPUs away.
#pragma once

#include <omp.h>

#include <ctime>

namespace iso3dfd::bench {

// A pass is undisturbed when its threads had their CPUs for at least this share of the time.
constexpr double kUndisturbed = 0.985;
constexpr int kAttempts = 8;

struct Timing {
    double seconds;
    bool undisturbed;
};

inline double process_cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Times `work`, again while it is disturbed, and returns the first undisturbed pass, or else the fastest.
template <class Work>
Timing time_quietly(int threads, Work&& work) {
    Timing best{1e300, false};
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const double cpu = process_cpu_seconds();
        const double start = omp_get_wtime();
        work();
        const double seconds = omp_get_wtime() - start;
        const double share = (process_cpu_seconds() - cpu) / (seconds * threads);
        if (share >= kUndisturbed) return {seconds, true};
        if (seconds < best.seconds) best.seconds = seconds;
    }
    return best;
}

}  // namespace iso3dfd::bench
