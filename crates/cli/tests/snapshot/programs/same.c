/* What a process may do, one way each time: what it prints and how it ends must not depend on being watched. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void nothing(int number) { (void)number; }

static int words(int argc, char **argv) {
    for (int k = 0; k < argc; ++k)
        printf("%d <%s>\n", k, k == 0 ? "itself" : argv[k]);
    return 0;
}

/* What a process inherits, but for what numawise promises to set: its variables, the option without which AddressSanitizer ends a program with
 * a library before its own, and who its parent is. */
static int inherited(void) {
    for (char **word = environ; *word; ++word)
        if (strncmp(*word, "LD_PRELOAD=", 11) && strncmp(*word, "NUMAWISE_", 9) && strncmp(*word, "_=", 2)
            && strncmp(*word, "ASAN_OPTIONS=", 13))
            puts(*word);
    for (int which = 0; which < RLIM_NLIMITS; ++which) {
        struct rlimit limit;
        getrlimit(which, &limit);
        printf("limit %d: %llu %llu\n", which, (unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max);
    }
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action;
        if (sigaction(signal, 0, &action) == 0 && action.sa_handler != SIG_DFL)
            printf("signal %d is ignored or handled\n", signal);
    }
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, 0, &blocked);
    for (int signal = 1; signal < NSIG; ++signal)
        if (sigismember(&blocked, signal) == 1)
            printf("signal %d is blocked\n", signal);
    for (int file = 0; file < 256; ++file)
        if (fcntl(file, F_GETFD) != -1)
            printf("descriptor %d is open\n", file);
    char folder[4096];
    const mode_t mask = umask(0);
    printf("umask %o, niceness %d, dumpable %d, folder %s\n", (unsigned)mask, getpriority(PRIO_PROCESS, 0),
           prctl(PR_GET_DUMPABLE), getcwd(folder, sizeof folder) ? folder : "unknown");
    printf("locale %s, next descriptor %d\n", setlocale(LC_ALL, ""), open("/dev/null", O_RDONLY));
    return 0;
}

static int copy(void) {
    char block[5000];
    ssize_t got;
    while ((got = read(0, block, sizeof block)) > 0)
        if (write(1, block, (size_t)got) != got)
            return 9;
    return 5;
}

static void bye(void) { puts("registered first, called last"); }
static void before(void) { puts("registered last, called first"); }
__attribute__((destructor)) static void destructor(void) { fputs("destructor\n", stderr); }

static int exits(void) {
    atexit(bye);
    atexit(before);
    printf("not yet written");
    return 256 + 17;
}

static sigjmp_buf back;
static char other_stack[1 << 16];
static void jump(int number) { siglongjmp(back, number); }
static int deeper(volatile char *upper) {
    volatile char page[4096];
    page[0] = upper ? upper[0] : 0;
    return deeper(page) + page[0];
}

/* A stack that overflows, caught on another one, and left by a jump. */
static int overflow(void) {
    const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_handler = jump, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, 0);
    sigaction(SIGSEGV, &action, 0);
    const int came = sigsetjmp(back, 1);
    if (came == 0)
        return deeper(0);
    printf("came back by signal %d\n", came);
    return 0;
}

static volatile sig_atomic_t ticks;
static void tick(int number) { ticks += number == SIGALRM; }
static void *count(void *argument) {
    unsigned long sum = 0;
    for (unsigned long k = 0; k < 20000000; ++k)
        sum += k ^ (sum >> 3);
    *(unsigned long *)argument = sum;
    return argument;
}

/* Signals of a timer that come at any moment, also into threads that begin and end. */
static int timer(void) {
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, 0);
    timer_t id;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    timer_create(CLOCK_MONOTONIC, &event, &id);
    const struct itimerspec each = {{0, 200000}, {0, 200000}};
    timer_settime(id, 0, &each, 0);
    unsigned long sum[4];
    pthread_t all[4];
    for (int k = 0; k < 4; ++k)
        pthread_create(&all[k], 0, count, &sum[k]);
    for (int k = 0; k < 4; ++k)
        pthread_join(all[k], 0);
    timer_delete(id);
    printf("%lu %d\n", sum[0] ^ sum[3], ticks > 0);
    return 0;
}

static int waits_for_signal(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, 0);
    if (fork() == 0)
        _exit(12);
    siginfo_t info;
    const int got = sigwaitinfo(&set, &info);
    printf("signal %d status %d\n", got, info.si_status);
    return 0;
}

/* A grandchild that outlives its parent and writes through a pipe, in a session of its own. */
static int daemon_like(void) {
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            close(ends[0]);
            usleep(30000);
            dprintf(ends[1], "from the grandchild, %d\n", getsid(0) == getpgrp());
            _exit(0);
        }
        _exit(3);
    }
    close(ends[1]);
    int status;
    wait(&status);
    char line[64] = "";
    if (read(ends[0], line, sizeof line - 1) < 0)
        return 1;
    printf("%d %s", WEXITSTATUS(status), line);
    return 0;
}

static pthread_key_t key;
static void last(void *value) { printf("value %d goes with its thread\n", *(int *)value); }
static void cleaned(void *value) { printf("cleaned up %s\n", (char *)value); }
static void *keyed(void *value) {
    pthread_setspecific(key, value);
    return 0;
}
static void *cancelled(void *value) {
    pthread_cleanup_push(cleaned, value);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return 0;
}
static int c11(void *value) { return *(int *)value + 1; }

static int threads_of_all_kinds(void) {
    pthread_t thread;
    int value = 41, result = 0;
    pthread_key_create(&key, last);
    pthread_create(&thread, 0, keyed, &value);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, cancelled, "behind a cancelled thread");
    pthread_cancel(thread);
    pthread_join(thread, 0);
    thrd_t other;
    thrd_create(&other, c11, &value);
    thrd_join(other, &result);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 16384);
    for (int k = 0; k < 50; ++k)
        if (pthread_create(&thread, &attributes, cancelled, "never") != 0)
            puts("no thread");
    printf("%d\n", result);
    return 0;
}

static char **arguments;
static void *becomes(void *argument) {
    char *all[] = {arguments[0], "words", "from another thread", 0};
    execv(all[0], all);
    return argument;
}
static int exec_in_thread(void) {
    pthread_t thread;
    pthread_create(&thread, 0, becomes, 0);
    pthread_join(thread, 0);
    return 9;
}

static void *forks(void *argument) {
    if (fork() == 0) {
        pthread_t thread;
        pthread_create(&thread, 0, count, argument);
        pthread_join(thread, 0);
        exit(6);
    }
    return argument;
}
static int fork_in_thread(void) {
    pthread_t thread;
    unsigned long sum;
    int status;
    pthread_create(&thread, 0, forks, &sum);
    pthread_join(thread, 0);
    wait(&status);
    printf("status %d\n", WEXITSTATUS(status));
    return 0;
}

/* Only read, write, sigreturn and exit are allowed: all else kills. */
static int strict(void) {
    const char line[] = "in a strict sandbox\n";
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    const ssize_t wrote = write(1, line, sizeof line - 1);
    syscall(SYS_exit, wrote == sizeof line - 1 ? 21 : 22);
    return 0;
}

/* A program that gives up its rights cannot reach the folder of measurements any more; nor what it starts. */
static int unprivileged(void) {
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return 1;
    fflush(stdout);
    int status;
    if (fork() == 0) {
        unsigned long sum;
        count(&sum);
        exit(getuid() == 0);
    }
    wait(&status);
    printf("child %d, then %d\n", WEXITSTATUS(status), system("exit 7") >> 8);
    return 0;
}

static int traced(void) {
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGUSR1);
        _exit(2);
    }
    int status, stops = 0;
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        ++stops;
        ptrace(PTRACE_CONT, child, 0, 0);
    }
    printf("stops %d, status %d\n", stops, WEXITSTATUS(status));
    return 0;
}

static int closes_all(void) {
    for (int file = 0; file < 1024; ++file)
        close(file);
    const int first = open("/dev/null", O_RDWR), second = dup(first);
    int pair[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && first == 0 && second == 1 && pair[1] == 3 ? 30 : 31;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "words";
    arguments = argv;
    signal(SIGUSR2, nothing);
    signal(SIGUSR2, SIG_DFL);
    const struct {
        const char *name;
        int (*run)(void);
    } ways[] = {
        {"inherited", inherited}, {"copy", copy}, {"exits", exits}, {"overflow", overflow}, {"timer", timer},
        {"waits", waits_for_signal}, {"daemon", daemon_like}, {"threads", threads_of_all_kinds},
        {"exec-in-thread", exec_in_thread}, {"fork-in-thread", fork_in_thread}, {"strict", strict},
        {"unprivileged", unprivileged}, {"traced", traced}, {"closes-all", closes_all},
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k)
        if (strcmp(way, ways[k].name) == 0)
            return ways[k].run();
    if (strncmp(way, "signal-", 7) == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        puts("about to end");
        fflush(stdout);
        signal(atoi(way + 7), SIG_DFL);
        raise(atoi(way + 7));
    }
    return words(argc, argv);
}
