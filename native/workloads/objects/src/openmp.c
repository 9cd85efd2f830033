/* openmp serial|parallel: two arrays that two threads divide among them, touched by the first of them or by each its own half. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "kernels.h"

enum { N = 1 << 22, THREADS = 2 };

static int touch_serially;

/* A static schedule over blocks: each thread has the same half each time. */
static void initialise(word *p, int object) {
    if (touch_serially) {
        fill(p, N, 0, N);
        account_touch(object, N * sizeof *p);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(THREADS)
    for (int half = 0; half < THREADS; ++half) {
        const size_t words = N / THREADS, from = (size_t)half * words;
        fill(p, N, from, from + words);
        account_touch(object, (double)words * sizeof *p);
    }
}

/* Each thread in its own half. */
static void use(word *p, int object, double seconds) {
#pragma omp parallel num_threads(THREADS)
    {
        static struct walk walks[THREADS];
        const int me = omp_get_thread_num();
        struct walk *w = &walks[me];
        w->random += (word)me;
        const word *half = p + (size_t)me * (N / THREADS);
        USE_FOR(object, seconds, 1, random_reads(half, N / THREADS, w));
    }
}

int main(int count, char **arguments) {
    if (count != 2 || (strcmp(arguments[1], "serial") != 0 && strcmp(arguments[1], "parallel") != 0)) {
        fprintf(stderr, "openmp: expected serial or parallel\n");
        return 2;
    }
    touch_serially = strcmp(arguments[1], "serial") == 0;
    account_begin();
    /* The runtime keeps its threads: their numbers stay. */
#pragma omp parallel num_threads(THREADS)
    account_thread(omp_get_thread_num());
    word *u = malloc(N * sizeof *u); const int of_u = HERE_OBJECT("u", "heap");
    word *v = malloc(N * sizeof *v); const int of_v = HERE_OBJECT("v", "heap");
    if (u == NULL || v == NULL)
        return 1;
    initialise(u, of_u);
    initialise(v, of_v);
    const double seconds = account_seconds();
    for (int turn = 0; turn < 4; ++turn) {
        use(u, of_u, 0.75 * seconds / 4);
        use(v, of_v, 0.25 * seconds / 4);
    }
    account_print("separable");
    return 0;
}
