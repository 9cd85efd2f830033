/* Loops over one array of 64-bit words, each a function of its own, with what it does known. `n` is a power of two. Every line of the
 * array begins with the number of the word that a chase goes to next, by which it meets all lines: see `fill`. */
#ifndef OBJECTS_KERNELS_H
#define OBJECTS_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define LOOP static __attribute__((noinline, unused))

typedef uint64_t word;

enum { LINE_WORDS = 8, PAGE_BYTES = 4096, STEPS = 20000, BUFFER_WORDS = 2048 };

/* Where a thread stands in its loops. */
struct walk {
    size_t at;
    word random, sum;
    word buffer[BUFFER_WORDS];
};

static inline word next_random(word *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 24;
}

/* Touches the words from `from` to `to`. A linear congruential generator over all lines, with a multiplier of 1 mod 4 and an odd step, has
 * the full period (Hull and Dobell, Random number generators, SIAM Review 4, 1962). */
LOOP void fill(word *p, size_t n, size_t from, size_t to) {
    const size_t lines = n / LINE_WORDS;
    for (size_t i = from; i < to; i += LINE_WORDS)
        p[i] = ((i / LINE_WORDS * 1664525u + 1013904223u) & (lines - 1)) * LINE_WORDS;
}

LOOP void sequential(const word *p, size_t n, struct walk *w) {
    word sum = w->sum;
    size_t at = w->at & (n - 1);
    const size_t end = at + STEPS * 8 < n ? at + STEPS * 8 : n;
    for (; at < end; ++at)
        sum += *(const volatile word *)&p[at];
    w->at = at;
    w->sum = sum;
}

LOOP void strided(const word *p, size_t n, struct walk *w) {
    /* 17 lines: neither a page nor a power of two. */
    const size_t stride = 17 * LINE_WORDS;
    word sum = w->sum;
    size_t at = w->at & (n - 1);
    for (int k = 0; k < STEPS; ++k, at = (at + stride) & (n - 1))
        sum += *(const volatile word *)&p[at];
    w->at = at;
    w->sum = sum;
}

LOOP void random_reads(const word *p, size_t n, struct walk *w) {
    word sum = w->sum, x = w->random;
    for (int k = 0; k < STEPS; ++k)
        sum += *(const volatile word *)&p[next_random(&x) & (n - 1)];
    w->random = x;
    w->sum = sum;
}

LOOP void random_writes(word *p, size_t n, struct walk *w) {
    word x = w->random;
    /* Not at the beginning of a line, where the chase has its numbers. */
    for (int k = 0; k < STEPS; ++k)
        *(volatile word *)&p[(next_random(&x) & (n - 1)) | 1] = x;
    w->random = x;
}

LOOP void chase(const word *p, size_t n, struct walk *w) {
    size_t at = w->at & (n - 1) & ~(size_t)(LINE_WORDS - 1);
    for (int k = 0; k < STEPS / 8; ++k)
        at = *(const volatile word *)&p[at];
    w->at = at;
}

/* Seven of eight steps read, as the data decide; the others only compute. */
LOOP void branches(const word *p, size_t n, struct walk *w) {
    word sum = w->sum, x = w->random;
    for (int k = 0; k < STEPS; ++k) {
        const word q = next_random(&x);
        if ((q >> 32) & 7)
            sum += *(const volatile word *)&p[q & (n - 1)];
        else
            sum ^= q;
    }
    w->random = x;
    w->sum = sum;
}

static __attribute__((noinline, noclone, unused)) word leaf(const word *p, size_t at) { return *(const volatile word *)&p[at]; }

LOOP void calls(const word *p, size_t n, struct walk *w) {
    word sum = w->sum, x = w->random;
    for (int k = 0; k < STEPS; ++k)
        sum += leaf(p, next_random(&x) & (n - 1));
    w->random = x;
    w->sum = sum;
}

/* Out of the array into a small buffer, from one place after the other. */
LOOP void copy_out(const word *p, size_t n, struct walk *w) {
    for (int k = 0; k < 16; ++k, w->at += BUFFER_WORDS) {
        memcpy(w->buffer, p + (w->at & (n - 1) & ~(size_t)(BUFFER_WORDS - 1)), sizeof w->buffer);
        w->sum += w->buffer[k];
    }
}

LOOP void set(word *p, size_t n, struct walk *w) {
    const size_t words = 1 << 16;
    memset(p + (w->at & (n - 1) & ~(words - 1)), (int)w->sum & 63, words * sizeof *p);
    w->at += words;
}

#ifdef __x86_64__
LOOP __attribute__((target("avx2"))) void vectors(const word *p, size_t n, struct walk *w) {
    __m256i sum = _mm256_setzero_si256();
    size_t at = w->at & (n - 1) & ~(size_t)3;
    const size_t end = at + STEPS * 16 < n ? at + STEPS * 16 : n;
    for (; at < end; at += 4)
        sum = _mm256_add_epi64(sum, _mm256_loadu_si256((const __m256i *)(p + at)));
    w->at = at;
    w->sum += (word)_mm256_extract_epi64(sum, 0);
}

/* Four words at random at a time; the numbers are computed in registers. */
LOOP __attribute__((target("avx2"))) void gather(const word *p, size_t n, struct walk *w) {
    __m256i sum = _mm256_setzero_si256();
    const __m128i mask = _mm_set1_epi32((int)(n - 1)), factor = _mm_set1_epi32(1664525), step = _mm_set1_epi32(1013904223);
    __m128i x = _mm_set_epi32((int)w->random, (int)(w->random >> 16), (int)(w->random >> 32), (int)(w->random >> 48));
    for (int k = 0; k < STEPS / 4; ++k) {
        x = _mm_add_epi32(_mm_mullo_epi32(x, factor), step);
        const __m128i at = _mm_and_si128(_mm_srli_epi32(x, 7), mask);
        sum = _mm256_add_epi64(sum, _mm256_i32gather_epi64((const long long *)p, at, 8));
    }
    w->random += (word)_mm_extract_epi32(x, 0) * 2 + 1;
    w->sum += (word)_mm256_extract_epi64(sum, 0);
}
#endif

#endif
