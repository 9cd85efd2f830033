// One sweep of the wave equation over one box of the grid, for the instruction sets we know.
//
// This header is seen by translation units compiled for different instruction sets. It therefore holds plain data and
// declarations only: an inline function here could be emitted with AVX-512 code and be picked by the linker for all.
#pragma once

#include <cstddef>

namespace iso3dfd {

// Half-length of the stencil along each axis: 8 neighbours on either side, so 16th order in space.
constexpr int kHalo = 8;

// A half-open box of interior points.
struct Box {
    int x0, x1, y0, y1, z0, z1;
};

// The pointers address the interior point (0, 0, 0). `prev` and `velocity` may be read up to 16 floats before the first
// and 31 floats after the last point of a row of the box; nothing outside the box is written.
struct Sweep {
    float* next;            // in: the field one step ago; out: the field one step ahead
    const float* prev;      // the field now
    const float* velocity;  // (c dt / h)^2 at every point
    std::ptrdiff_t row;     // floats from (x, y, z) to (x, y + 1, z)
    std::ptrdiff_t plane;   // floats from (x, y, z) to (x, y, z + 1)
    const float* weights;   // kHalo + 1 second-derivative weights, centre first
};

using Kernel = void (*)(const Sweep& sweep, const Box& box);

void sweep_generic(const Sweep& sweep, const Box& box);
#if defined(__x86_64__)
void sweep_avx2(const Sweep& sweep, const Box& box);
void sweep_avx512(const Sweep& sweep, const Box& box);
#endif

}  // namespace iso3dfd
