// Pi as an integral, and how far from it the result may be.
#pragma once

#include <cstdint>

namespace pi {

struct Integral {
    double value;
    int threads;  // that took a part of it
};

// The midpoint rule over 4 / (1 + x^2) from 0 to 1 in the current arena, which has so many slots.
Integral integrate(std::int64_t steps, int slots);

// What the midpoint rule and rounding can do, no more.
double allowed_error(std::int64_t steps);

}  // namespace pi
