/* What small calls on files cost, in nanoseconds: the median of short rounds, and the 5th percentile. For scripts/bench-files. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 100, CALLS = 5000 };

static double of[ROUNDS];
static char byte;
static int file, zero, ends[2];
static FILE *stream;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void reads_file(void) { pread(file, &byte, 1, 0); }
static void writes_file(void) { pwrite(file, &byte, 1, 0); }
static void reads_device(void) { read(zero, &byte, 1); }
static void pipes(void) { write(ends[1], &byte, 1), read(ends[0], &byte, 1); }
static void closes_nothing(void) { close(999); }
static void opens(void) { close(open("/tmp", O_RDONLY)); }
static void opens_file(void) { close(open("cost.data", O_RDONLY)); }
static void prints(void) { fprintf(stream, "%d words\n", 17); }
static void puts_byte(void) { putc(byte, stream); }

int main(void) {
    const struct {
        const char *name;
        void (*does)(void);
    } all[] = {{"pread-file", reads_file},        {"pwrite-file", writes_file},  {"read-device", reads_device},
               {"pipe-there-and-back", pipes},    {"close-nothing", closes_nothing}, {"open-folder", opens},
               {"open-file", opens_file},         {"fprintf", prints},           {"putc", puts_byte}};
    file = open("cost.data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    zero = open("/dev/zero", O_RDONLY);
    stream = fopen("cost.text", "w");
    if (file < 0 || zero < 0 || !stream || pipe(ends) != 0 || pwrite(file, "x", 1, 0) != 1)
        return 1;
    for (unsigned k = 0; k < sizeof all / sizeof *all; ++k) {
        for (int round = 0; round < ROUNDS; ++round) {
            const double begin = now();
            for (int call = 0; call < CALLS; ++call)
                all[k].does();
            of[round] = (now() - begin) / CALLS;
            rewind(stream);
        }
        qsort(of, ROUNDS, sizeof *of, ascending);
        printf("%s %.1f %.1f\n", all[k].name, of[ROUNDS / 2], of[ROUNDS / 20]);
    }
    return 0;
}
