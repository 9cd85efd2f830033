/* sockets READS [NAME...|all]: four arrays, of which each lies wrong on a machine with several nodes in a way of its own, and the named
 * ones lie right. Four threads, each on a CPU of its own where there are so many, the first two on the first half of the CPUs:
 *
 *     parts   each thread reads its quarter. Wrong: thread 0 touches all of it. Right: each thread touches its quarter
 *     far     threads 2 and 3 read a half each. Wrong: thread 0 touches it. Right: they do
 *     common  all threads read all of it. Wrong: thread 0 touches it. Right: the threads touch it page by page in turn
 *     own     thread 3 reads it, twice as often. Wrong: thread 0 touches it. Right: thread 3 does
 *
 * READS words at random by each thread, one array after the other. Besides the truth of account.h it prints where the pages lie, as
 * move_pages(2) has it, how long each array took, and the part of the time with it in which the page was on another node than the thread:
 *
 *     pages object=NAME node=N share=X
 *     took object=NAME seconds=X remote=X */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "account.h"
#include "kernels.h"

enum { N = 1 << 20, PAGE_WORDS = PAGE_BYTES / sizeof(word), PAGES = N / PAGE_WORDS, THREADS = 4, ARRAYS = 4, MOST_NODES = 64 };

/* Which words of an array a thread reads; none where `to` is 0. */
struct range {
    size_t from, to;
};

static struct array {
    const char *name;
    struct range of_thread[THREADS];
    int is_right, object, times;
    word *words;
    double seconds, share_of_time[THREADS];
} arrays[ARRAYS] = {
    {.name = "parts", .times = 1, .of_thread = {{0, N / 4}, {N / 4, N / 2}, {N / 2, N / 4 * 3}, {N / 4 * 3, N}}},
    {.name = "far", .times = 1, .of_thread = {{0, 0}, {0, 0}, {0, N / 2}, {N / 2, N}}},
    {.name = "common", .times = 1, .of_thread = {{0, N}, {0, N}, {0, N}, {0, N}}},
    {.name = "own", .times = 2, .of_thread = {{0, 0}, {0, 0}, {0, 0}, {0, N}}},
};

static long reads;
static pthread_barrier_t all_are_here;
static int node_of_thread[THREADS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPUs of the process before any thread has chosen one. */
static cpu_set_t allowed;

/* Puts this thread on its CPU. */
static void settle(int me) {
    if (CPU_COUNT(&allowed) >= THREADS) {
        int wanted = me * CPU_COUNT(&allowed) / THREADS, cpu = 0;
        while (!CPU_ISSET(cpu, &allowed) || wanted-- > 0)
            ++cpu;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    unsigned cpu, node;
    if (syscall(SYS_getcpu, &cpu, &node, NULL) == 0)
        node_of_thread[me] = (int)node;
}

/* The pages of an array that this thread is to touch first: it has those of its own range, or some of all. */
static void touch(struct array *of, int me) {
    const int is_common = of->of_thread[0].to == N;
    double bytes = 0;
    for (size_t page = 0; page < PAGES; ++page) {
        const size_t at = page * PAGE_WORDS;
        const struct range mine = of->of_thread[me];
        const int is_mine = is_common ? (int)(page % THREADS) == me : mine.from <= at && at < mine.to;
        if (of->is_right ? is_mine : me == 0) {
            of->words[at] = at;
            bytes += PAGE_BYTES;
        }
    }
    if (bytes > 0)
        account_touch(of->object, bytes);
}

LOOP void read_at_random(const word *p, size_t n, long count, struct walk *w) {
    word sum = w->sum, x = w->random;
    for (long k = 0; k < count; ++k)
        sum += *(const volatile word *)&p[next_random(&x) & (n - 1)];
    w->random = x;
    w->sum = sum;
}

static void *work(void *argument) {
    const int me = *(const int *)argument;
    static struct walk walks[THREADS];
    if (me != 0)
        account_thread(me);
    settle(me);
    pthread_barrier_wait(&all_are_here);
    for (struct array *of = arrays; of < arrays + ARRAYS; ++of)
        touch(of, me);
    walks[me].random = (word)me;
    for (struct array *of = arrays; of < arrays + ARRAYS; ++of) {
        pthread_barrier_wait(&all_are_here);
        const double begun = now(), computed = account_clock();
        const struct range mine = of->of_thread[me];
        if (mine.to > 0 && reads > 0) {
            read_at_random(of->words + mine.from, mine.to - mine.from, of->times * reads, &walks[me]);
            of->share_of_time[me] = account_clock() - computed;
            account_use(of->object, of->share_of_time[me], 1);
        }
        pthread_barrier_wait(&all_are_here);
        if (me == 0)
            of->seconds = now() - begun;
    }
    return NULL;
}

/* Where its pages lie now, and what part of the time with it was spent on pages of other nodes. */
static void show(const struct array *of) {
    static void *addresses[PAGES];
    static int nodes[PAGES];
    for (size_t page = 0; page < PAGES; ++page)
        addresses[page] = of->words + page * PAGE_WORDS;
    if (syscall(SYS_move_pages, 0, (unsigned long)PAGES, addresses, NULL, nodes, 0) != 0) {
        perror("sockets: move_pages");
        exit(1);
    }
    long count[MOST_NODES] = {0};
    for (size_t page = 0; page < PAGES; ++page)
        if (nodes[page] >= 0 && nodes[page] < MOST_NODES)
            ++count[nodes[page]];
    for (int node = 0; node < MOST_NODES; ++node)
        if (count[node] > 0)
            printf("pages object=%s node=%d share=%.6f\n", of->name, node, (double)count[node] / PAGES);
    double all = 0, remote = 0;
    for (int t = 0; t < THREADS; ++t) {
        const size_t from = of->of_thread[t].from / PAGE_WORDS, to = of->of_thread[t].to / PAGE_WORDS;
        long elsewhere = 0;
        for (size_t page = from; page < to; ++page)
            elsewhere += nodes[page] != node_of_thread[t];
        all += of->share_of_time[t];
        remote += to > from ? of->share_of_time[t] * (double)elsewhere / (double)(to - from) : 0;
    }
    printf("took object=%s seconds=%.6f remote=%.6f\n", of->name, of->seconds, all > 0 ? remote / all : 0);
}

static int chosen(const char *name, int count, char **names) {
    for (int k = 0; k < count; ++k)
        if (strcmp(names[k], name) == 0 || strcmp(names[k], "all") == 0)
            return 1;
    return 0;
}

int main(int count, char **arguments) {
    reads = count > 1 ? atol(arguments[1]) : 0;
    if (reads <= 0) {
        fprintf(stderr, "sockets: expected how many words each thread reads, and the arrays that are to lie right\n");
        return 2;
    }
    account_begin();
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int k = 0; k < ARRAYS; ++k)
        arrays[k].is_right = chosen(arrays[k].name, count - 2, arguments + 2);
    word *parts = malloc(N * sizeof *parts + PAGE_BYTES); arrays[0].object = HERE_OBJECT("parts", "heap");
    word *far = malloc(N * sizeof *far + PAGE_BYTES); arrays[1].object = HERE_OBJECT("far", "heap");
    word *common = malloc(N * sizeof *common + PAGE_BYTES); arrays[2].object = HERE_OBJECT("common", "heap");
    word *own = malloc(N * sizeof *own + PAGE_BYTES); arrays[3].object = HERE_OBJECT("own", "heap");
    word *all[ARRAYS] = {parts, far, common, own};
    for (int k = 0; k < ARRAYS; ++k) {
        if (all[k] == NULL)
            return 1;
        /* Pages that are the array's alone. */
        arrays[k].words = (word *)(((uintptr_t)all[k] + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    }
    pthread_barrier_init(&all_are_here, NULL, THREADS);
    pthread_t threads[THREADS];
    int numbers[THREADS] = {0, 1, 2, 3};
    for (int t = 1; t < THREADS; ++t)
        pthread_create(&threads[t], NULL, work, &numbers[t]);
    work(&numbers[0]);
    for (int t = 1; t < THREADS; ++t)
        pthread_join(threads[t], NULL);
    account_print("separable");
    for (int k = 0; k < ARRAYS; ++k)
        show(&arrays[k]);
    return 0;
}
