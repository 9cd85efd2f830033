// The sweep for CPUs with AVX2 and FMA: 8 points at a time.
#include <immintrin.h>

#include "kernel_body.hpp"

namespace iso3dfd {
namespace {

struct Avx2 {
    using Reg = __m256;
    using Lanes = __m256i;
    static constexpr int kWidth = 8;

    struct Window {};  // shifting across the two halves of a register costs more than loading anew

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

    static Window window(const float*, Reg) { return {}; }
    template <int k>
    static Reg pair(const Window&, const float* p) {
        return add(load(p - k), load(p + k));
    }
};

}  // namespace

void sweep_avx2(const Sweep& sweep, const Box& box) { sweep_box<Avx2>(sweep, box); }

}  // namespace iso3dfd
