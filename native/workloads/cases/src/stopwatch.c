// stopwatch [--wall] LABEL COMMAND...: runs the command and says how long it took: `stopwatch LABEL SECONDS STATUS` on standard error.
// Where the command prints `seconds: S`, its own time counts, without its start; the last such line. With --wall its start counts too.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    int wall = count > 1 && !strcmp(words[1], "--wall");
    count -= wall;
    words += wall;
    if (count < 3) return fprintf(stderr, "usage: stopwatch [--wall] LABEL COMMAND...\n"), 2;
    int ends[2];
    if (pipe(ends) < 0) return perror("stopwatch: pipe"), 1;
    double begin = now();
    pid_t child = fork();
    if (child < 0) return perror("stopwatch: fork"), 1;
    if (!child) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execvp(words[2], words + 2);
        perror(words[2]);
        _exit(127);
    }
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    if (!output) return perror("stopwatch: fdopen"), 1;
    double own = -1;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, output) > 0) {
        fputs(line, stdout);
        sscanf(line, "seconds: %lf", &own);
    }
    int status;
    if (waitpid(child, &status, 0) < 0) return perror("stopwatch: waitpid"), 1;
    double seconds = own >= 0 && !wall ? own : now() - begin;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    fprintf(stderr, "stopwatch %s %.6f %d\n", words[1], seconds, code);
    return code;
}
