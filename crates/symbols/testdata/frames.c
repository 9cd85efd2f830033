/* Functions with frames of many forms. */
#include "stepped.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define OWN __attribute__((noinline))

static volatile double sink;

OWN static double leaf(double x) { return x * 3 + 1; }

OWN static int sum(int count, ...)
{
    va_list list;
    va_start(list, count);
    int all = 0;
    while (count--)
        all += va_arg(list, int);
    va_end(list);
    return all;
}

OWN static double variable_size(int n)
{
    double a[n];
    for (int i = 0; i < n; i++)
        a[i] = leaf(i);
    char *more = __builtin_alloca(n * 3);
    memset(more, 1, n * 3);
    return a[n - 1] + more[n];
}

OWN static double aligned(int n)
{
    __attribute__((aligned(64))) double a[64];
    double *more = __builtin_alloca(n * 8);
    for (int i = 0; i < 64; i++)
        a[i] = variable_size(4 + i % 2) + sum(3, i, n, 2);
    memcpy(more, a, (n < 64 ? n : 64) * 8);
    return a[n % 64] + more[0];
}

OWN static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

OWN static long recurse(int n, long a, long b, long c, long d)
{
    if (n == 0)
        return leaf(a + b);
    long more = recurse(n - 1, b, c, d, a + n);
    return more + a * b + c * d;
}

OWN static void on_signal(int signal)
{
    step_on();
    sink = leaf(signal) + recurse(2, 5, 6, 7, 8);
}

OWN static void work(void)
{
    double v[33];
    char text[300];
    for (int i = 0; i < 33; i++)
        v[i] = (i * 7919) % 101;
    qsort(v, 33, sizeof *v, compare);
    sink = aligned(9) + recurse(12, 1, 2, 3, 4) + sin(v[3]) + pow(v[4], 1.5);
    snprintf(text, sizeof text, "%s %.17g %d", "many frames below", v[7], 4711);
    memset(text, 7, sizeof text);
    memmove(text + 9, text, 200);
    char *heap = malloc(5000);
    heap = realloc(heap, 150000);
    heap[5] = strlen("long enough to take the loop of it, many times over");
    sink = heap[5];
    free(heap);
    raise(SIGUSR1);
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    run_stepped(work);
    return 0;
}
