/* A loop in 20 dimensions, most of one iteration, whose iterations wait for those before them: entry points of as many numbers. An
   iteration that waits for the wrong one hangs until the alarm. */
#include <stdio.h>
#include <unistd.h>

#define ONE(n) for (int n = 3; n < 4; ++n)

int main(void) {
    enum { I = 40, J = 60 };
    static long cells[I][J];
    alarm(300);
#pragma omp parallel num_threads(3)
#pragma omp for ordered(20) schedule(dynamic)
    for (int i = 0; i < I; ++i)
        ONE(a) ONE(b) ONE(c) ONE(d) ONE(e) ONE(f) ONE(g) ONE(h) ONE(k) ONE(l) ONE(m) ONE(n) ONE(o) ONE(p) ONE(q) ONE(r) ONE(s) ONE(t)
            for (int j = 0; j < J; ++j) {
#pragma omp ordered depend(sink : i - 1, a, b, c, d, e, f, g, h, k, l, m, n, o, p, q, r, s, t, j)
                cells[i][j] = 1 + (i > 0 ? cells[i - 1][j] : 0);
#pragma omp ordered depend(source)
            }
    long sum = 0;
    for (int j = 0; j < J; ++j)
        sum += cells[I - 1][j];
    printf("%ld\n", sum);
    return 0;
}
