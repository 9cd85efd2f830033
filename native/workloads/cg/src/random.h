/* The generator of the NAS Parallel Benchmarks: x[k + 1] = 5^13 x[k] modulo 2^46, as numbers in (0, 1). */
#ifndef CG_RANDOM_H
#define CG_RANDOM_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} Random;

static inline Random random_from(uint64_t seed) { return (Random){seed}; }

static inline double random_next(Random *random) {
    /* The low 46 bits of a product are those of its low 64 bits. */
    random->state = (random->state * UINT64_C(1220703125)) & ((UINT64_C(1) << 46) - 1);
    return (double)random->state / (double)(UINT64_C(1) << 46);
}

#endif
