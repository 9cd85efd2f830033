/* phases: four arrays of different kinds, each used alone but each in another way, by two threads for known times. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "account.h"
#include "kernels.h"

enum { A = 1 << 23, B = 1 << 22, C = 1 << 21, D = 1 << 21 };

static word d[D] __attribute__((aligned(PAGE_BYTES))); DEFINED_HERE(d);
static word *a, *b, *c;
static int of_a, of_b, of_c, of_d;

static void *first(void *unused) {
    static struct walk w;
    account_thread(1);
    const double seconds = account_seconds();
    for (int turn = 0; turn < 4; ++turn) {
        USE_FOR(of_a, 0.4 * seconds / 4, 1, chase(a, A, &w));
        USE_FOR(of_b, 0.4 * seconds / 4, 1, random_reads(b, B, &w));
        USE_FOR(of_c, 0.2 * seconds / 4, 0, random_writes(c, C, &w));
    }
    return unused;
}

static void *second(void *unused) {
    static struct walk w;
    account_thread(2);
    const double seconds = account_seconds();
    for (int turn = 0; turn < 4; ++turn) {
        USE_FOR(of_a, 0.15 * seconds / 4, 1, strided(a, A, &w));
        USE_FOR(of_b, 0.25 * seconds / 4, 1, chase(b, B, &w));
        USE_FOR(of_d, 0.6 * seconds / 4, 1, random_reads(d, D, &w));
    }
    return unused;
}

int main(void) {
    account_begin();
    a = malloc(A * sizeof *a); of_a = HERE_OBJECT("a", "heap");
    b = aligned_alloc(64, B * sizeof *b); of_b = HERE_OBJECT("b", "heap");
    c = mmap(NULL, C * sizeof *c, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); of_c = HERE_OBJECT("c", "mapped");
    of_d = DEFINED_OBJECT(d, "global");
    if (a == NULL || b == NULL || c == MAP_FAILED)
        return 1;
    fill(a, A, 0, A);
    fill(b, B, 0, B);
    fill(c, C, 0, C);
    fill(d, D, 0, D);
    account_touch(of_a, A * sizeof *a);
    account_touch(of_b, B * sizeof *b);
    account_touch(of_c, C * sizeof *c);
    account_touch(of_d, D * sizeof *d);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int k = 0; k < 2; ++k)
        pthread_join(threads[k], NULL);
    account_print("separable");
    return 0;
}
