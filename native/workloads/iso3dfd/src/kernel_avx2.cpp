// The sweep for CPUs with AVX2 and FMA: 8 points at a time.
#include <immintrin.h>

#include "kernel_body.hpp"

namespace iso3dfd {
namespace {

struct Avx2 {
    using Reg = __m256;
    using Lanes = __m256i;
    static constexpr int kWidth = 8;
    static constexpr int kColumn = 4;

    struct Window;

    static Reg load(const float* p) { return _mm256_loadu_ps(p); }
    static Reg load(const float* p, Lanes lanes) { return _mm256_maskload_ps(p, lanes); }
    static void store(float* p, Reg v) { _mm256_storeu_ps(p, v); }
    static void store(float* p, Reg v, Lanes lanes) { _mm256_maskstore_ps(p, lanes, v); }
    static Reg broadcast(float value) { return _mm256_set1_ps(value); }
    static Reg add(Reg a, Reg b) { return _mm256_add_ps(a, b); }
    static Reg mul(Reg a, Reg b) { return _mm256_mul_ps(a, b); }
    static Reg fma(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
    static Reg fms(Reg a, Reg b, Reg c) { return _mm256_fmsub_ps(a, b, c); }
    static Lanes lanes(int count) {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
};

// A vector and its neighbours in x. The seven vectors between it and the next one are kept for that one.
struct Avx2::Window {
    // The first vector will be at `p`.
    ISO3DFD_INLINE explicit Window(const float* p) : now(load(p - kWidth)), after(load(p)), middle(across(now, after)) {
#pragma GCC unroll 8
        for (int k = 1; k < kHalo; ++k) shifted[k] = shift(k);
    }
    // Goes on to the vector at `p`.
    ISO3DFD_INLINE Reg advance(const float* p) {
        before = now;
        now = after;
        after = load(p + kWidth);
        middle = across(now, after);
#pragma GCC unroll 8
        for (int k = 1; k < kHalo; ++k) left[k] = shifted[kHalo - k];
        return now;
    }
    // The sum of the neighbours at distance k on the left and on the right; each k once. They are shifted together, as
    // a load across cache lines costs two.
    template <int k>
    ISO3DFD_INLINE Reg pair(const float*) {
        if (k == kHalo) return add(before, after);
        shifted[k] = shift(k);
        return add(shifted[k], left[k]);
    }

private:
    static ISO3DFD_INLINE Reg across(Reg a, Reg b) { return _mm256_permute2f128_ps(a, b, 0x21); }
    template <int bytes>
    static ISO3DFD_INLINE Reg align(Reg high, Reg low) {
        return _mm256_castsi256_ps(_mm256_alignr_epi8(_mm256_castps_si256(high), _mm256_castps_si256(low), bytes));
    }
    ISO3DFD_INLINE Reg shift(int k) const {
        switch (k) {
            case 1: return align<4>(middle, now);
            case 2: return align<8>(middle, now);
            case 3: return align<12>(middle, now);
            case 4: return middle;
            case 5: return align<4>(after, middle);
            case 6: return align<8>(after, middle);
            default: return align<12>(after, middle);
        }
    }
    Reg before, now, after, middle, left[kHalo], shifted[kHalo];
};

}  // namespace

void sweep_avx2(const Sweep& sweep, const Box& box) { sweep_box<Avx2>(sweep, box); }

}  // namespace iso3dfd
