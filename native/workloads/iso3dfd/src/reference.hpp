// The same equation, naively and in double precision, and how far a float result may lie from it.
#pragma once

#include <array>
#include <vector>

#include "grid.hpp"
#include "kernel.hpp"

namespace iso3dfd {

class Reference {
public:
    // Takes over the state of a wave before its first step, halo included.
    Reference(const Grid& grid, const float* now, const float* before, const float* velocity);

    void step(const std::array<double, kHalo + 1>& weights, int threads);
    const std::vector<double>& now() const { return now_; }
    // The largest magnitude of the field in any step until now.
    double largest() const { return largest_; }

private:
    Grid grid_;
    std::vector<double> now_, other_;
    std::vector<float> velocity_;
    double largest_ = 0.0;
};

struct Comparison {
    double largest_error;  // over interior and halo; infinite when a value is not a number
    double allowed;
    bool passed() const { return largest_error <= allowed; }
};

// What rounding alone can do in `steps` float steps, with u = 2^-24, fields up to `largest` and velocities up to
// `fastest`. One step: the Laplacian adds up 49 products; no term passes through more than 20 roundings (weight 2, along z
// 9, along y 8, along x 1), and the magnitudes of the weights sum to s = 3 (|w_0| + 2 (|w_1| + ... + |w_8|)), which makes
// 20 u s largest; twice the field less the former one rounds by 3 u largest, the result by u largest. A difference made
// in one step of this recursion (e' = 2 e - e_before, while stable) grows at most linearly, so n steps add up to
// n (n + 1) / 2 of it. This is the usual running error bound for sums of products: no statistics, no fudge factor.
double allowed_error(int steps, double largest, double fastest, const std::array<double, kHalo + 1>& weights);

Comparison compare(const Grid& grid, const float* field, const Reference& reference, double allowed);

}  // namespace iso3dfd
