// kinds KIND THREADS [SIZE] [--stretched]: runs one kind of program and prints its time.
#include "kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void fail(const char *what)
{
    fprintf(stderr, "kinds: %s: %s\n", what, strerror(errno));
    exit(1);
}

static _Thread_local double owed;

static void pay(double seconds)
{
    double begun = now();
    struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t) && errno == EINTR) {}
    owed -= now() - begun;  // a sleep that was too long is a credit
}

void compute(struct team *team, double seconds)
{
    seconds *= team->size;
    if (team->stretched) {
        owed += seconds;
        if (owed > 0.002) pay(owed);
        return;
    }
    // A chain of multiplications, about 1.5 ns each where a core has 3 GHz.
    // Volatile, or else the compiler sees where it ends.
    volatile double value = 2.0;
    double x = value;
    for (long k = (long)(seconds / 1.5e-9); k > 0; k--) x = x * 0.999999999 + 1e-9;
    value = x;
}

void compute_rest(struct team *team)
{
    if (team->stretched && owed > 0) pay(owed);
    owed = 0;
}

void sweep(unsigned char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE_BYTES) ++*(volatile uint64_t *)(memory + at);
}

void chase(const unsigned char *memory, size_t bytes, long loads, uint64_t seed)
{
    uint64_t lines = bytes / LINE_BYTES, state = seed * 0x9e3779b97f4a7c15u + 1;
    for (; loads > 0; loads--) {
        // The next place depends on what was read, so that one load waits for the other.
        state = state * 6364136223846793005u + 1442695040888963407u;
        state += *(const volatile uint64_t *)(memory + (state >> 33) % lines * LINE_BYTES);
    }
}

unsigned char *part(const struct team *team, int k, int n, size_t *bytes)
{
    size_t pages = team->bytes / PAGE_BYTES;
    size_t first = pages * (size_t)k / (size_t)n, end = pages * (size_t)(k + 1) / (size_t)n;
    *bytes = (end - first) * PAGE_BYTES;
    return team->memory + first * PAGE_BYTES;
}

void wait_for_all(struct team *team)
{
    compute_rest(team);
    pthread_barrier_wait(&team->barrier);
}

static const struct kind *running;
static double begun, ended;

struct worker { struct team *team; int k; pthread_t thread; };

static void touch(unsigned char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PAGE_BYTES) *(volatile unsigned char *)(memory + at) = 0;
}

static void *work(void *of)
{
    struct worker *worker = of;
    struct team *team = worker->team;
    if (running->bytes && !running->is_touched_by_one) {
        size_t bytes;
        unsigned char *own = part(team, worker->k, team->threads, &bytes);
        touch(own, bytes);
    }
    wait_for_all(team);
    if (!worker->k) begun = now();
    running->work(team, worker->k);
    wait_for_all(team);
    if (!worker->k) ended = now();
    return NULL;
}

static _Noreturn void usage(int status)
{
    fprintf(status ? stderr : stdout, "usage: kinds KIND THREADS [SIZE] [--stretched]\n");
    for (const struct kind *kind = kinds; kind->name; kind++)
        fprintf(status ? stderr : stdout, "  %-15s %s\n", kind->name, kind->what);
    exit(status);
}

static double number(const char *text, double most, const char *name)
{
    char *end;
    double value = strtod(text, &end);
    if (*text && !*end && value > 0 && value <= most) return value;
    fprintf(stderr, "kinds: %s: found '%s', expected a number up to %g\n", name, text, most);
    exit(2);
}

int main(int count, char **words)
{
    if (count > 1 && !strcmp(words[1], "--help")) usage(0);
    struct team team = {.size = 1};
    if (count > 1 && !strcmp(words[count - 1], "--stretched")) team.stretched = true, count--;
    if (count < 3 || count > 4) usage(2);
    for (running = kinds; running->name && strcmp(running->name, words[1]); running++) {}
    if (!running->name) {
        fprintf(stderr, "kinds: no kind is called '%s'\n", words[1]);
        return 2;
    }
    team.threads = (int)number(words[2], MOST_THREADS, "THREADS");
    if (team.threads < 1) number("0", MOST_THREADS, "THREADS");
    if (count > 3) team.size = number(words[3], 1e6, "SIZE");
    team.bytes = running->bytes;
    if (team.bytes) {
        team.memory = mmap(NULL, team.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (team.memory == MAP_FAILED) fail("mmap");
        if (running->is_touched_by_one) touch(team.memory, team.bytes);
    }
    if (pthread_barrier_init(&team.barrier, NULL, (unsigned)team.threads)) fail("pthread_barrier_init");
    struct worker workers[MOST_THREADS];
    for (int k = 0; k < team.threads; k++) workers[k] = (struct worker){.team = &team, .k = k};
    for (int k = 1; k < team.threads; k++)
        if ((errno = pthread_create(&workers[k].thread, NULL, work, &workers[k]))) fail("pthread_create");
    work(&workers[0]);
    for (int k = 1; k < team.threads; k++) pthread_join(workers[k].thread, NULL);
    printf("%s: done\nseconds: %.6f\n", running->name, ended - begun);
    return 0;
}
