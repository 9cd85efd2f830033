// The result is pi, and a result that is not is noticed.
#include "integral.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cmath>

#include "tests.hpp"

namespace pi::test {
namespace {

constexpr double kPi = 3.14159265358979323846;

double error_of(std::int64_t steps, int threads) {
    const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    const Integral integral = arena.execute([&] { return integrate(steps, threads); });
    CHECK(integral.threads >= 1 && integral.threads <= threads, "%d of %d threads", integral.threads, threads);
    return std::fabs(integral.value - kPi);
}

}  // namespace

void integral_tests() {
    for (std::int64_t steps : {1, 2, 3, 10, 1000, 4095, 4096, 4097, 65537, 1000000, 10000019}) {
        for (int threads : {1, 2, 5}) {
            const double error = error_of(steps, threads);
            CHECK(error <= allowed_error(steps), "%lld steps: error %g", static_cast<long long>(steps), error);
        }
        // One step that is left out, in the middle, would be noticed up to here.
        const double step = 4.0 / 1.25 / static_cast<double>(steps);
        CHECK(step > 2 * allowed_error(steps), "%lld steps", static_cast<long long>(steps));
    }
    // The midpoint rule is of second order.
    const double ratio = error_of(100, 1) / error_of(1000, 1);
    CHECK(std::fabs(ratio - 100) < 0.1, "%g", ratio);
}

}  // namespace pi::test
