// stopwatch LABEL COMMAND...: runs the command and says how long it took: `stopwatch LABEL SECONDS STATUS` on standard error.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int count, char **words)
{
    if (count < 3) return fprintf(stderr, "usage: stopwatch LABEL COMMAND...\n"), 2;
    double begin = now();
    pid_t child = fork();
    if (child < 0) return perror("stopwatch: fork"), 1;
    if (!child) {
        execvp(words[2], words + 2);
        perror(words[2]);
        _exit(127);
    }
    int status;
    if (waitpid(child, &status, 0) < 0) return perror("stopwatch: waitpid"), 1;
    double seconds = now() - begin;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    fprintf(stderr, "stopwatch %s %.6f %d\n", words[1], seconds, code);
    return code;
}
