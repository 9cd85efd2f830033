// Random waves in random media, by every kernel, block shape, schedule and initialisation, against the naive reference
// in double precision; and the comparison itself must notice mistakes.
#include "reference.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests.hpp"
#include "isa.hpp"
#include "wave.hpp"
#include "weights.hpp"

namespace iso3dfd::test {
namespace {

constexpr int kSteps = 3;
constexpr double kFastest = 0.15;  // just inside the stability limit of 4 / 25.5

// A fixed sequence of numbers between 0 and 1 (the 64-bit linear congruence of MMIX).
class Noise {
public:
    double operator()() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(state_ >> 11) / 9007199254740992.0;
    }

private:
    std::uint64_t state_ = 1;
};

void randomise(Wave& wave) {
    Noise noise;
    const Grid& g = wave.grid();
    for (int z = 0; z < g.n3(); ++z) {
        for (int y = 0; y < g.n2(); ++y) {
            for (int x = 0; x < g.n1(); ++x) {
                const std::size_t i = g.index(x, y, z);
                wave.now()[i] = static_cast<float>(2.0 * noise() - 1.0);
                wave.other()[i] = static_cast<float>(2.0 * noise() - 1.0);
                wave.velocity()[i] = static_cast<float>(kFastest * noise());
            }
        }
    }
    // Whatever lies beyond the halo (alignment, ends of rows) is loaded with the vectors at the edges: it must not matter.
    const float poison = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 0; i < g.index(-kHalo, -kHalo, -kHalo); ++i) wave.now()[i] = poison;
    for (int z = -kHalo; z < g.n3() + kHalo; ++z) {
        for (int y = -kHalo; y < g.n2() + kHalo; ++y) {
            const std::size_t row = g.index(-kHalo, y, z);
            for (std::ptrdiff_t x = g.n1() + 2 * kHalo; x < g.row(); ++x) wave.now()[row + x] = poison;
        }
    }
}

struct Case {
    int n[3];
    int block[3];
    int threads;
};

Comparison run(const Case& c, const Isa& isa, Schedule schedule, bool first_touch,
               const std::array<float, kHalo + 1>& weights, void (*spoil)(Wave&) = nullptr) {
    const Grid grid(c.n[0], c.n[1], c.n[2]);
    const Blocks blocks(grid, c.block[0], c.block[1], c.block[2]);
    Wave wave(grid, Pages::system);
    if (first_touch) {
        wave.initialise_in_parallel(blocks, c.threads);
    } else {
        wave.initialise_serially();
    }
    randomise(wave);
    Reference reference(grid, wave.now(), wave.other(), wave.velocity());
    for (int i = 0; i < kSteps; ++i) {
        wave.step(blocks, schedule, c.threads, isa.kernel, weights);
        reference.step(second_derivative_weights(), 1);
    }
    if (spoil != nullptr) spoil(wave);
    const double allowed = allowed_error(kSteps, reference.largest(), kFastest, second_derivative_weights());
    return compare(grid, wave.now(), reference, allowed);
}

const Case kCases[] = {
    {{1, 1, 1}, {1, 1, 1}, 1},       {{16, 16, 16}, {16, 16, 16}, 1}, {{17, 9, 8}, {17, 9, 8}, 2},
    {{31, 5, 33}, {7, 3, 5}, 3},     {{64, 64, 64}, {64, 16, 8}, 4},  {{301, 19, 11}, {301, 19, 11}, 2},
    {{40, 33, 25}, {9, 1000, 4}, 2}, {{5, 70, 18}, {100, 16, 16}, 5}, {{272, 34, 17}, {256, 17, 9}, 2},
};

void mistakes_are_noticed(const Isa& isa) {
    const Case& c = kCases[3];
    const auto good = rounded(second_derivative_weights());
    auto wrong = good;
    wrong[2] *= 1.001f;
    CHECK(!run(c, isa, Schedule::fixed, false, wrong).passed(), "%s: a wrong weight went unnoticed", isa.name.data());
    CHECK(!run(c, isa, Schedule::fixed, false, good, [](Wave& w) { w.now()[w.grid().index(30, 4, 32)] += 1e-3f; }).passed(),
          "%s: a wrong point went unnoticed", isa.name.data());
    CHECK(!run(c, isa, Schedule::fixed, false, good, [](Wave& w) { w.now()[w.grid().index(-1, 0, 0)] = 1e-3f; }).passed(),
          "%s: a write to the halo went unnoticed", isa.name.data());
    CHECK(!run(c, isa, Schedule::fixed, false, good, [](Wave& w) { w.now()[w.grid().index(3, 3, 3)] = std::nanf(""); }).passed(),
          "%s: not a number went unnoticed", isa.name.data());
}

}  // namespace

void reference_tests() {
    const auto weights = rounded(second_derivative_weights());
    for (const Isa& isa : available_isas()) {
        for (const Case& c : kCases) {
            for (Schedule schedule : {Schedule::fixed, Schedule::dynamic}) {
                for (bool first_touch : {false, true}) {
                    const Comparison r = run(c, isa, schedule, first_touch, weights);
                    CHECK(r.passed(), "%s %d x %d x %d: error %g, allowed %g", isa.name.data(), c.n[0], c.n[1], c.n[2],
                          r.largest_error, r.allowed);
                }
            }
        }
        mistakes_are_noticed(isa);
    }
}

}  // namespace iso3dfd::test
