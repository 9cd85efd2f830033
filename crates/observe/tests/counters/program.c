/* Touches pages in known places, each for the first time; with a second word `time` it spends processor time in place of it, and says how
 * much the kernel accounts for. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double processor(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

enum { PAGES = 4000 };
static int is_time;

static void touch(int units)
{
    size_t page = sysconf(_SC_PAGESIZE), bytes = (size_t)units * PAGES * page;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += page)
        ((volatile char *)memory)[at] = 1;
    munmap(memory, bytes);
}

/* A unit is so many pages, or a tenth of a second. */
static void work(int units)
{
    if (!is_time) {
        touch(units);
        return;
    }
    double end = processor(CLOCK_THREAD_CPUTIME_ID) + 0.1 * units;
    while (processor(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void *worker(void *none)
{
    (void)none;
    work(1);
    return NULL;
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    is_time = count > 2 && !strcmp(words[2], "time");
    if (!strcmp(what, "threads")) {
        pthread_t threads[3];
        for (int k = 0; k < 3; k++)
            pthread_create(&threads[k], NULL, worker, NULL);
        work(1);
        for (int k = 0; k < 3; k++)
            pthread_join(threads[k], NULL);
    } else if (!strcmp(what, "forks")) {
        work(1);
        fflush(stdout);
        if (fork() == 0) {
            work(3);
            _exit(0);
        }
        wait(NULL);
    } else if (!strcmp(what, "becomes")) {
        work(1);
        char *then[] = {words[0], "works", words[2], NULL};
        execv(words[0], then);
    } else if (!strcmp(what, "works")) {
        work(2);
    } else if (!strcmp(what, "dies")) {
        work(1);
        raise(SIGKILL);
    } else if (!strcmp(what, "closes")) {
        for (int k = 3; k < 1024; k++)
            close(k);
        work(1);
    } else if (!strcmp(what, "lists")) {
        DIR *folder = opendir("/proc/self/fd");
        for (struct dirent *entry; (entry = readdir(folder));)
            printf("%s ", entry->d_name);
        return 0;
    }
    printf("%.6f\n", processor(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
