/* mixed MODE: loops over several arrays at once, of which the shares of time follow from what they do.
 *
 *     random  two words of `a` at random and one of `b`, which is as large: all accesses are alike, so 2/3 and 1/3
 *     chase   each load gives the address of the next one, in `a`, `a` and `b` by turns: each waits alone, so 2/3 and 1/3
 *     blocks  2,000 words of `a` at random, then 1,000 of `b`, in one function: 2/3 and 1/3
 *     four    one word each of `a`, `b`, `c`, `d` at random, all as large: a quarter each */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "account.h"
#include "kernels.h"

enum { N = 1 << 22 };

static word *a, *b, *c, *d;
static int of_a, of_b, of_c, of_d;

#define AT(p, at) (*(const volatile word *)&(p)[at])

LOOP void mixed_random(struct walk *w) {
    word x = w->random, sum = w->sum;
    for (int k = 0; k < STEPS / 2; ++k) {
        sum += AT(a, next_random(&x) & (N - 1));
        sum += AT(b, next_random(&x) & (N - 1));
        sum += AT(a, next_random(&x) & (N - 1));
    }
    w->random = x;
    w->sum = sum;
}

/* The numbers in both arrays are alike, so that one leads on in the other. A number of a line follows from the one before with a full
 * period: three steps at a time meet all lines of each array, since the period is a power of two. */
LOOP void mixed_chase(struct walk *w) {
    size_t at = w->at & (N - 1) & ~(size_t)(LINE_WORDS - 1);
    for (int k = 0; k < STEPS / 8; ++k) {
        at = AT(a, at);
        at = AT(a, at);
        at = AT(b, at);
    }
    w->at = at;
}

LOOP void mixed_blocks(struct walk *w) {
    word x = w->random, sum = w->sum;
    for (int block = 0; block < 8; ++block) {
        for (int k = 0; k < 2000; ++k)
            sum += AT(a, next_random(&x) & (N - 1));
        for (int k = 0; k < 1000; ++k)
            sum += AT(b, next_random(&x) & (N - 1));
    }
    w->random = x;
    w->sum = sum;
}

LOOP void mixed_four(struct walk *w) {
    word x = w->random, sum = w->sum;
    for (int k = 0; k < STEPS / 4; ++k) {
        sum += AT(a, next_random(&x) & (N - 1));
        sum += AT(b, next_random(&x) & (N - 1));
        sum += AT(c, next_random(&x) & (N - 1));
        sum += AT(d, next_random(&x) & (N - 1));
    }
    w->random = x;
    w->sum = sum;
}

static const struct mode {
    const char *name;
    void (*run)(struct walk *);
    double shares[4];
} modes[] = {
    {"random", mixed_random, {2 / 3., 1 / 3.}},
    {"chase", mixed_chase, {2 / 3., 1 / 3.}},
    {"blocks", mixed_blocks, {2 / 3., 1 / 3.}},
    {"four", mixed_four, {0.25, 0.25, 0.25, 0.25}},
};

static const struct mode *mode;

static void *worker(void *argument) {
    const int number = *(const int *)argument;
    static struct walk walks[2];
    struct walk *w = &walks[number - 1];
    account_thread(number);
    w->random = (word)number;
    w->at = (size_t)number * 8000;
    /* The second thread has half of the time. */
    const double seconds = account_seconds() / number, begun = account_clock();
    while (account_clock() < begun + seconds)
        mode->run(w);
    const double used = account_clock() - begun;
    const int objects[4] = {of_a, of_b, of_c, of_d};
    for (int k = 0; k < 4; ++k)
        account_use(objects[k], used * mode->shares[k], 1);
    return NULL;
}

int main(int count, char **arguments) {
    for (size_t k = 0; count == 2 && k < sizeof modes / sizeof *modes; ++k)
        if (strcmp(arguments[1], modes[k].name) == 0)
            mode = &modes[k];
    if (mode == NULL) {
        fprintf(stderr, "mixed: expected one of: random chase blocks four\n");
        return 2;
    }
    account_begin();
    a = malloc(N * sizeof *a); of_a = HERE_OBJECT("a", "heap");
    b = malloc(N * sizeof *b); of_b = HERE_OBJECT("b", "heap");
    c = malloc(N * sizeof *c); of_c = HERE_OBJECT("c", "heap");
    d = malloc(N * sizeof *d); of_d = HERE_OBJECT("d", "heap");
    word *all[4] = {a, b, c, d};
    const int objects[4] = {of_a, of_b, of_c, of_d};
    for (int k = 0; k < 4; ++k) {
        if (all[k] == NULL)
            return 1;
        fill(all[k], N, 0, N);
        account_touch(objects[k], N * sizeof *all[k]);
    }
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    for (int k = 0; k < 2; ++k)
        pthread_create(&threads[k], NULL, worker, &numbers[k]);
    for (int k = 0; k < 2; ++k)
        pthread_join(threads[k], NULL);
    account_print("mixed");
    return 0;
}
