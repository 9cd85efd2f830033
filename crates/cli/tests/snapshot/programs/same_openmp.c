/* Constructs of OpenMP whose result does not depend on the number of threads; the status is 7. */
#include <omp.h>
#include <stdio.h>

static long fibonacci(int n) {
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 8)
    a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 8)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    enum { N = 1000 };
    static long cells[N + 1];
    long sum = 0, most = 0, fibo = 0, nested = 0, ordered = 0, taken = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4) reduction(+ : sum) reduction(max : most)
    {
#pragma omp for schedule(dynamic, 3)
        for (int k = 0; k < N; ++k) {
            sum += k;
            most = k > most ? k : most;
        }
#pragma omp for schedule(guided) nowait
        for (int k = 0; k < N; ++k)
#pragma omp atomic
            taken += k;
#pragma omp single
        fibo = fibonacci(16);
#pragma omp sections
        {
#pragma omp section
#pragma omp critical
            nested += 1;
#pragma omp section
#pragma omp critical
            nested += 2;
        }
    }
#pragma omp parallel for ordered schedule(dynamic) num_threads(3)
    for (int k = 0; k < 50; ++k)
#pragma omp ordered
        ordered = ordered * 3 % 1009 + k;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    nested += 10;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(100)
    for (int k = 1; k <= N; ++k)
        cells[k] = k;
#pragma omp parallel for ordered(1) num_threads(2)
    for (int k = 1; k <= N; ++k) {
#pragma omp ordered depend(sink : k - 1)
        cells[k] += cells[k - 1] % 7;
#pragma omp ordered depend(source)
    }
    printf("%ld %ld %ld %ld %ld %ld %ld\n", sum, most, fibo, nested, ordered, taken, cells[N]);
    return 7;
}
