// iso3dfd: arguments in, time steps, figures out. The figures' lines are matched by scripts: keep them as they are.
#include <omp.h>

#include <cstdio>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "isa.hpp"
#include "options.hpp"
#include "reference.hpp"
#include "wave.hpp"
#include "weights.hpp"

namespace iso3dfd {
namespace {

constexpr double kFlopsPerPoint = 61.0;  // 8 distances x (6 additions + 1 product) + 5, as the literature counts them

const char* name(Pages pages) {
    switch (pages) {
        case Pages::small: return "small";
        case Pages::huge: return "huge";
        default: return "system";
    }
}

std::string first_touch(Fields by_computing_threads) {
    if (!by_computing_threads.any()) return "by one thread";
    if (by_computing_threads.are_all()) return "by the computing threads";
    std::string names;
    for (const auto& [name, is_one] : {std::pair("now", by_computing_threads.now), {"other", by_computing_threads.other},
                                       {"velocity", by_computing_threads.velocity}}) {
        if (is_one) names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return "of " + names + " by the computing threads";
}

void print_configuration(const Options& o, const Grid& grid, const Blocks& blocks, const Isa& isa, int threads) {
    std::printf("grid: %d x %d x %d points, halo of %d added on every side\n", o.n1, o.n2, o.n3, kHalo);
    std::printf("memory: %.1f MiB in 3 fields\n", 3.0 * sizeof(float) * grid.floats() / (1 << 20));
    std::printf("iterations: %d\n", o.iterations);
    std::printf("blocks: %ld of %d x %d x %d points\n", blocks.count(), blocks.size(0), blocks.size(1), blocks.size(2));
    std::printf("threads: %d\n", threads);
    std::printf("schedule: %s\n", o.schedule == Schedule::fixed ? "static" : "dynamic");
    std::printf("first touch: %s\n", first_touch(o.first_touch).c_str());
    std::printf("pages: %s\n", name(o.pages));
    std::printf("isa: %.*s\n", static_cast<int>(isa.name.size()), isa.name.data());
    std::fflush(stdout);
    if (blocks.count() < threads) {
        std::fprintf(stderr, "iso3dfd: warning: %ld blocks for %d threads: %ld threads have nothing to do; choose smaller "
                             "blocks\n", blocks.count(), threads, threads - blocks.count());
    }
    if (o.first_touch.any() && o.schedule == Schedule::dynamic) {
        std::fprintf(stderr, "iso3dfd: warning: with the dynamic schedule any thread may compute any block: --first-touch "
                             "spreads the pages but does not keep them near\n");
    }
}

bool check(const Options& o, Wave& result, int threads) {
    Wave start(result.grid(), o.pages);
    start.initialise_serially();
    Reference reference(start.grid(), start.now(), start.other(), start.velocity());
    const auto weights = second_derivative_weights();
    for (int i = 0; i < o.iterations; ++i) reference.step(weights, threads);
    const double allowed = allowed_error(o.iterations, reference.largest(), squared_courant(1.0), weights);
    const Comparison comparison = compare(result.grid(), result.now(), reference, allowed);
    std::printf("check: %s, largest error %.3g, allowed %.3g\n", comparison.passed() ? "passed" : "FAILED",
                comparison.largest_error, comparison.allowed);
    return comparison.passed();
}

int run(const Options& o) {
    const std::optional<Isa> isa = find_isa(o.isa);
    if (!isa) {
        std::string have;
        for (const Isa& each : available_isas()) have += (have.empty() ? "" : ", ") + std::string(each.name);
        throw UsageError("--isa: found '" + o.isa + "', which this CPU does not have; it has " + have);
    }
    const int threads = o.threads > 0 ? o.threads : omp_get_max_threads();
    const Grid grid(o.n1, o.n2, o.n3);
    const Blocks blocks(grid, o.n1_block, o.n2_block, o.n3_block);
    Wave wave(grid, o.pages);
    print_configuration(o, grid, blocks, *isa, threads);

    const double start = omp_get_wtime();
    if (o.first_touch.any()) wave.initialise_in_parallel(blocks, threads, o.first_touch);
    if (!o.first_touch.are_all()) wave.initialise_serially(o.first_touch.rest());
    const double initialised = omp_get_wtime();
    constexpr auto weights = rounded(second_derivative_weights());
    for (int i = 0; i < o.iterations; ++i) wave.step(blocks, o.schedule, threads, isa->kernel, weights);
    const double seconds = omp_get_wtime() - initialised;

    const double updates = grid.points() * o.iterations;
    std::printf("initialisation: %.6f s\n", initialised - start);
    std::printf("time: %.6f s\n", seconds);
    std::printf("throughput: %.3f MPoints/s\n", updates / seconds * 1e-6);
    std::printf("flops: %.3f GFLOP/s\n", updates * kFlopsPerPoint / seconds * 1e-9);
    std::fflush(stdout);
    return !o.check || check(o, wave, threads) ? 0 : 1;
}

}  // namespace
}  // namespace iso3dfd

int main(int argc, char** argv) {
    using namespace iso3dfd;
    Options options;
    try {
        options = parse_options(argc, argv);
        if (options.help) {
            std::fputs(kUsage, stdout);
            return 0;
        }
        return run(options);
    } catch (const UsageError& error) {
        std::fprintf(stderr, "iso3dfd: %s\niso3dfd --help tells more\n", error.what());
        return 2;
    } catch (const std::system_error& error) {
        const Grid grid(options.n1, options.n2, options.n3);
        std::fprintf(stderr,
                     "iso3dfd: cannot have the memory for %d x %d x %d points (3 fields of %.1f MiB): %s; try a smaller "
                     "grid or a higher memory limit\n",
                     options.n1, options.n2, options.n3, sizeof(float) * grid.floats() / 1048576.0,
                     error.code().message().c_str());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "iso3dfd: out of memory for the reference of --check; try a smaller grid\n");
    }
    return 1;
}
