// Memory, and accesses to it. One word of a line is used: an emulated CPU is slow, and so nearly all time is memory's.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "cases.h"

// `touch` uses the last word of a page, all others the first word of a line: the two never meet.
enum { TOUCHED = PAGE_BYTES - sizeof(uint64_t) };

static unsigned char *map(size_t bytes, int flags)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
    if (memory == MAP_FAILED) fail("mmap");
    return memory;
}

unsigned char *private_memory(size_t bytes) { return map(bytes, MAP_PRIVATE); }

unsigned char *shared_memory(size_t bytes) { return map(bytes, MAP_SHARED); }

void touch(unsigned char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PAGE_BYTES) *(volatile uint64_t *)(memory + at + TOUCHED) = 1;
}

void sweep(unsigned char *memory, size_t bytes, long rounds)
{
    for (long round = 0; round < rounds; round++)
        for (size_t at = 0; at < bytes; at += LINE_BYTES) ++*(volatile uint64_t *)(memory + at);
}

bool swept(const unsigned char *memory, size_t bytes, long rounds)
{
    for (size_t at = 0; at < bytes; at += LINE_BYTES)
        if (*(const uint64_t *)(memory + at) != (uint64_t)rounds) return false;
    return true;
}

uint64_t sweep_reading(const unsigned char *memory, size_t bytes, long rounds)
{
    uint64_t sum = 0;
    for (long round = 0; round < rounds; round++)
        for (size_t at = 0; at < bytes; at += LINE_BYTES) sum += *(const volatile uint64_t *)(memory + at);
    return sum;
}

// The 64-bit linear congruence of MMIX.
static uint64_t next_random(uint64_t state) { return state * 6364136223846793005u + 1442695040888963407u; }

static size_t random_line(uint64_t state, size_t lines) { return (size_t)((state >> 33) % lines) * LINE_BYTES; }

void walk(const unsigned char *memory, size_t bytes, long accesses, uint64_t seed)
{
    uint64_t state = next_random(seed + 1);
    for (long k = 0; k < accesses; k++) {
        uint64_t value = *(const volatile uint64_t *)(memory + random_line(state, bytes / LINE_BYTES));
        if (value) wrong("a line that nobody wrote to holds a number");
        state = next_random(state + value);
    }
}

void scatter(unsigned char *memory, size_t bytes, long accesses, uint64_t seed)
{
    uint64_t state = next_random(seed + 1);
    for (long k = 0; k < accesses; k++) {
        __atomic_fetch_add((uint64_t *)(memory + random_line(state, bytes / LINE_BYTES)), 1, __ATOMIC_RELAXED);
        state = next_random(state);
    }
}

uint64_t scattered(const unsigned char *memory, size_t bytes) { return sweep_reading(memory, bytes, 1); }

double compute(long steps)
{
    double x = 0.5;
    for (long k = 0; k < steps; k++) x = 3.7 * x * (1.0 - x);  // stays between 0 and 1
    return x;
}

struct part part(unsigned char *memory, size_t bytes, int k, int parts)
{
    size_t pages = bytes / PAGE_BYTES, first = pages * (size_t)k / (size_t)parts;
    size_t end = pages * (size_t)(k + 1) / (size_t)parts;
    return (struct part){memory + first * PAGE_BYTES, (end - first) * PAGE_BYTES};
}
