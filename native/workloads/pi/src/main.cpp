// pi: arguments in, integrals, figures out. The figures' lines are matched by scripts: keep them as they are.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "affinity.hpp"
#include "concurrency.hpp"
#include "integral.hpp"
#include "options.hpp"
#include "pinning.hpp"

namespace pi {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::chrono::seconds kPatience(20);

// The run failed; the text says why.
class RunError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

void expect_all(int threads) {
    const int came = gather_threads(threads, kPatience);
    if (came < threads) {
        throw RunError(std::to_string(came) + " of " + std::to_string(threads) + " threads worked within " +
                       std::to_string(kPatience.count()) + " s; ask for fewer, or raise the limit on threads (ulimit -u)");
    }
}

struct Results {
    std::vector<double> seconds;
    double value = kPi, error = 0;  // of the integral that is furthest from pi
    int least_threads = 0;          // that took part in one
};

Results integrate_often(const Options& o, int threads, tbb::task_arena& arena, PinningObserver& pinning) {
    Results results;
    results.least_threads = threads;
    // Starts the threads, which then may run where the process may.
    arena.execute([&] { expect_all(threads); });
    if (o.pin) pinning.observe(true);
    for (int run = 0; run < o.repeat; ++run) {
        arena.execute([&] {
            expect_all(threads);
            const auto begin = std::chrono::steady_clock::now();
            const Integral integral = integrate(o.steps, threads);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            results.seconds.push_back(took.count());
            results.least_threads = std::min(results.least_threads, integral.threads);
            const double error = std::fabs(integral.value - kPi);
            if (run == 0 || !(error <= results.error)) {
                results.value = integral.value;
                results.error = error;
            }
        });
    }
    if (pinning.refused() > 0) {
        throw RunError("--pin: the kernel refused to pin a thread to a CPU (" + std::to_string(pinning.refused()) +
                       " times); the CPUs that the process may use have changed, or sched_setaffinity is forbidden");
    }
    return results;
}

void print_pinning(const Options& o, int threads, const std::vector<int>& order) {
    if (!o.pin) {
        std::printf("pinning: off\n");
        return;
    }
    const auto count = static_cast<int>(order.size());
    std::printf("pinning: thread k to CPU k of");
    for (int at = 0; at < std::min(count, threads); ++at) std::printf(" %d", order[static_cast<std::size_t>(at)]);
    std::printf("\n");
    std::fflush(stdout);
    if (threads > count) {
        std::fprintf(stderr, "pi: warning: %d threads are pinned to %d CPUs, which is all that the process may use: several share "
                             "one\n", threads, count);
    }
}

int report(const Options& o, const Results& results) {
    const auto& seconds = results.seconds;
    const auto count = static_cast<double>(seconds.size());
    double mean = 0, squares = 0;
    for (double each : seconds) mean += each / count;
    for (double each : seconds) squares += (each - mean) * (each - mean);
    const double allowed = allowed_error(o.steps);
    const bool is_pi = results.error <= allowed;
    std::printf("worked: %d\n", results.least_threads);
    std::printf("pi: %.15f\n", results.value);
    std::printf("error: %.3g, allowed %.3g\n", results.error, allowed);
    std::printf("time: %.6f s\n", mean);
    std::printf("throughput: %.3f Msteps/s\n", static_cast<double>(o.steps) / mean * 1e-6);
    if (seconds.size() > 1) {
        const double deviation = std::sqrt(squares / (count - 1));
        std::printf("runs: %zu\n", seconds.size());
        std::printf("mean: %.6f s\n", mean);
        std::printf("deviation: %.6f s (%.2f %%)\n", deviation, 100 * deviation / mean);
        std::printf("least: %.6f s\n", *std::min_element(seconds.begin(), seconds.end()));
        std::printf("most: %.6f s\n", *std::max_element(seconds.begin(), seconds.end()));
    }
    std::fflush(stdout);
    if (!is_pi) std::fprintf(stderr, "pi: the result is not pi: it is further from it than rounding explains\n");
    return is_pi ? 0 : 1;
}

int run(const Options& o) {
    const int threads = o.threads > 0 ? o.threads : static_cast<int>(own_cpus().size());
    const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    PinningObserver pinning(arena, threads, o.pin_step);
    std::printf("steps: %lld\n", static_cast<long long>(o.steps));
    std::printf("threads: %d\n", threads);
    print_pinning(o, threads, pinning.order());
    std::fflush(stdout);
    return report(o, integrate_often(o, threads, arena, pinning));
}

}  // namespace
}  // namespace pi

int main(int argc, char** argv) {
    using namespace pi;
    try {
        const Options options = parse_options(argc, argv);
        if (options.help) {
            std::fputs(kUsage, stdout);
            return 0;
        }
        return run(options);
    } catch (const UsageError& error) {
        std::fprintf(stderr, "pi: %s\npi --help tells more\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "pi: %s\n", error.what());
    }
    return 1;
}
