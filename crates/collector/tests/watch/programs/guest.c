/* What a watched program may do with its process: one way each time, and what it prints must not depend on being watched. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void end_of(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child)
        printf("waitpid: %s\n", strerror(errno));
    printf("child: exited %d status %d signal %d\n", WIFEXITED(status), WEXITSTATUS(status),
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void *quick(void *argument) { return argument; }

static void *sleeps(void *argument) {
    for (;;)
        pause();
    return argument;
}

static volatile sig_atomic_t seen;
static void on_signal(int number) { seen = number; }

static int limited(int resource, rlim_t limit, char *self) {
    const struct rlimit to = {limit, limit};
    setrlimit(resource, &to);
    execl(self, self, "plain", (char *)0);
    return 9;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "plain";
    setvbuf(stdout, 0, _IOLBF, 0);
    printf("errno %d, next descriptor %d\n", errno, dup(0));
    if (strcmp(way, "plain") == 0) {
        puts("plain");
        return 3;
    } else if (strcmp(way, "fork") == 0) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            exit(4);
        end_of(child);
        child = fork();
        if (child == 0)
            _exit(5);
        end_of(child);
    } else if (strcmp(way, "clone") == 0) {
        const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0)
            exit(6);
        end_of(child);
    } else if (strcmp(way, "vfork") == 0) {
        pid_t child = vfork();
        if (child == 0)
            _exit(7);
        end_of(child);
        child = vfork();
        if (child == 0) {
            execl(argv[0], argv[0], "plain", (char *)0);
            _exit(1);
        }
        end_of(child);
    } else if (strcmp(way, "spawn") == 0) {
        pid_t child = 0;
        char *words[] = {argv[0], "plain", 0};
        const int spawned = posix_spawn(&child, argv[0], 0, 0, words, environ);
        end_of(child);
        printf("spawned %d\n", spawned);
        printf("system %d\n", system("exit 8") >> 8);
    } else if (strcmp(way, "exec") == 0) {
        execl(argv[0], argv[0], "plain", (char *)0);
    } else if (strcmp(way, "many") == 0) {
        for (int k = 0; k < 100; ++k)
            if (fork() == 0)
                exit(k % 2);
        int sum = 0, status;
        while (wait(&status) > 0)
            sum += WEXITSTATUS(status);
        printf("sum %d\n", sum);
    } else if (strcmp(way, "threads") == 0) {
        pthread_t all[200];
        for (int round = 0; round < 10; ++round) {
            for (int k = 0; k < 200; ++k)
                pthread_create(&all[k], 0, quick, 0);
            for (int k = 0; k < 200; ++k)
                pthread_join(all[k], 0);
        }
        pthread_create(&all[0], 0, sleeps, 0);
        pthread_cancel(all[0]);
        void *result = 0;
        pthread_join(all[0], &result);
        printf("cancelled %d\n", result == PTHREAD_CANCELED);
    } else if (strcmp(way, "close") == 0) {
        for (int k = 3; k < 1024; ++k)
            close(k);
        const int file = open("/dev/null", O_WRONLY);
        printf("descriptor %d wrote %zd\n", file, write(file, "x", 1));
    } else if (strcmp(way, "lock") == 0) {
        printf("mlockall %d\n", mlockall(MCL_CURRENT | MCL_FUTURE) == 0 || errno == ENOMEM || errno == EPERM);
    } else if (strcmp(way, "signal") == 0) {
        sigset_t held, before;
        sigemptyset(&held);
        sigaddset(&held, SIGALRM);
        sigprocmask(SIG_BLOCK, &held, &before);
        signal(SIGALRM, on_signal);
        ualarm(50000, 0);
        sigsuspend(&before);
        printf("signal %d errno %d\n", (int)seen, errno);
    } else if (strcmp(way, "file-limit") == 0) {
        return limited(RLIMIT_FSIZE, 1 << 19, argv[0]);
    } else if (strcmp(way, "memory-limit") == 0) {
        return limited(RLIMIT_AS, 64 << 20, argv[0]);
    } else if (strcmp(way, "descriptor-limit") == 0) {
        return limited(RLIMIT_NOFILE, 5, argv[0]);
    } else if (strcmp(way, "_exit") == 0) {
        fflush(stdout);
        _exit(10);
    } else if (strcmp(way, "quick_exit") == 0) {
        quick_exit(11);
    } else if (strcmp(way, "abort") == 0) {
        signal(SIGABRT, SIG_DFL);
        abort();
    } else if (strcmp(way, "kill") == 0) {
        kill(getpid(), SIGKILL);
    } else if (strcmp(way, "crash") == 0) {
        *(volatile int *)0 = 1;
    } else if (strcmp(way, "main-thread-ends") == 0) {
        pthread_t other;
        pthread_create(&other, 0, quick, 0);
        pthread_exit(0);
    }
    return 0;
}
