// Other patterns than sweeps over parts: look-ups, shared tables, queues of work, producer and consumer.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

#include "cases.h"

enum { PIECE = 64 };  // look-ups that a thread takes from the queue at a time

struct table {
    const struct job *job;
    unsigned char *memory;
    long left;
};

// The first thread alone, on memory that it touches itself.
static void chase(const struct job *job)
{
    unsigned char *memory = private_memory(job->bytes);
    pin_by_hand(0);
    touch(memory, job->bytes);
    walk(memory, job->bytes, job->rounds, 0);
}

static void stream_alone(const struct job *job)
{
    unsigned char *memory = private_memory(job->bytes);
    pin_by_hand(0);
    touch(memory, job->bytes);
    sweep(memory, job->bytes, job->rounds);
    if (job->check && !swept(memory, job->bytes, job->rounds)) wrong("lines were not swept as often as asked");
}

// Memory that is needed, but not used much: the first 8 MiB are swept.
static void stream_first(const struct job *job)
{
    size_t used = (size_t)8 << 20;
    if (job->bytes < used) used = job->bytes;
    unsigned char *memory = private_memory(job->bytes);
    pin_by_hand(0);
    touch(memory, job->bytes);
    sweep(memory, used, job->rounds);
    if (job->check && !swept(memory, used, job->rounds)) wrong("lines were not swept as often as asked");
}

static void walk_alone(int k, void *shared)
{
    struct table *table = shared;
    walk(table->memory, table->job->bytes, table->job->rounds / table->job->threads, (uint64_t)k);
}

static void table_equal(const struct job *job)
{
    struct table table = {.job = job, .memory = private_memory(job->bytes)};
    touch(table.memory, job->bytes);
    in_threads(job->threads, walk_alone, &table);
}

static void walk_from_queue(int k, void *shared)
{
    struct table *table = shared;
    uint64_t seed = (uint64_t)k << 32;
    while (__atomic_fetch_sub(&table->left, PIECE, __ATOMIC_RELAXED) > 0)
        walk(table->memory, table->job->bytes, PIECE, seed++);
}

static void table_queue(const struct job *job)
{
    struct table table = {.job = job, .memory = private_memory(job->bytes), .left = job->rounds};
    touch(table.memory, job->bytes);
    in_threads(job->threads, walk_from_queue, &table);
    if (table.left > 0) wrong("work was left in the queue");
}

static void scatter_all_over(int k, void *shared)
{
    struct table *table = shared;
    scatter(table->memory, table->job->bytes, table->job->rounds / table->job->threads, (uint64_t)k);
}

static void shared_writes(const struct job *job)
{
    struct table table = {.job = job, .memory = private_memory(job->bytes)};
    touch(table.memory, job->bytes);
    in_threads(job->threads, scatter_all_over, &table);
    uint64_t expected = (uint64_t)(job->rounds / job->threads * job->threads);
    if (job->check && scattered(table.memory, job->bytes) != expected) wrong("updates were lost");
}

enum { SLOTS = 8 };

struct ring {
    const struct job *job;
    unsigned char *memory;
    sem_t free, full;
};

// Thread 0 fills slots of the ring, thread 1 works on them, `rounds` times around.
static void produce_or_consume(int k, void *shared)
{
    struct ring *ring = shared;
    for (long n = 0; n < ring->job->rounds * SLOTS; n++) {
        struct part slot = part(ring->memory, ring->job->bytes, (int)(n % SLOTS), SLOTS);
        sem_wait(k == 0 ? &ring->free : &ring->full);
        if (k == 0) sweep(slot.memory, slot.bytes, 1);
        uint64_t sum = k == 1 ? sweep_reading(slot.memory, slot.bytes, 1) : 0;
        if (k == 1 && sum != (uint64_t)(n / SLOTS + 1) * (slot.bytes / LINE_BYTES)) wrong("a slot was taken before it was full");
        sem_post(k == 0 ? &ring->full : &ring->free);
    }
}

static void ring(const struct job *job)
{
    struct ring ring = {.job = job, .memory = private_memory(job->bytes)};
    sem_init(&ring.free, 0, SLOTS / 2);
    sem_init(&ring.full, 0, 0);
    in_threads(2, produce_or_consume, &ring);
}

const struct entry pattern_cases[] = {
    {"chase", "one thread reads its memory at random, each line where the one before says", chase},
    {"stream", "one thread sweeps its memory", stream_alone},
    {"stream-first", "one thread touches all and sweeps the first 8 MiB", stream_first},
    {"table", "all threads look up in one table; each as often", table_equal},
    {"table-queue", "all threads look up in one table; who is faster does more", table_queue},
    {"shared-writes", "all threads add at random places of one table", shared_writes},
    {"ring", "a producer and a consumer share a ring", ring},
    {0},
};
