// Measures what a machine's memory does, for comparison with what its file says. Runs on any Linux.
//
//   numa_probe latency CPU NODE HOPS           ns for each dependent access, CPU on one node, memory on NODE
//   numa_probe triad CPUS PLACE MIB PASSES     GB/s of a[i] = b[i] + s * c[i], one thread on each of CPUS (as 0,1,2,3)
//
// PLACE is `serial` (all pages first touched by the first thread), `parallel` (each by the thread that uses them) or
// `interleave`. MIB is the size of each array. GB/s counts the bytes that move: two reads, a read and a write-back.
//
// Both print the fastest of several rounds: what else runs on the host can only make a round slower.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, MAX_THREADS = 256, CHAIN_BYTES = 4 << 20, ROUNDS = 3, BIND = 2, INTERLEAVE = 3 };  // policies: linux/mempolicy.h

struct line { struct line *next; char rest[LINE - sizeof(struct line *)]; };

static double *a, *b, *c;
static size_t count;
static int threads, passes;
static int cpu_of[MAX_THREADS];
static const char *place;
static double fastest_pass = 1e30;
static pthread_barrier_t barrier;

static void die(const char *what)
{
    fprintf(stderr, "numa_probe: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least(double x, double y) { return x < y ? x : y; }

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set)) die("cannot pin to this CPU");
}

static void *memory(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) die("no memory");
    madvise(p, bytes, MADV_NOHUGEPAGE);
    return p;
}

static void set_policy(void *p, size_t bytes, int policy, unsigned long nodes)
{
    if (syscall(SYS_mbind, p, bytes, policy, &nodes, 8 * sizeof nodes, 0)) die("mbind");
}

static int latency(int cpu, int node, long hops)
{
    pin(cpu);
    size_t lines = CHAIN_BYTES / sizeof(struct line);
    struct line *chain = memory(CHAIN_BYTES);
    set_policy(chain, CHAIN_BYTES, BIND, 1ul << node);
    // Sattolo's shuffle: one cycle through all lines, in an order that no prefetcher knows.
    uint32_t *order = malloc(lines * sizeof *order);
    if (!order) die("no memory");
    uint64_t random = 88172645463325252u;
    for (size_t k = 0; k < lines; k++) order[k] = (uint32_t)k;
    for (size_t k = lines - 1; k > 0; k--) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t other = random % k;
        uint32_t kept = order[k];
        order[k] = order[other], order[other] = kept;
    }
    for (size_t k = 0; k < lines; k++) chain[k].next = &chain[order[k]];
    struct line *volatile at = chain;
    double fastest = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        struct line *p = at;
        double start = now();
        for (long k = 0; k < hops; k++) p = p->next;
        at = p;
        fastest = least(fastest, now() - start);
    }
    printf("latency %.1f\n", 1e9 * fastest / (double)hops);
    return 0;
}

static void touch(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) a[i] = 0, b[i] = 1, c[i] = 2;
}

static void *work(void *argument)
{
    int me = (int)(intptr_t)argument;
    pin(cpu_of[me]);
    size_t from = count / (size_t)threads * (size_t)me, to = count / (size_t)threads * (size_t)(me + 1);
    if (!strcmp(place, "parallel")) touch(from, to);
    else if (me == 0) touch(0, count);
    for (int pass = 0; pass < passes; pass++) {
        pthread_barrier_wait(&barrier);
        double start = now();
        for (size_t i = from; i < to; i++) a[i] = b[i] + 3.0 * c[i];
        pthread_barrier_wait(&barrier);
        if (me == 0) fastest_pass = least(fastest_pass, now() - start);
    }
    return NULL;
}

static int triad(char *cpus, size_t mib)
{
    for (char *word = strtok(cpus, ","); word && threads < MAX_THREADS; word = strtok(NULL, ","))
        cpu_of[threads++] = atoi(word);
    size_t bytes = mib << 20;
    count = bytes / sizeof *a;
    a = memory(bytes), b = memory(bytes), c = memory(bytes);
    if (!strcmp(place, "interleave")) {
        unsigned long all = ~0ul;
        if (syscall(SYS_get_mempolicy, NULL, &all, 8 * sizeof all, NULL, 4 /* MPOL_F_MEMS_ALLOWED */))
            die("get_mempolicy");
        set_policy(a, bytes, INTERLEAVE, all), set_policy(b, bytes, INTERLEAVE, all);
        set_policy(c, bytes, INTERLEAVE, all);
    }
    pthread_t thread[MAX_THREADS];
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int k = 0; k < threads; k++)
        if ((errno = pthread_create(&thread[k], NULL, work, (void *)(intptr_t)k))) die("no thread");
    for (int k = 0; k < threads; k++) pthread_join(thread[k], NULL);
    printf("bandwidth %.6f\n", 4e-9 * (double)bytes / fastest_pass);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "latency")) return latency(atoi(argv[2]), atoi(argv[3]), atol(argv[4]));
    if (argc == 6 && !strcmp(argv[1], "triad")) {
        place = argv[3], passes = atoi(argv[5]);
        return triad(argv[2], strtoul(argv[4], NULL, 10));
    }
    fprintf(stderr, "usage: numa_probe latency CPU NODE HOPS | numa_probe triad CPUS PLACE MIB PASSES\n");
    return 2;
}
