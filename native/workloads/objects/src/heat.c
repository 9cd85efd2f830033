/* heat PASSES: five arrays of different sizes, of which two threads read a half each, from one end to the other, as often as each array is
 * hot. Not all of them fit into 30 MiB of fast memory together, and those that are hottest for each byte are not the best choice:
 *
 *     array  MiB  passes  MiB read
 *     a      4    3       12
 *     b      12   2       24
 *     c      17   1.9     32.3
 *     d      15   1.5     22.5
 *     e      8    1       8
 *
 * PASSES times so many. Besides the truth of account.h it prints, of the reading alone:
 *
 *     pages object=NAME node=N share=X        as move_pages(2) has it
 *     took object=NAME seconds=X
 *     took all seconds=X */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "account.h"
#include "kernels.h"

enum { MIB_WORDS = (1 << 20) / sizeof(word), PAGE_WORDS = PAGE_BYTES / sizeof(word), THREADS = 2, ARRAYS = 5, MOST_NODES = 64 };

static struct array {
    const char *name;
    size_t mib;
    double passes;
    int object;
    word *words;
    double seconds;
} arrays[ARRAYS] = {{.name = "a", .mib = 4, .passes = 3},
                    {.name = "b", .mib = 12, .passes = 2},
                    {.name = "c", .mib = 17, .passes = 1.9},
                    {.name = "d", .mib = 15, .passes = 1.5},
                    {.name = "e", .mib = 8, .passes = 1}};

static double passes;
static pthread_barrier_t both_are_here;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads so many lines, over and over the part. */
LOOP word read_lines(const word *p, size_t n, size_t lines) {
    word sum = 0;
    while (lines > 0) {
        const size_t now_lines = lines < n / LINE_WORDS ? lines : n / LINE_WORDS;
        for (size_t k = 0; k < now_lines; ++k)
            sum += *(const volatile word *)&p[k * LINE_WORDS];
        lines -= now_lines;
    }
    return sum;
}

static void *work(void *argument) {
    const int me = *(const int *)argument;
    if (me != 0)
        account_thread(me);
    for (struct array *of = arrays; of < arrays + ARRAYS; ++of) {
        const size_t half = of->mib * MIB_WORDS / THREADS;
        pthread_barrier_wait(&both_are_here);
        const double begun = now(), computed = account_clock();
        read_lines(of->words + (size_t)me * half, half, (size_t)(passes * of->passes * (double)(half / LINE_WORDS)));
        account_use(of->object, account_clock() - computed, 1);
        pthread_barrier_wait(&both_are_here);
        if (me == 0)
            of->seconds = now() - begun;
    }
    return NULL;
}

static void show(const struct array *of) {
    const size_t pages = of->mib * MIB_WORDS / PAGE_WORDS;
    void **addresses = malloc(pages * sizeof *addresses);
    int *nodes = malloc(pages * sizeof *nodes);
    if (addresses == NULL || nodes == NULL)
        exit(1);
    for (size_t page = 0; page < pages; ++page)
        addresses[page] = of->words + page * PAGE_WORDS;
    if (syscall(SYS_move_pages, 0, pages, addresses, NULL, nodes, 0) != 0) {
        perror("heat: move_pages");
        exit(1);
    }
    long count[MOST_NODES] = {0};
    for (size_t page = 0; page < pages; ++page)
        if (nodes[page] >= 0 && nodes[page] < MOST_NODES)
            ++count[nodes[page]];
    for (int node = 0; node < MOST_NODES; ++node)
        if (count[node] > 0)
            printf("pages object=%s node=%d share=%.6f\n", of->name, node, (double)count[node] / (double)pages);
    printf("took object=%s seconds=%.6f\n", of->name, of->seconds);
    free(addresses);
    free(nodes);
}

static void make(struct array *of, word *words) {
    if (words == NULL)
        exit(1);
    /* Pages that are the array's alone. */
    of->words = (word *)(((uintptr_t)words + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    for (size_t at = 0; at < of->mib * MIB_WORDS; at += PAGE_WORDS)
        of->words[at] = at;
    account_touch(of->object, (double)(of->mib << 20));
}

#define BYTES_OF(k) (arrays[k].mib * MIB_WORDS * sizeof(word) + PAGE_BYTES)

int main(int count, char **arguments) {
    passes = count == 2 ? atof(arguments[1]) : 0;
    if (passes <= 0) {
        fprintf(stderr, "heat: expected how often the arrays are read\n");
        return 2;
    }
    account_begin();
    word *a = malloc(BYTES_OF(0)); arrays[0].object = HERE_OBJECT("a", "heap");
    word *b = malloc(BYTES_OF(1)); arrays[1].object = HERE_OBJECT("b", "heap");
    word *c = malloc(BYTES_OF(2)); arrays[2].object = HERE_OBJECT("c", "heap");
    word *d = malloc(BYTES_OF(3)); arrays[3].object = HERE_OBJECT("d", "heap");
    word *e = malloc(BYTES_OF(4)); arrays[4].object = HERE_OBJECT("e", "heap");
    word *all[ARRAYS] = {a, b, c, d, e};
    for (int k = 0; k < ARRAYS; ++k)
        make(&arrays[k], all[k]);
    pthread_barrier_init(&both_are_here, NULL, THREADS);
    pthread_t other;
    int numbers[THREADS] = {0, 1};
    pthread_create(&other, NULL, work, &numbers[1]);
    work(&numbers[0]);
    pthread_join(other, NULL);
    account_print("separable");
    double seconds = 0;
    for (int k = 0; k < ARRAYS; ++k) {
        show(&arrays[k]);
        seconds += arrays[k].seconds;
    }
    printf("took all seconds=%.6f\n", seconds);
    return 0;
}
