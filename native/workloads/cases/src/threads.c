// Threads that share an array: who touches it first, and who works on it.
#define _GNU_SOURCE
#include <pthread.h>

#include "cases.h"

struct array {
    const struct job *job;
    unsigned char *memory;
    pthread_barrier_t touched;
    long phase;
};

static void check_swept(const struct array *array, long rounds)
{
    if (array->job->check && !swept(array->memory, array->job->bytes, rounds)) wrong("lines were not swept as often as asked");
}

static void sweep_own_part(int k, void *shared)
{
    struct array *array = shared;
    struct part own = part(array->memory, array->job->bytes, k, array->job->threads);
    sweep(own.memory, own.bytes, array->job->rounds);
}

static void serial_init(const struct job *job)
{
    struct array array = {.job = job, .memory = private_memory(job->bytes)};
    touch(array.memory, job->bytes);
    in_threads(job->threads, sweep_own_part, &array);
    check_swept(&array, job->rounds);
}

static void touch_and_sweep_own_part(int k, void *shared)
{
    struct array *array = shared;
    struct part own = part(array->memory, array->job->bytes, k, array->job->threads);
    touch(own.memory, own.bytes);
    pthread_barrier_wait(&array->touched);
    sweep(own.memory, own.bytes, array->job->rounds);
}

static void parallel_init(const struct job *job)
{
    struct array array = {.job = job, .memory = private_memory(job->bytes)};
    pthread_barrier_init(&array.touched, NULL, (unsigned)job->threads);
    in_threads(job->threads, touch_and_sweep_own_part, &array);
    check_swept(&array, job->rounds);
}

// The last quarter of the array takes five times the work of the others, whoever has it.
enum { MORE = 4 };

static void touch_and_sweep_unevenly(int k, void *shared)
{
    struct array *array = shared;
    const struct job *job = array->job;
    struct part own = part(array->memory, job->bytes, k, job->threads), last = part(array->memory, job->bytes, 3, 4);
    touch(own.memory, own.bytes);
    pthread_barrier_wait(&array->touched);
    sweep(own.memory, own.bytes, job->rounds);
    unsigned char *begin = own.memory > last.memory ? own.memory : last.memory, *end = own.memory + own.bytes;
    if (begin < end) sweep(begin, (size_t)(end - begin), MORE * job->rounds);
}

static void unbalanced(const struct job *job)
{
    struct array array = {.job = job, .memory = private_memory(job->bytes)};
    pthread_barrier_init(&array.touched, NULL, (unsigned)job->threads);
    in_threads(job->threads, touch_and_sweep_unevenly, &array);
    struct part last = part(array.memory, job->bytes, 3, 4);
    size_t before = (size_t)(last.memory - array.memory);
    if (job->check && (!swept(array.memory, before, job->rounds) || !swept(last.memory, last.bytes, (MORE + 1) * job->rounds)))
        wrong("lines were not swept as often as asked");
}

// The first phase touches; each later one meets threads that the system has put somewhere anew.
static void one_phase(int k, void *shared)
{
    struct array *array = shared;
    struct part own = part(array->memory, array->job->bytes, k, array->job->threads);
    if (array->phase == 0) touch(own.memory, own.bytes);
    sweep(own.memory, own.bytes, 1);
}

static void phases(const struct job *job)
{
    struct array array = {.job = job, .memory = private_memory(job->bytes)};
    for (; array.phase < job->rounds; array.phase++) in_threads(job->threads, one_phase, &array);
    check_swept(&array, job->rounds);
}

// Every other round each thread works on what another one touched.
static void sweep_by_turns(int k, void *shared)
{
    struct array *array = shared;
    int threads = array->job->threads;
    struct part own = part(array->memory, array->job->bytes, k, threads);
    touch(own.memory, own.bytes);
    for (long round = 0; round < array->job->rounds; round++) {
        pthread_barrier_wait(&array->touched);
        int of = round % 2 == 0 ? k : threads - 1 - k;
        struct part now = part(array->memory, array->job->bytes, of, threads);
        sweep(now.memory, now.bytes, 1);
    }
}

static void alternating(const struct job *job)
{
    struct array array = {.job = job, .memory = private_memory(job->bytes)};
    pthread_barrier_init(&array.touched, NULL, (unsigned)job->threads);
    in_threads(job->threads, sweep_by_turns, &array);
    check_swept(&array, job->rounds);
}

static void touch_all(int k, void *shared)
{
    (void)k;
    struct array *array = shared;
    touch(array->memory, array->job->bytes);
}

// One thread works, on what another one touched that has ended: together or apart, as the system happens to put them.
static void helper_init(const struct job *job)
{
    struct array array = {.job = job, .memory = private_memory(job->bytes)};
    in_threads(1, touch_all, &array);
    sweep(array.memory, job->bytes, job->rounds);
    check_swept(&array, job->rounds);
}

const struct entry thread_cases[] = {
    {"serial-init", "one thread touches an array, all sweep their parts of it", serial_init},
    {"parallel-init", "each thread touches and sweeps its own part", parallel_init},
    {"unbalanced", "as parallel-init; the last quarter takes five times the work", unbalanced},
    {"phases", "as parallel-init; new threads for each round", phases},
    {"alternating", "as parallel-init; every other round with the part of another thread", alternating},
    {"helper-init", "a thread that ends touches an array, the first thread sweeps it", helper_init},
    {0},
};
