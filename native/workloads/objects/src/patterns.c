/* patterns MODE: three arrays, each used alone and in the same way, by two threads for known times. They have one size, above that of
 * the caches: where one lay nearer, less of the time with it would be waiting. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "account.h"
#include "kernels.h"

enum { GRID = 1 << 23, FIELD = GRID, TABLE = GRID };

static word table[TABLE] __attribute__((aligned(PAGE_BYTES))); DEFINED_HERE(table);
static word *grid, *field;

typedef void loop(word *, size_t, struct walk *);
/* The loops that only read promise not to write. */
#define READS(name) {#name, (loop *)(void (*)(void))name, 1}

static const struct mode {
    const char *name;
    loop *run;
    double reads;
} modes[] = {
    READS(sequential), READS(strided), {"random", (loop *)(void (*)(void))random_reads, 1}, READS(chase),
    READS(branches), READS(calls), {"copy", (loop *)(void (*)(void))copy_out, 1},
    {"writes", random_writes, 0}, {"set", set, 0},
#ifdef __x86_64__
    {"avx", (loop *)(void (*)(void))vectors, 1}, READS(gather),
#endif
};

static const struct mode *mode;
static int of_grid, of_field, of_table;
static pthread_barrier_t all_touched;

/* Of the time of each thread with grid, field and table. */
static const double shares[2][3] = {{0.5, 0.3, 0.2}, {0.1, 0.3, 0.6}};

static void *worker(void *argument) {
    const int number = *(const int *)argument;
    account_thread(number);
    static struct walk walks[2];
    struct walk *w = &walks[number - 1];
    w->random = (word)number * 12345;
    if (number == 1) {
        fill(field, FIELD, 0, FIELD);
        account_touch(of_field, FIELD * sizeof *field);
    }
    const size_t half = TABLE / 2, from = (size_t)(number - 1) * half;
    fill(table, TABLE, from, from + half);
    account_touch(of_table, (double)half * sizeof *table);
    pthread_barrier_wait(&all_touched);
    const double *of = shares[number - 1], seconds = account_seconds();
    /* In several turns, so that each object is used all through the run. */
    for (int turn = 0; turn < 4; ++turn) {
        USE_FOR(of_grid, of[0] * seconds / 4, mode->reads, mode->run(grid, GRID, w));
        USE_FOR(of_field, of[1] * seconds / 4, mode->reads, mode->run(field, FIELD, w));
        USE_FOR(of_table, of[2] * seconds / 4, mode->reads, mode->run(table, TABLE, w));
    }
    return NULL;
}

int main(int count, char **arguments) {
    const size_t modes_count = sizeof modes / sizeof *modes;
    for (size_t k = 0; count == 2 && k < modes_count; ++k)
        if (strcmp(arguments[1], modes[k].name) == 0)
            mode = &modes[k];
    if (mode == NULL) {
        fprintf(stderr, "patterns: expected one of:");
        for (size_t k = 0; k < modes_count; ++k)
            fprintf(stderr, " %s", modes[k].name);
        fprintf(stderr, "\n");
        return 2;
    }
    account_begin();
#ifdef __x86_64__
    if ((strcmp(mode->name, "avx") == 0 || strcmp(mode->name, "gather") == 0) && !__builtin_cpu_supports("avx2")) {
        puts("truth skipped=this processor has no AVX2");
        return 0;
    }
#endif
    grid = malloc(GRID * sizeof *grid); of_grid = HERE_OBJECT("grid", "heap");
    field = mmap(NULL, FIELD * sizeof *field, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); of_field = HERE_OBJECT("field", "mapped");
    of_table = DEFINED_OBJECT(table, "global");
    if (grid == NULL || field == MAP_FAILED)
        return 1;
    fill(grid, GRID, 0, GRID);
    account_touch(of_grid, GRID * sizeof *grid);
    pthread_barrier_init(&all_touched, NULL, 2);
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    for (int k = 0; k < 2; ++k)
        pthread_create(&threads[k], NULL, worker, &numbers[k]);
    for (int k = 0; k < 2; ++k)
        pthread_join(threads[k], NULL);
    account_print("separable");
    return 0;
}
