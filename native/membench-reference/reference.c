/* What a plain program gets from memory, beside which our kernels are measured: loops over words as anybody would write them,
 * after the public descriptions of STREAM (a[j] = b[j] + scalar * c[j], 24 bytes an element) and of pointer chases. Nothing is
 * tuned by hand; the compiler does what it can: gcc -O3 -march=native. */
#include <stddef.h>
#include <stdint.h>

/* Each function goes through n words of each stream once, and gives something that depends on all that it read. */

uint64_t reference_read(const uint64_t *restrict a, const uint64_t *restrict b, const uint64_t *restrict c, size_t n) {
    (void)b, (void)c;
    uint64_t sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += a[j];
    return sum;
}

uint64_t reference_3_1(uint64_t *restrict a, const uint64_t *restrict b, const uint64_t *restrict c, size_t n) {
    for (size_t j = 0; j < n; j++)
        a[j] += b[j] + c[j];
    return n;
}

uint64_t reference_2_1(uint64_t *restrict a, const uint64_t *restrict b, const uint64_t *restrict c, size_t n) {
    (void)c;
    for (size_t j = 0; j < n; j++)
        a[j] += b[j];
    return n;
}

uint64_t reference_1_1(uint64_t *restrict a, const uint64_t *restrict b, const uint64_t *restrict c, size_t n) {
    (void)b, (void)c;
    for (size_t j = 0; j < n; j++)
        a[j] += 1;
    return n;
}

uint64_t reference_triad(double *restrict a, const double *restrict b, const double *restrict c, size_t n) {
    const double scalar = 3.0;
    for (size_t j = 0; j < n; j++)
        a[j] = b[j] + scalar * c[j];
    return n;
}

/* No stores past the caches in plain C. */
uint64_t reference_write(uint64_t *restrict a, const uint64_t *restrict b, const uint64_t *restrict c, size_t n) {
    (void)b, (void)c;
    for (size_t j = 0; j < n; j++)
        a[j] = 0x0102030405060708;
    return n;
}

/* Follows the first word of each line to the next, so many times. */
const void *reference_chase(const void *start, uint64_t loads) {
    for (; loads > 0; loads--)
        start = *(const void *const *)start;
    return start;
}
