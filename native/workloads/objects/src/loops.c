/* Three functions with one loop each, which take as much CPU time: on vectors of 128 bits, on one element at once, and through pointers. What
 * compilers make of them does not depend on their options: vectors are asked for by name, and each element of the scalar loop needs the one before. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef double pair __attribute__((vector_size(16)));
enum { LENGTH = 1024 };

static pair vectors[LENGTH];
static double chain[LENGTH];
struct node {
    struct node *next;
};
static struct node nodes[LENGTH];

__attribute__((noinline)) static void packed(pair factor) {
    for (int k = 0; k < LENGTH; k++)
        vectors[k] = vectors[k] * factor + factor;
}

__attribute__((noinline)) static double scalar(double factor) {
    double sum = 0;
    for (int k = 0; k < LENGTH; k++)
        sum = sum * factor + chain[k];
    return sum;
}

__attribute__((noinline)) static struct node *pointers(struct node *at) {
    for (int k = 0; k < LENGTH; k++)
        at = at->next;
    return at;
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(void) {
    for (int k = 0; k < LENGTH; k++) {
        nodes[k].next = &nodes[(k + 389) % LENGTH];
        chain[k] = k;
    }
    struct node *at = nodes;
    double sum = 0;
    for (int of = 0; of < 3; of++)
        for (double end = cpu_seconds() + 1.0; cpu_seconds() < end;)
            for (int turn = 0; turn < 100; turn++) {
                if (of == 0) packed((pair){0.5, 0.25});
                else if (of == 1) sum += scalar(0.5);
                else at = pointers(at);
            }
    printf("%g %g %d\n", sum, vectors[1][0], (int)(at - nodes));
    return 0;
}
