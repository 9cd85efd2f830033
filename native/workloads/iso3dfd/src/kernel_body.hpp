// The vectorised sweep, written once for any vector type `V` with explicit loads.
//
// A box is cut into tiles of kTileX x kTileY x kDepth points, and a tile is swept twice:
//   1. along z: a column of kDepth points is walked with the 17 planes around it in registers, so that a point costs
//      (2 * kHalo + kDepth) / kDepth = 3 loads instead of 17. The sums go to a scratch buffer that stays in L2.
//   2. along y and x: columns of kRows points are walked in y in the same way; the neighbours in x come out of the
//      vector at hand and the two beside it.
// One sweep with all 49 inputs from cache keeps the load units busy twice as long as the arithmetic; this way arithmetic
// is the limit, as far as the caches reach. Neighbours at the same distance have the same weight and are added before one
// multiply-add.
//
// Main memory delivers only `velocity`, `next` and the leading planes of `prev`. They are prefetched into L2 (into L1
// they would occupy its few miss buffers, which costs a quarter of the speed), because the hardware follows fewer
// streams than there are planes here. The other planes of `prev` come from L3 and are prefetched for the next tile.
//
// `V` must live in an unnamed namespace, so that every instruction set keeps its own instances.
#pragma once

#include "kernel.hpp"

#define ISO3DFD_INLINE inline __attribute__((always_inline))

namespace iso3dfd {
namespace {

// Measured side by side on a CPU with 32 KiB of L1, 1 MiB of L2 and 32 MiB of L3: tiles of 256 or fewer in x lose a
// tenth, of 32 or more rows up to 4 %, of 16 planes 7 %.
constexpr int kTileX = 512;
constexpr int kTileY = 16;
constexpr int kDepth = 8;  // planes of a column along z
constexpr int kRows = 8;   // rows of a column along y; with fewer, AVX2 and portable code lose up to a third

// One cache line more than needed, in rows and planes, so that the kDepth stores of a column fall into different sets.
constexpr int kLine = 16;
constexpr std::ptrdiff_t kScratchRow = kTileX + kLine;
constexpr std::ptrdiff_t kScratchPlane = kTileY * kScratchRow + kLine;

// The weights in registers; the centre counts for all three axes and is taken in along z.
template <class V>
struct Weights {
    explicit Weights(const float* weights) {
        w[0] = V::broadcast(3.0f * weights[0]);
        for (int k = 1; k <= kHalo; ++k) w[k] = V::broadcast(weights[k]);
        two = V::broadcast(2.0f);
    }
    typename V::Reg w[kHalo + 1];
    typename V::Reg two;
};

// Sums along z for `kPlanes` planes of a tile, into `scratch`.
template <class V, int kPlanes>
ISO3DFD_INLINE void along_z(const Sweep& s, const Box& tile, const Weights<V>& weights, float* scratch) {
    const std::ptrdiff_t plane = s.plane;
    for (int y = tile.y0; y < tile.y1; ++y) {
        const float* p = s.prev + tile.x0 + y * s.row + tile.z0 * plane;
        float* out = scratch + (y - tile.y0) * kScratchRow;
        for (int x = tile.x0; x < tile.x1; x += V::kWidth, p += V::kWidth, out += V::kWidth) {
            const float* q = p - kHalo * plane;
            typename V::Reg v[2 * kHalo + kPlanes];
#pragma GCC unroll 16
            for (int d = 0; d < 2 * kHalo; ++d, q += plane) v[d] = V::load(q);
#pragma GCC unroll 8
            for (int r = 0; r < kPlanes; ++r, q += plane) {
                v[2 * kHalo + r] = V::load(q);
                typename V::Reg sum = V::mul(v[kHalo + r], weights.w[0]);
#pragma GCC unroll 8
                for (int k = 1; k <= kHalo; ++k) {
                    sum = V::fma(V::add(v[kHalo + r - k], v[kHalo + r + k]), weights.w[k], sum);
                }
                V::store(out + r * kScratchPlane, sum);
            }
        }
    }
}

// `sum` and the four neighbours in x and y at distance k of the points at `p`; `column[0]` holds those points,
// `column[k]` the ones k rows further.
template <class V, int k>
ISO3DFD_INLINE typename V::Reg add_distance(typename V::Reg sum, const typename V::Window& window, const float* p,
                                            const typename V::Reg* column, const Weights<V>& weights) {
    return V::fma(V::add(V::template pair<k>(window, p), V::add(column[-k], column[k])), weights.w[k], sum);
}

template <class V>
ISO3DFD_INLINE typename V::Reg add_xy(typename V::Reg sum, const float* p, const typename V::Reg* column,
                                      const Weights<V>& weights) {
    static_assert(kHalo == 8, "one line for each distance");
    const typename V::Window window = V::window(p, column[0]);
    sum = add_distance<V, 1>(sum, window, p, column, weights);
    sum = add_distance<V, 2>(sum, window, p, column, weights);
    sum = add_distance<V, 3>(sum, window, p, column, weights);
    sum = add_distance<V, 4>(sum, window, p, column, weights);
    sum = add_distance<V, 5>(sum, window, p, column, weights);
    sum = add_distance<V, 6>(sum, window, p, column, weights);
    sum = add_distance<V, 7>(sum, window, p, column, weights);
    return add_distance<V, 8>(sum, window, p, column, weights);
}

// How far ahead of the point at hand to prefetch, in floats.
struct Ahead {
    std::ptrdiff_t rows;  // to the next rows of this tile, for `velocity` and `next`
    std::ptrdiff_t tile;  // to the same point of the next tile, for `prev`
};

template <class V>
ISO3DFD_INLINE void prefetch(const float* prev, const float* velocity, const float* next, const Ahead& ahead,
                             std::ptrdiff_t plane) {
    __builtin_prefetch(velocity + ahead.rows, 0, 2);
    __builtin_prefetch(next + ahead.rows, 0, 2);
    const float* tile = prev + ahead.tile;
    __builtin_prefetch(tile + kDepth * plane, 0, 2);
    __builtin_prefetch(tile, 0, 2);
    __builtin_prefetch(tile - kDepth * plane, 0, 2);
    static_assert(kDepth == kHalo, "three prefetches for each point touch all 3 * kDepth planes of the next tile");
}

// Adds what lies along x and y to `sums` and steps `rows` rows of `count` points in time; they start at `start`.
template <class V, int rows>
ISO3DFD_INLINE void finish_rows(const Sweep& s, std::ptrdiff_t start, int count, const Weights<V>& weights,
                                const float* sums, const Ahead& ahead) {
    const std::ptrdiff_t row = s.row, plane = s.plane;
    for (int left = count; left > 0; left -= V::kWidth, start += V::kWidth, sums += V::kWidth) {
        const float* p = s.prev + start;
        const float* velocity = s.velocity + start;
        float* next = s.next + start;
        const float* q = p - kHalo * row;
        typename V::Reg v[2 * kHalo + rows];
#pragma GCC unroll 16
        for (int d = 0; d < 2 * kHalo; ++d, q += row) v[d] = V::load(q);
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r, q += row, p += row, velocity += row, next += row) {
            prefetch<V>(p, velocity, next, ahead, plane);
            v[2 * kHalo + r] = V::load(q);
            const typename V::Reg now = v[kHalo + r];
            const typename V::Reg laplacian = add_xy<V>(V::load(sums + r * kScratchRow), p, &v[kHalo + r], weights);
            if (left >= V::kWidth) {
                V::store(next, V::fma(V::load(velocity), laplacian, V::fms(now, weights.two, V::load(next))));
            } else {
                const typename V::Lanes lanes = V::lanes(left);
                V::store(next, V::fma(V::load(velocity), laplacian, V::fms(now, weights.two, V::load(next, lanes))), lanes);
            }
        }
    }
}

// Finishes a tile from the sums along z in `scratch`. `to_next_tile` is where the next tile starts, in floats from here.
template <class V>
ISO3DFD_INLINE void finish(const Sweep& s, const Box& tile, const Weights<V>& weights, const float* scratch,
                           std::ptrdiff_t to_next_tile) {
    const int width = tile.x1 - tile.x0, rows = tile.y1 - tile.y0;
    for (int z = tile.z0; z < tile.z1; ++z) {
        const float* sums = scratch + (z - tile.z0) * kScratchPlane;
        std::ptrdiff_t start = tile.x0 + tile.y0 * s.row + z * s.plane;
        int done = 0;
        for (; done + kRows <= rows; done += kRows, sums += kRows * kScratchRow, start += kRows * s.row) {
            const bool more = done + 2 * kRows <= rows;
            const Ahead ahead{more ? kRows * s.row : s.plane - done * s.row, to_next_tile};
            finish_rows<V, kRows>(s, start, width, weights, sums, ahead);
        }
        for (; done < rows; ++done, sums += kScratchRow, start += s.row) {
            finish_rows<V, 1>(s, start, width, weights, sums, Ahead{s.row, to_next_tile});
        }
    }
}

template <class V>
void sweep_tile(const Sweep& s, const Box& tile, const Weights<V>& weights, float* scratch, std::ptrdiff_t to_next_tile) {
    if (tile.z1 - tile.z0 == kDepth) {
        along_z<V, kDepth>(s, tile, weights, scratch);
    } else {
        for (int z = tile.z0; z < tile.z1; ++z) {
            const Box plane{tile.x0, tile.x1, tile.y0, tile.y1, z, z + 1};
            along_z<V, 1>(s, plane, weights, scratch + (z - tile.z0) * kScratchPlane);
        }
    }
    finish<V>(s, tile, weights, scratch, to_next_tile);
}

inline int min(int a, int b) { return a < b ? a : b; }

template <class V>
void sweep_box(const Sweep& s, const Box& box) {
    alignas(64) float scratch[kDepth * kScratchPlane];
    const Weights<V> weights(s.weights);
    for (int z = box.z0; z < box.z1; z += kDepth) {
        for (int y = box.y0; y < box.y1; y += kTileY) {
            for (int x = box.x0; x < box.x1; x += kTileX) {
                const Box tile{x, min(x + kTileX, box.x1), y, min(y + kTileY, box.y1), z, min(z + kDepth, box.z1)};
                std::ptrdiff_t to_next_tile = kTileX;
                if (tile.x1 == box.x1) to_next_tile = box.x0 - x + kTileY * s.row;
                if (tile.x1 == box.x1 && tile.y1 == box.y1) {
                    to_next_tile = box.x0 - x + (box.y0 - y) * s.row + kDepth * s.plane;
                }
                sweep_tile<V>(s, tile, weights, scratch, to_next_tile);
            }
        }
    }
}

}  // namespace
}  // namespace iso3dfd
