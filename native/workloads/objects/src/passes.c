/* Loops of which each pass is known: how many there are, what they load, store and compute, how far accesses are apart. Each takes as much CPU time.
 * Prints for each function what all passes of one call do: elements on average and their standard deviation, bytes loaded and stored and
 * floating-point operations an element, the stride of its slowest access, and the percentage of the cache lines that this one uses. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LENGTH = 4096, ROWS = 512, COLUMNS = 1024, LARGE = 1 << 22 };

static double a[LENGTH], b[LENGTH], c[LENGTH], matrix[ROWS][COLUMNS];
static double *far_a, *far_b, *far_c;
struct particle {
    double x, y, z, mass, charge, spin;
};
static struct particle particles[LENGTH];

__attribute__((noinline)) static void triad(double *to, const double *restrict one, const double *restrict two, double factor, long n) {
    for (long k = 0; k < n; k++)
        to[k] = one[k] + factor * two[k];
}

/* Nearly the same, of more than caches hold. */
__attribute__((noinline)) static void stream(double *to, const double *restrict one, const double *restrict two, double factor, long n) {
    for (long k = 0; k < n; k++)
        to[k] = factor * one[k] + two[k];
}

/* Each element needs the one before: no compiler makes vectors of it. */
__attribute__((noinline)) static double chain(const double *of, double factor, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * factor + of[k];
    return sum;
}

__attribute__((noinline)) static double column(const double *first, long stride, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 0.5 + first[k * stride];
    return sum;
}

__attribute__((noinline)) static double members(const struct particle *of, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 0.5 + of[k].x * of[k].mass;
    return sum;
}

/* Of half of the elements, which nobody can foretell; `volatile` keeps compilers from a choice without a branch. */
__attribute__((noinline)) static void halves(const double *of, volatile double *to, int n) {
    for (int k = 0; k < n; k++)
        if (of[k] > 0.5)
            to[k] = of[k] * 3.0;
}

/* Sums in registers only, as many at once as the processor can begin. */
#if defined __AVX512F__
enum { WIDTH = 64 };
#elif defined __AVX__
enum { WIDTH = 32 };
#else
enum { WIDTH = 16 };
#endif
typedef double vector __attribute__((vector_size(WIDTH)));

__attribute__((noinline)) static vector registers(vector f, long n) {
    vector a0 = f, a1 = f, a2 = f, a3 = f, a4 = f, a5 = f, a6 = f, a7 = f, a8 = f, a9 = f, a10 = f, a11 = f;
    for (long k = 0; k < n; k++) {
        a0 = a0 * f + f, a1 = a1 * f + f, a2 = a2 * f + f, a3 = a3 * f + f;
        a4 = a4 * f + f, a5 = a5 * f + f, a6 = a6 * f + f, a7 = a7 * f + f;
        a8 = a8 * f + f, a9 = a9 * f + f, a10 = a10 * f + f, a11 = a11 * f + f;
        /* Else compilers see that all are the same. */
        __asm__ volatile("" : "+x"(a0), "+x"(a1), "+x"(a2), "+x"(a3), "+x"(a4), "+x"(a5));
        __asm__ volatile("" : "+x"(a6), "+x"(a7), "+x"(a8), "+x"(a9), "+x"(a10), "+x"(a11));
    }
    return a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11;
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int argc, char **argv) {
    static const int lengths[] = {200, 600, 1000, 400};
    double seconds = argc > 1 ? atof(argv[1]) : 0.7, sum = 0;
    unsigned state = 1;
    far_a = malloc(LARGE * sizeof *far_a);
    far_b = malloc(LARGE * sizeof *far_b);
    far_c = malloc(LARGE * sizeof *far_c);
    for (int k = 0; k < LARGE; k++)
        far_a[k] = far_b[k] = far_c[k] = 1;
    for (int k = 0; k < LENGTH; k++) {
        state = state * 1664525u + 1013904223u;
        b[k] = state / 4294967296.0;
        c[k] = 1;
        particles[k].x = particles[k].mass = 1;
    }
    for (int of = 0; of < 7; of++) {
        unsigned turn = 0;
        for (double end = cpu_seconds() + seconds; cpu_seconds() < end;)
            for (int times = of == 5 ? 99 : 0; times < 100; times++, turn++)
                switch (of) {
                case 0: triad(a, b, c, 0.5, LENGTH); break;
                case 1: sum += chain(b, 0.5, lengths[turn % 4]); break;
                case 2: sum += column(matrix[0] + turn % COLUMNS, COLUMNS, ROWS); break;
                case 3: sum += members(particles, LENGTH); break;
                case 4: halves(b, a, LENGTH); break;
                case 5: stream(far_a, far_b, far_c, 0.5, LARGE); break;
                case 6: sum += registers((vector){0.5}, 2000)[0]; break;
                }
    }
    fprintf(stderr, "%g %g\n", sum, a[1] + far_a[2]);
    puts("function elements deviation loaded stored operations stride of_lines");
    printf("triad %d 0 16 8 2 8 100\n", LENGTH);
    printf("chain 550 295.80 8 0 2 8 100\n");
    printf("column %d 0 8 0 2 %zu 12.5\n", ROWS, sizeof matrix[0]);
    printf("members %d 0 16 0 3 %zu 33.333\n", LENGTH, sizeof *particles);
    int many = 0;
    for (int k = 0; k < LENGTH; k++)
        many += b[k] > 0.5;
    printf("halves %d 0 8 %g %g 8 100\n", LENGTH, 8.0 * many / LENGTH, 1.0 * many / LENGTH);
    printf("stream %d 0 16 8 2 8 100\n", LARGE);
    printf("registers 2000 0 0 0 %zu 0 0\n", 24 * WIDTH / sizeof(double));
    return 0;
}
