// The sweep for CPUs with AVX-512F: 16 points at a time.
#include <immintrin.h>

#include "kernel_body.hpp"

namespace iso3dfd {
namespace {

struct Avx512 {
    using Reg = __m512;
    using Lanes = __mmask16;
    static constexpr int kWidth = 16;

    // The vector at a point and those on its left and right.
    struct Window {
        __m512i left, centre, right;
    };

    static Reg load(const float* p) { return _mm512_loadu_ps(p); }
    static Reg load(const float* p, Lanes lanes) { return _mm512_maskz_loadu_ps(lanes, p); }
    static void store(float* p, Reg v) { _mm512_storeu_ps(p, v); }
    static void store(float* p, Reg v, Lanes lanes) { _mm512_mask_storeu_ps(p, lanes, v); }
    static Reg broadcast(float value) { return _mm512_set1_ps(value); }
    static Reg add(Reg a, Reg b) { return _mm512_add_ps(a, b); }
    static Reg mul(Reg a, Reg b) { return _mm512_mul_ps(a, b); }
    static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
    static Reg fms(Reg a, Reg b, Reg c) { return _mm512_fmsub_ps(a, b, c); }
    static Lanes lanes(int count) { return static_cast<Lanes>((1u << count) - 1u); }

    static Window window(const float* p, Reg centre) {
        return {_mm512_loadu_si512(p - kWidth), _mm512_castps_si512(centre), _mm512_loadu_si512(p + kWidth)};
    }
    // The sum of the neighbours at distance k on the left and on the right. Half of them are shifted together from
    // aligned vectors, since a load across cache lines costs two; the others are loaded all the same, because the
    // shifting units are busy with additions too (measured: with a quarter loaded 2 % slower, with all 20 %).
    template <int k>
    static Reg pair(const Window& w, const float* p) {
        if (k % 2 == 0) return add(load(p - k), load(p + k));
        const __m512i left = _mm512_alignr_epi32(w.centre, w.left, kWidth - k);
        const __m512i right = _mm512_alignr_epi32(w.right, w.centre, k);
        return _mm512_add_ps(_mm512_castsi512_ps(left), _mm512_castsi512_ps(right));
    }
};

}  // namespace

void sweep_avx512(const Sweep& sweep, const Box& box) { sweep_box<Avx512>(sweep, box); }

}  // namespace iso3dfd
