#include "bandwidth.hpp"

#include <omp.h>

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace iso3dfd::bench {
namespace {

constexpr double kBytesPerElement[] = {4.0, 8.0, 12.0, 16.0};

typedef float Vector __attribute__((vector_size(16)));
constexpr std::size_t kStep = 64 / sizeof(float);  // one cache line at a time

// Not a power of two: the same element of all arrays would lie in the same memory bank, which halves the bandwidth.
constexpr std::size_t kFloats = 4300037 * kStep;

Vector load(const float* p) {
    Vector v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

// Past the caches where the compiler offers that; elsewhere the copy and the triad cost one read more than is counted.
void store_past_caches(float* p, Vector v) {
#if defined(__x86_64__)
    _mm_stream_ps(p, v);
#else
    std::memcpy(p, &v, sizeof v);
#endif
}

void read(const float* a, std::size_t from, std::size_t to) {
    Vector sums[4] = {};
    for (std::size_t i = from; i < to; i += kStep) {
        for (int k = 0; k < 4; ++k) sums[k] += load(a + i + 4 * k);
    }
    const Vector sum = sums[0] + sums[1] + sums[2] + sums[3];
    asm volatile("" : : "m"(sum));  // or the loop would be thrown away
}

void copy(float* a, const float* b, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; i += kStep) {
        for (int k = 0; k < 4; ++k) store_past_caches(a + i + 4 * k, load(b + i + 4 * k));
    }
}

void triad(float* a, const float* b, const float* c, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; i += kStep) {
        for (int k = 0; k < 4; ++k) {
            store_past_caches(a + i + 4 * k, load(b + i + 4 * k) + 0.5f * load(c + i + 4 * k));
        }
    }
}

void update(float* a, const float* b, const float* c, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; i += kStep) {
        for (int k = 0; k < 4; ++k) {
            const Vector v = load(b + i + 4 * k) + 0.25f * load(c + i + 4 * k) - 0.5f * load(a + i + 4 * k);
            std::memcpy(a + i + 4 * k, &v, sizeof v);
        }
    }
}

}  // namespace

Bandwidth::Bandwidth(int threads, Pages pages)
    : threads_(threads), a_(kFloats, pages), b_(kFloats, pages), c_(kFloats, pages) {
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::size_t i = 0; i < kFloats; ++i) a_.data()[i] = b_.data()[i] = c_.data()[i] = 1.0f;
}

void Bandwidth::pass(int which, std::size_t from, std::size_t to) {
    switch (which) {
        case 0: return read(a_.data(), from, to);
        case 1: return copy(a_.data(), b_.data(), from, to);
        case 2: return triad(a_.data(), b_.data(), c_.data(), from, to);
        default: return update(a_.data(), b_.data(), c_.data(), from, to);
    }
}

void Bandwidth::sweep(int which) {
#pragma omp parallel num_threads(threads_)
    {
        const std::size_t lines = kFloats / kStep;
        const std::size_t me = omp_get_thread_num(), all = omp_get_num_threads();
        pass(which, lines * me / all * kStep, lines * (me + 1) / all * kStep);
    }
}

double Bandwidth::bytes(int which) { return kBytesPerElement[which] * kFloats; }

}  // namespace iso3dfd::bench
