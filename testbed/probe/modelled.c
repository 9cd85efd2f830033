// A program whose throughput is that of a model: modelled THREADS serial|parallel REMOTE SECONDS.
//
// Each thread reads an array for so long, which the first thread touches first (serial), or each thread its own. What it prints as
// throughput follows from where the kernel put threads and pages and not from any clock: 10 GB/s for a thread with its memory beside it,
// REMOTE GB/s where it is on another node; runs differ by a few thousandths. So a check of it comes to the same on the busiest of hosts.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 64, NODES = 64, PAGE = 4096, PAGES = 1024, LOOKS = 20 };
static const double LOCAL = 10;

static int count, is_serial;
static double remote, seconds, rates[THREADS];
static char *arrays[THREADS];
static pthread_barrier_t begun;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void touch(int thread)
{
    memset(arrays[thread], thread + 1, PAGES * PAGE);
}

// Pages of an array by node.
static void lies(int thread, int *on)
{
    static __thread void *pages[PAGES];
    static __thread int nodes[PAGES];
    for (int k = 0; k < PAGES; k++) pages[k] = arrays[thread] + k * PAGE;
    if (syscall(SYS_move_pages, 0, (long)PAGES, pages, NULL, nodes, 0)) exit(1);
    for (int k = 0; k < PAGES; k++)
        if (nodes[k] >= 0 && nodes[k] < NODES) on[nodes[k]]++;
}

static void *work(void *argument)
{
    int thread = (int)(size_t)argument, on[NODES] = {0};
    if (!is_serial) touch(thread);
    pthread_barrier_wait(&begun);
    lies(thread, on);
    volatile char *array = arrays[thread];
    double time = 0;
    // Whoever touches what it uses has it beside itself, wherever the scheduler takes the thread later.
    int looks = is_serial ? LOOKS : 1;
    for (int look = 0; look < looks; look++) {
        unsigned cpu, node;
        if (syscall(SYS_getcpu, &cpu, &node, NULL)) exit(1);
        long sum = 0;
        for (double begin = now(); now() - begin < seconds / looks;)
            for (int k = 0; k < PAGES * PAGE; k += 64) sum += array[k];
        double local = (double)on[node] / PAGES;
        time += (local / LOCAL + (1 - local) / remote) / looks;
        if (!sum) exit(1);
    }
    rates[thread] = 1 / time;
    return NULL;
}

int main(int n, char **word)
{
    if (n != 5) {
        fprintf(stderr, "modelled: expected THREADS serial|parallel REMOTE SECONDS\n");
        return 2;
    }
    count = atoi(word[1]), is_serial = !strcmp(word[2], "serial"), remote = atof(word[3]), seconds = atof(word[4]);
    if (count < 1 || count > THREADS) return 2;
    pthread_t threads[THREADS];
    pthread_barrier_init(&begun, NULL, (unsigned)count);
    for (int k = 0; k < count; k++) {
        arrays[k] = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (arrays[k] == MAP_FAILED) return 1;
        if (is_serial) touch(k);
    }
    for (int k = 1; k < count; k++) pthread_create(&threads[k], NULL, work, (void *)(size_t)k);
    work(NULL);
    for (int k = 1; k < count; k++) pthread_join(threads[k], NULL);
    // The threads wait for each other: the slowest has the say.
    double slowest = rates[0];
    for (int k = 1; k < count; k++) slowest = rates[k] < slowest ? rates[k] : slowest;
    srand((unsigned)getpid());
    printf("throughput: %.4f\n", count * slowest * (1 + 0.004 * ((double)rand() / RAND_MAX - 0.5)));
    return 0;
}
