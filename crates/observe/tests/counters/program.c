/* Spends processor time in known places, and says how much the kernel accounts for. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void spin(double seconds)
{
    double end = processor(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (processor(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void *worker(void *seconds)
{
    spin(*(double *)seconds);
    return NULL;
}

int main(int count, char **words)
{
    double some = 0.1;
    const char *what = count > 1 ? words[1] : "";
    if (!strcmp(what, "threads")) {
        pthread_t threads[3];
        for (int k = 0; k < 3; k++)
            pthread_create(&threads[k], NULL, worker, &some);
        spin(some);
        for (int k = 0; k < 3; k++)
            pthread_join(threads[k], NULL);
    } else if (!strcmp(what, "forks")) {
        spin(some);
        fflush(stdout);
        if (fork() == 0) {
            spin(3 * some);
            _exit(0);
        }
        wait(NULL);
    } else if (!strcmp(what, "becomes")) {
        spin(some);
        char *then[] = {words[0], "spins", NULL};
        execv(words[0], then);
    } else if (!strcmp(what, "spins")) {
        spin(2 * some);
    } else if (!strcmp(what, "dies")) {
        spin(some);
        raise(SIGKILL);
    } else if (!strcmp(what, "closes")) {
        for (int k = 3; k < 1024; k++)
            close(k);
        spin(some);
    } else if (!strcmp(what, "lists")) {
        DIR *folder = opendir("/proc/self/fd");
        for (struct dirent *entry; (entry = readdir(folder));)
            printf("%s ", entry->d_name);
        return 0;
    }
    printf("%.6f\n", processor(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
