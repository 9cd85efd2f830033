// The weights of the second derivative by central differences.
#pragma once

#include <array>

#include "kernel.hpp"

namespace iso3dfd {

// For half-length M and distance k the weights that are exact for polynomials up to degree 2M + 1 are
//     w_0 = -2 * sum over k of 1 / k^2,    w_k = 2 (-1)^(k+1) (M!)^2 / (k^2 (M-k)! (M+k)!).
// Source: "Generation of finite difference formulas on arbitrarily spaced grids", Mathematics of Computation 51 (1988),
// 699-706, whose recursion gives this closed form on an even grid; the exactness is tested in test/weights.cpp.
constexpr std::array<double, kHalo + 1> second_derivative_weights() {
    std::array<double, kHalo + 1> w{};
    double ratio = 1.0;  // (M!)^2 / ((M-k)! (M+k)!)
    for (int k = 1; k <= kHalo; ++k) {
        ratio *= static_cast<double>(kHalo - k + 1) / (kHalo + k);
        w[k] = (k % 2 == 1 ? 2.0 : -2.0) * ratio / (k * k);
        w[0] -= 2.0 / (k * k);
    }
    return w;
}

constexpr std::array<float, kHalo + 1> rounded(const std::array<double, kHalo + 1>& weights) {
    std::array<float, kHalo + 1> w{};
    for (int k = 0; k <= kHalo; ++k) w[k] = static_cast<float>(weights[k]);
    return w;
}

}  // namespace iso3dfd
