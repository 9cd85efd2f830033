// The sweep for CPUs with AVX-512F: 16 points at a time.
#include <immintrin.h>

#include "kernel_body.hpp"

namespace iso3dfd {
namespace {

struct Avx512 {
    using Reg = __m512;
    using Lanes = __mmask16;
    static constexpr int kWidth = 16;
    static constexpr int kColumn = 8;

    struct Window;

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
};

// A vector and those before and after it in x.
struct Avx512::Window {
    // The first vector will be at `p`.
    ISO3DFD_INLINE explicit Window(const float* p)
        : centre(_mm512_loadu_si512(p - kWidth)), right(_mm512_loadu_si512(p)) {}
    // Goes on to the vector at `p`.
    ISO3DFD_INLINE Reg advance(const float* p) {
        left = centre;
        centre = right;
        right = _mm512_loadu_si512(p + kWidth);
        return _mm512_castsi512_ps(centre);
    }
    // The sum of the neighbours at distance k on the left and on the right, shifted together, since a load across cache
    // lines costs two.
    template <int k>
    ISO3DFD_INLINE Reg pair(const float*) const {
        return add(_mm512_castsi512_ps(_mm512_alignr_epi32(centre, left, kWidth - k)),
                   _mm512_castsi512_ps(_mm512_alignr_epi32(right, centre, k)));
    }

private:
    __m512i left, centre, right;
};

}  // namespace

void sweep_avx512(const Sweep& sweep, const Box& box) { sweep_box<Avx512>(sweep, box); }

}  // namespace iso3dfd
