/* Forbids itself all system calls but a few, by filters of its own; the first other one kills it. What goes on then is the second word. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

#define LOAD BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#ifdef SYS_fork
#define FORK ALLOW(fork), ALLOW(vfork)
#else
#define FORK ALLOW(clone)
#endif

/* What the issue has: write, fstat, exit. */
static struct sock_filter few[] = {
    LOAD, ALLOW(write), ALLOW(fstat), ALLOW(newfstatat), ALLOW(exit), ALLOW(exit_group), KILL,
};

/* What glibc needs besides for threads, children of fork and memory. */
static struct sock_filter more[] = {
    LOAD, ALLOW(read), ALLOW(write), ALLOW(fstat), ALLOW(newfstatat), ALLOW(exit), ALLOW(exit_group), ALLOW(brk), ALLOW(mmap),
    ALLOW(munmap), ALLOW(mremap), ALLOW(mprotect), ALLOW(madvise), ALLOW(futex), ALLOW(clone), ALLOW(clone3), FORK, ALLOW(wait4),
    ALLOW(set_robust_list), ALLOW(rseq), ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(prctl), ALLOW(seccomp), KILL,
};

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0)
        _exit(9);
}

/* By the C library's function, by the bare call's, and by both numbers of it. */
static int set(const char *how, struct sock_filter *filter, unsigned short length) {
    struct sock_fprog program = {.len = length, .filter = filter};
    if (strcmp(how, "strict") == 0)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    if (strcmp(how, "bare-strict") == 0)
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
    if (strcmp(how, "root") != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    if (strcmp(how, "prctl") == 0)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    if (strcmp(how, "bare-prctl") == 0)
        return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    if (strcmp(how, "all") == 0)
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static void *compute(void *unused) {
    volatile double sum = 0;
    for (int k = 0; k < 200000; k++)
        sum += k;
    free(memset(malloc(300000), 1, 300000));
    say("thread\n");
    return unused;
}

static void allocate(void) {
    char *kept = malloc(100000);
    for (int k = 0; k < 20000; k++)
        free(memset(malloc(20 + k), 1, 20));
    kept = realloc(kept, 5000000);
    char *mapped = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(mapped, 1, 1 << 20);
    munmap(mapped, 1 << 20);
    free(kept);
    say("allocated\n");
}

/* Says that it has begun, and waits. */
static void *waits(void *pipes) {
    char byte = 0;
    if (write(((int *)pipes)[3], &byte, 1) != 1 || read(((int *)pipes)[0], &byte, 1) < 0)
        say("not read\n");
    return NULL;
}

/* The kernel is asked whether it could, refuses, and all goes on; a child of vfork has a sandbox, and its parent has none. */
static int none(const char *file) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0 || errno != EFAULT)
        return 7;
    struct sock_fprog empty = {.len = 0, .filter = few};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &empty) != -1 || errno != EINVAL)
        return 8;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) != -1 || errno != EFAULT)
        return 10;
    const pid_t child = vfork();
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    const int out = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int k = 0; k < 10; k++)
        if (write(out, file, 5) != 5)
            return 11;
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    pthread_join(thread, NULL);
    return close(out);
}

int main(int count, char **words) {
    (void)count;
    const char *how = words[1], *then = words[2];
    if (strcmp(how, "none") == 0)
        return none(then);
    const int is_short = strcmp(then, "_exit") == 0 || strcmp(then, "exit") == 0 || strcmp(then, "return") == 0;
    const struct timespec moment = {0, 20000000};
    /* As who has samples taken of it; and the lookups of the loader are done. */
    allocate();
    volatile double sum = 0;
    for (int k = 0; k < 20000000; k++)
        sum += k;
    pthread_t other;
    int pipes[4];
    char byte;
    /* How soon a thread begins is the scheduler's business. */
    if (strcmp(then, "late") == 0
        && (pipe(pipes) != 0 || pipe(pipes + 2) != 0 || pthread_create(&other, NULL, waits, pipes) != 0
            || read(pipes[2], &byte, 1) != 1))
        return 6;
    nanosleep(&moment, NULL);
    struct sock_filter *filter = is_short ? few : more;
    const size_t length = is_short ? sizeof few / sizeof *few : sizeof more / sizeof *more;
    const int result = set(how, filter, (unsigned short)length);
    if (result != 0)
        return 5;
    say("in a sandbox\n");
    if (strcmp(then, "bare") == 0)
        syscall(SYS_exit, 3);
    if (strcmp(then, "_exit") == 0)
        _exit(3);
    if (strcmp(then, "exit") == 0)
        exit(3);
    if (strcmp(then, "late") == 0) {
        if (write(pipes[1], "", 1) != 1)
            return 4;
        pthread_join(other, NULL);
    }
    if (strcmp(then, "threads") == 0) {
        pthread_t threads[4];
        for (int k = 0; k < 4; k++)
            pthread_create(&threads[k], NULL, compute, NULL);
        for (int k = 0; k < 4; k++)
            pthread_join(threads[k], NULL);
    }
    if (strcmp(then, "fork") == 0) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            allocate();
            compute(NULL);
            exit(2);
        }
        int status = 0;
        waitpid(child, &status, 0);
        say(WIFEXITED(status) && WEXITSTATUS(status) == 2 ? "child\n" : "another child\n");
    }
    if (strcmp(then, "allocates") == 0)
        allocate();
    if (strcmp(then, "again") == 0) {
        struct sock_fprog program = {.len = sizeof few / sizeof *few, .filter = few};
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            return 8;
    }
    return 3;
}
