// cases_openmp serial|parallel MIB ROUNDS: an array that OpenMP's threads sweep, touched by one thread or by all.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

int main(int count, char **words)
{
    if (count != 4) return fprintf(stderr, "usage: cases_openmp serial|parallel MIB ROUNDS\n"), 2;
    double begin = now();
    bool serial = !strcmp(words[1], "serial");
    size_t bytes = strtoul(words[2], NULL, 10) << 20;
    long rounds = strtol(words[3], NULL, 10);
    unsigned char *memory = private_memory(bytes);
    if (serial) touch(memory, bytes);
#pragma omp parallel
    {
        struct part own = part(memory, bytes, omp_get_thread_num(), omp_get_num_threads());
        if (!serial) touch(own.memory, own.bytes);
#pragma omp barrier
        for (long round = 0; round < rounds; round++) {
            sweep(own.memory, own.bytes, 1);
#pragma omp barrier
        }
    }
    const char *check = getenv("CASES_CHECK");
    if (check && !strcmp(check, "1") && !swept(memory, bytes, rounds)) wrong("lines were not swept as often as asked");
    printf("cases_openmp: done\nseconds: %.6f\n", now() - begin);
    return 0;
}
