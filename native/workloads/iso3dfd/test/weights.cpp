// The weights are what their definition says, and the scheme is stable with the medium of the program.
#include "weights.hpp"

#include <cmath>

#include "tests.hpp"
#include "wave.hpp"

namespace iso3dfd::test {
namespace {

double factorial(int n) { return std::tgamma(n + 1.0); }

// By definition the weights differentiate polynomials up to degree 17 exactly: the sum of w_k k^m over k = -8..8 is 2
// for m = 2 and 0 for every other m up to 17 (odd m by symmetry). The terms grow like 8^m: the error is relative to them.
void exact_for_polynomials(const std::array<double, kHalo + 1>& w, bool expected) {
    bool exact = true;
    for (int m = 0; m <= 2 * kHalo; m += 2) {
        double sum = m == 0 ? w[0] : 0.0, magnitude = std::fabs(w[0]);
        for (int k = 1; k <= kHalo; ++k) {
            sum += 2.0 * w[k] * std::pow(k, m);
            magnitude += 2.0 * std::fabs(w[k]) * std::pow(k, m);
        }
        if (std::fabs(sum - (m == 2 ? 2.0 : 0.0)) > 1e-14 * magnitude) exact = false;
    }
    CHECK(exact == expected, "polynomials differentiated exactly: %d, expected %d", exact, expected);
}

}  // namespace

void weights_tests() {
    constexpr auto w = second_derivative_weights();
    exact_for_polynomials(w, true);
    for (int k = 1; k <= kHalo; ++k) {
        const double closed = (k % 2 == 1 ? 2.0 : -2.0) * factorial(kHalo) * factorial(kHalo) /
                              (k * k * factorial(kHalo - k) * factorial(kHalo + k));
        CHECK(std::fabs(w[k] - closed) <= 1e-14 * std::fabs(closed), "w[%d] is %.17g, closed form %.17g", k, w[k], closed);
        auto wrong = w;
        wrong[k] *= 1.0 + 1e-9;
        exact_for_polynomials(wrong, false);
    }
    // Stable while (c dt / h)^2 times the largest eigenvalue of the negative Laplacian, 3 (-w_0 + 2 (|w_1| + ...)), is
    // at most 4.
    double eigenvalue = -w[0];
    for (int k = 1; k <= kHalo; ++k) eigenvalue += 2.0 * std::fabs(w[k]);
    CHECK(3.0 * eigenvalue * squared_courant(1.0) < 4.0, "%g", 3.0 * eigenvalue * squared_courant(1.0));
}

}  // namespace iso3dfd::test
