// The vectorised sweep, written once for any vector type `V` with explicit loads.
//
// A box is cut into slabs of kDepth planes and these into tiles of kTileX points in x. A tile is walked along y, kRows
// rows of all its planes at a time, and these rows are swept once for each axis:
//   1. along z: the sums go to a scratch buffer that stays in L2;
//   2. along y: adds to the sums;
//   3. along x: adds to them too and steps in time.
// One sweep with all 49 inputs from cache keeps the load units busy twice as long as the arithmetic. Therefore vectors
// stay in registers from one point to the next:
//   - Along z and y a column of c points is summed at once, one distance after the other. From one distance to the next
//     its neighbours move on by one point, so that it costs 2 * kHalo + c loads instead of 2 * kHalo * c. Its c sums do
//     not wait for each other. With c = 4, all this takes 16 registers.
//   - Along x the vectors shifted to the right of a vector are those shifted to the left of the next one.
// Neighbours at the same distance have the same weight and are added before one multiply-add.
//
// Main memory delivers only `velocity`, `next` and the leading planes of `prev`; the other planes come from L3. The
// hardware follows fewer streams than there are planes here, so everything is prefetched into L2 (into L1 it would
// occupy its few miss buffers, which costs a quarter of the speed). The sweeps take turns every few rows, and so do
// the requests.
//
// `V` must live in an unnamed namespace, so that every instruction set keeps its own instances.
#pragma once

#include "kernel.hpp"

#define ISO3DFD_INLINE inline __attribute__((always_inline))

namespace iso3dfd {
namespace {

// Measured side by side with AVX2 on a CPU with 1 MiB of L2: tiles of 256 in x lose 7 %, of 128 18 %; 8 rows at a time
// 3 %.
constexpr int kTileX = 512;
constexpr int kRows = 4;
constexpr int kDepth = 8;

// One cache line more than needed, in rows and planes, so that the stores of a column fall into different sets.
constexpr int kLine = 16;
constexpr std::ptrdiff_t kScratchRow = kTileX + kLine;
constexpr std::ptrdiff_t kScratchPlane = kRows * kScratchRow + kLine;

// Adds to `sums` what lies along one axis of the kCount points that start at `p` and lie `stride` apart.
template <class V, int kCount>
ISO3DFD_INLINE void add_column(typename V::Reg* sums, const float* p, std::ptrdiff_t stride, const float* weights) {
    typename V::Reg all[2 * kHalo + kCount];
    typename V::Reg* column = all + kHalo;
    const float* below = p - stride;
    const float* above = p + kCount * stride;
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) column[i] = V::load(p + i * stride);
    // Hides where the weights come from; else all are loaded before the loop over the columns, and once more for every
    // point from the stack.
    asm("" : "+r"(weights));
#pragma GCC unroll 8
    for (int k = 1; k <= kHalo; ++k, below -= stride, above += stride) {
        column[-k] = V::load(below);
        column[kCount - 1 + k] = V::load(above);
        const typename V::Reg weight = V::broadcast(weights[k]);
#pragma GCC unroll 8
        for (int i = 0; i < kCount; ++i) sums[i] = V::fma(V::add(column[i - k], column[i + k]), weight, sums[i]);
    }
}

// Sums along z, for the kCount planes from the one at `p` on, into `sums`.
template <class V, int kCount>
ISO3DFD_INLINE void along_z(const Sweep& s, const float* p, float* sums) {
    typename V::Reg column[kCount];
    const typename V::Reg centre = V::broadcast(s.weights[0]);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) column[i] = V::mul(V::load(p + i * s.plane), centre);
    add_column<V, kCount>(column, p, s.plane, s.weights);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) V::store(sums + i * kScratchPlane, column[i]);
}

// Adds what lies along y to `sums`, for the kCount rows from the one at `p` on.
template <class V, int kCount>
ISO3DFD_INLINE void along_y(const Sweep& s, const float* p, float* sums) {
    typename V::Reg column[kCount];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) column[i] = V::load(sums + i * kScratchRow);
    add_column<V, kCount>(column, p, s.row, s.weights);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) V::store(sums + i * kScratchRow, column[i]);
}

// The sum along x, in two halves that do not wait for each other.
template <class V>
ISO3DFD_INLINE typename V::Reg along_x(typename V::Window& window, const float* p, const typename V::Reg* weights) {
    static_assert(kHalo == 8, "one line for each distance");
    typename V::Reg odd = V::mul(window.template pair<1>(p), weights[1]);
    typename V::Reg even = V::mul(window.template pair<2>(p), weights[2]);
    odd = V::fma(window.template pair<3>(p), weights[3], odd);
    even = V::fma(window.template pair<4>(p), weights[4], even);
    odd = V::fma(window.template pair<5>(p), weights[5], odd);
    even = V::fma(window.template pair<6>(p), weights[6], even);
    odd = V::fma(window.template pair<7>(p), weights[7], odd);
    even = V::fma(window.template pair<8>(p), weights[8], even);
    return V::add(odd, even);
}

// Adds what lies along x to `sums` and steps a row in time: `count` points from `start` on. The same row of the next
// plane lies `ahead` floats from here.
template <class V>
ISO3DFD_INLINE void finish_row(const Sweep& s, std::ptrdiff_t start, int count, const float* sums,
                               std::ptrdiff_t ahead) {
    constexpr int W = V::kWidth;
    const float* p = s.prev + start;
    const float* velocity = s.velocity + start;
    float* next = s.next + start;
    typename V::Reg weights[kHalo + 1];
    for (int k = 1; k <= kHalo; ++k) weights[k] = V::broadcast(s.weights[k]);
    const typename V::Reg two = V::broadcast(2.0f);
    typename V::Window window(p);
    int left = count;
    for (; left >= kLine; left -= kLine) {
        __builtin_prefetch(velocity + ahead, 0, 2);
        __builtin_prefetch(next + ahead, 0, 2);
#pragma GCC unroll 4
        for (int i = 0; i < kLine; i += W, p += W, velocity += W, next += W, sums += W) {
            const typename V::Reg now = window.advance(p);
            const typename V::Reg laplacian = V::add(V::load(sums), along_x<V>(window, p, weights));
            V::store(next, V::fma(V::load(velocity), laplacian, V::fms(now, two, V::load(next))));
        }
    }
    for (; left > 0; left -= W, p += W, velocity += W, next += W, sums += W) {
        const typename V::Lanes lanes = V::lanes(left < W ? left : W);
        const typename V::Reg now = window.advance(p);
        const typename V::Reg laplacian = V::add(V::load(sums), along_x<V>(window, p, weights));
        V::store(next, V::fma(V::load(velocity), laplacian, V::fms(now, two, V::load(next, lanes))), lanes);
    }
}

// Asks for what later rows need of `prev`: the planes above the slab whose first plane is at `p`, and the planes of the
// slab kHalo rows further, where the sweep along y is by then. The planes below come without: asking for them too takes
// up to 5 % of the speed.
ISO3DFD_INLINE void prefetch_prev(const float* p, const Sweep& s) {
    const float* above = p + kDepth * s.plane;
    const float* inside = p + kHalo * s.row;
    static_assert(kDepth == kHalo, "as many planes above the slab as inside");
    for (int i = 0; i < kDepth; ++i, above += s.plane, inside += s.plane) {
        __builtin_prefetch(inside, 0, 2);
        __builtin_prefetch(above, 0, 2);
    }
}

// Sweeps kCount rows of all planes of a slab.
template <class V, int kCount>
ISO3DFD_INLINE void sweep_rows(const Sweep& s, const Box& rows, float* scratch) {
    const int width = rows.x1 - rows.x0, planes = rows.z1 - rows.z0;
    const std::ptrdiff_t start = rows.x0 + rows.y0 * s.row + rows.z0 * s.plane;
    for (int y = 0; y < kCount; ++y) {
        const float* p = s.prev + start + y * s.row;
        float* sums = scratch + y * kScratchRow;
        for (int x = 0; x < width; x += kLine) {
            prefetch_prev(p + x + kCount * s.row, s);
            for (int i = x; i < x + kLine; i += V::kWidth) {
                if (planes == kDepth) {
                    for (int z = 0; z < kDepth; z += V::kColumn) {
                        along_z<V, V::kColumn>(s, p + i + z * s.plane, sums + i + z * kScratchPlane);
                    }
                } else {
                    for (int z = 0; z < planes; ++z) {
                        along_z<V, 1>(s, p + i + z * s.plane, sums + i + z * kScratchPlane);
                    }
                }
            }
        }
    }
    for (int z = 0; z < planes; ++z) {
        const std::ptrdiff_t first = start + z * s.plane;
        float* sums = scratch + z * kScratchPlane;
        for (int x = 0; x < width; x += V::kWidth) along_y<V, kCount>(s, s.prev + first + x, sums + x);
        const std::ptrdiff_t ahead = z + 1 < planes ? s.plane : kCount * s.row - z * s.plane;
        for (int y = 0; y < kCount; ++y) finish_row<V>(s, first + y * s.row, width, sums + y * kScratchRow, ahead);
    }
}

inline int min(int a, int b) { return a < b ? a : b; }

template <class V>
void sweep_box(const Sweep& sweep, const Box& box) {
    alignas(64) float scratch[kDepth * kScratchPlane];
    float weights[kHalo + 1];
    for (int k = 0; k <= kHalo; ++k) weights[k] = sweep.weights[k];
    weights[0] *= 3.0f;  // the centre counts for all three axes and is taken in along z
    Sweep s = sweep;
    s.weights = weights;
    for (int z = box.z0; z < box.z1; z += kDepth) {
        for (int x = box.x0; x < box.x1; x += kTileX) {
            Box rows{x, min(x + kTileX, box.x1), box.y0, 0, z, min(z + kDepth, box.z1)};
            for (; rows.y0 + kRows <= box.y1; rows.y0 += kRows) sweep_rows<V, kRows>(s, rows, scratch);
            for (; rows.y0 < box.y1; ++rows.y0) sweep_rows<V, 1>(s, rows, scratch);
        }
    }
}

}  // namespace
}  // namespace iso3dfd
