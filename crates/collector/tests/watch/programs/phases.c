/* Regions: the way is the argument. Computes by the clock, so that times are known. */
#include <numawise.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void spend(double seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
}

static void *thread(void *name)
{
    numawise_region_begin(name);
    spend(0.02);
    numawise_region_end(name);
    numawise_region_begin("left open");
    return 0;
}

static void recurse(int depth)
{
    numawise_region_begin("recursion");
    spend(0.002);
    if (depth > 1)
        recurse(depth - 1);
    numawise_region_end("recursion");
}

int main(int count, char **words)
{
    const char *way = count > 1 ? words[1] : "";
    if (!strcmp(way, "nested")) {
        for (int k = 0; k < 3; k++) {
            numawise_region_begin("outer");
            spend(0.01);
            numawise_region_begin("inner");
            spend(0.02);
            numawise_region_end("inner");
            numawise_region_end("outer");
        }
        recurse(50);
    } else if (!strcmp(way, "unbalanced")) {
        numawise_region_end("never begun");
        numawise_region_begin("outer");
        numawise_region_begin("forgotten");
        spend(0.01);
        numawise_region_end("outer");
        numawise_region_end("forgotten");
        numawise_region_begin("never ended");
        spend(0.01);
    } else if (!strcmp(way, "threads")) {
        pthread_t threads[2];
        numawise_region_begin("whole");
        for (int k = 0; k < 2; k++)
            pthread_create(&threads[k], 0, thread, "work");
        for (int k = 0; k < 2; k++)
            pthread_join(threads[k], 0);
        numawise_region_end("whole");
    } else if (!strcmp(way, "fork")) {
        numawise_region_begin("parent");
        if (fork() == 0) {
            numawise_region_begin("child");
            spend(0.01);
            numawise_region_end("child");
            numawise_region_end("parent");
            _exit(0);
        }
        wait(0);
        numawise_region_end("parent");
    } else if (!strcmp(way, "killed")) {
        numawise_region_begin("open");
        spend(0.1);
        numawise_region_begin("ended");
        spend(0.02);
        numawise_region_end("ended");
        kill(getpid(), SIGKILL);
    } else if (!strcmp(way, "many")) {
        char name[300];
        for (int k = 0; k < 100; k++) {
            snprintf(name, sizeof name, "%d %0250d", k, 0);
            numawise_region_begin(name);
            numawise_region_end(name);
        }
        numawise_region_begin("");
        numawise_region_end("");
        numawise_region_begin(0);
        numawise_region_end(0);
    } else if (!strcmp(way, "team")) {
        for (int k = 0; k < 4; k++) {
            numawise_region_begin("solve");
#pragma omp parallel num_threads(2)
            {
                numawise_region_begin("in region");
#pragma omp master
                spend(0.02);
                numawise_region_end("in region");
            }
            spend(0.01);
            numawise_region_end("solve");
            spend(0.01);
        }
    }
    puts("done");
    return 0;
}
