/* Every construct of OpenMP that a runtime is asked for, with the result that is known: prints one line each, and ends with 1 where
 * one is wrong. For the guest's promise: the same output with and without a tool in the process. */
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

enum { N = 1000 };

static int wrong;

static void check(const char *what, long found, long expected) {
    printf("%s %ld\n", what, found);
    if (found != expected) {
        printf("%s is wrong: expected %ld\n", what, expected);
        wrong = 1;
    }
}

static long sum_to(long n) { return n * (n - 1) / 2; }

static void loops(void) {
    long sum = 0;
#define LOOP(name, clause)                                                                                             \
    sum = 0;                                                                                                           \
    _Pragma("omp parallel") {                                                                                          \
        _Pragma(clause) for (int i = 0; i < N; ++i) sum += i;                                                          \
    }                                                                                                                  \
    check(name, sum, sum_to(N));
    LOOP("static", "omp for reduction(+ : sum) schedule(static)")
    LOOP("static, 7", "omp for reduction(+ : sum) schedule(static, 7)")
    LOOP("dynamic", "omp for reduction(+ : sum) schedule(dynamic)")
    LOOP("dynamic, 3", "omp for reduction(+ : sum) schedule(dynamic, 3)")
    LOOP("monotonic dynamic", "omp for reduction(+ : sum) schedule(monotonic : dynamic, 3)")
    LOOP("guided", "omp for reduction(+ : sum) schedule(guided)")
    LOOP("guided, 5", "omp for reduction(+ : sum) schedule(monotonic : guided, 5)")
    LOOP("runtime", "omp for reduction(+ : sum) schedule(runtime)")
    LOOP("auto", "omp for reduction(+ : sum) schedule(auto)")
    LOOP("nowait", "omp for reduction(+ : sum) schedule(dynamic, 3) nowait")
    LOOP("parallel inside for", "omp for reduction(+ : sum) schedule(dynamic, 10)")
    unsigned long long down = 0;
#pragma omp parallel for reduction(+ : down) schedule(dynamic, 4)
    for (unsigned long long i = N; i > 0; i -= 2)
        down += i;
    check("unsigned down", (long)down, 2 * (N / 2) * (N / 2 + 1) / 2);
#pragma omp parallel for reduction(+ : sum) schedule(guided)
    for (long i = -N; i < N; i += 3)
        sum += 1;
    check("step of 3", sum, sum_to(N) + (2 * N + 2) / 3);
    unsigned long long up = 0;
#pragma omp parallel for reduction(+ : up) schedule(runtime) collapse(2)
    for (unsigned long long i = 0; i < 50; ++i)
        for (unsigned long long k = 0; k < 20; ++k)
            up += i * k;
    check("collapsed", (long)up, sum_to(50) * sum_to(20));
    int order[N], next = 0;
#define ORDERED(clause)                                                                                                \
    next = 0;                                                                                                          \
    _Pragma(clause) for (int i = 0; i < N; ++i) {                                                                      \
        _Pragma("omp ordered") order[next++] = i;                                                                      \
    }                                                                                                                  \
    for (int i = 0; i < N; ++i)                                                                                        \
        sum = i == 0 ? order[0] == 0 : sum + (order[i] == i);                                                          \
    check(clause, sum, N);
    ORDERED("omp parallel for ordered schedule(static)")
    ORDERED("omp parallel for ordered schedule(static, 3)")
    ORDERED("omp parallel for ordered schedule(dynamic)")
    ORDERED("omp parallel for ordered schedule(guided)")
    ORDERED("omp parallel for ordered schedule(runtime)")
    int cell[20][20] = {{0}};
#define DOACROSS(clause)                                                                                               \
    memset(cell, 0, sizeof cell);                                                                                      \
    _Pragma(clause) for (int i = 1; i < 20; ++i) for (int k = 1; k < 20; ++k) {                                        \
        _Pragma("omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)") cell[i][k] =                            \
            1 + (cell[i - 1][k] > cell[i][k - 1] ? cell[i - 1][k] : cell[i][k - 1]);                                   \
        _Pragma("omp ordered depend(source)")                                                                          \
    }                                                                                                                  \
    check(clause, cell[19][19], 37);
    DOACROSS("omp parallel for ordered(2) schedule(static)")
    DOACROSS("omp parallel for ordered(2) schedule(dynamic, 2)")
    DOACROSS("omp parallel for ordered(2) schedule(guided)")
    DOACROSS("omp parallel for ordered(2) schedule(runtime)")
}

static void synchronised(void) {
    int threads = 0, single = 0, critical = 0, named = 0, in_sections[4] = {0}, master = 0;
#ifdef __clang__
    double atomic = 0;
#else
    /* Of no size that a processor has: the runtime has a lock for it. */
    long double atomic = 0;
#endif
    long locked = 0, nested = 0, copied = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel
    {
        int mine = 0;
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp single copyprivate(mine)
        mine = 42;
#pragma omp atomic
        copied += mine;
#pragma omp master
        ++master;
#pragma omp barrier
#pragma omp single nowait
        ++single;
        for (int k = 0; k < 100; ++k) {
#pragma omp critical
            ++critical;
#pragma omp critical(name)
            ++named;
#pragma omp atomic
            atomic += 1;
            omp_set_lock(&lock);
            ++locked;
            omp_unset_lock(&lock);
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
            ++nested;
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
            if (omp_test_lock(&lock))
                omp_unset_lock(&lock);
            if (omp_test_nest_lock(&nest)) {
                omp_set_nest_lock(&nest);
                omp_unset_nest_lock(&nest);
                omp_unset_nest_lock(&nest);
            }
        }
#pragma omp sections
        {
#pragma omp section
            in_sections[0] = 1;
#pragma omp section
            in_sections[1] = 1;
#pragma omp section
            in_sections[2] = 1;
        }
#pragma omp sections nowait
        {
#pragma omp section
            in_sections[3] = 1;
        }
    }
#pragma omp parallel sections
    {
#pragma omp section
        ++in_sections[0];
#pragma omp section
        ++in_sections[1];
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    check("single", single, 1);
    check("master", master, 1);
    check("copied", copied, 42L * threads);
    check("critical", critical, 100L * threads);
    check("named", named, 100L * threads);
    check("atomic", (long)atomic, 100L * threads);
    check("locked", locked, 100L * threads);
    check("nested locks", nested, 100L * threads);
    check("sections", in_sections[0] + in_sections[1] + in_sections[2] + in_sections[3], 6);
}

static long fibonacci(int n) {
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 10)
    a = fibonacci(n - 1);
#pragma omp task shared(b) final(n < 8) mergeable
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void tasks(void) {
    long value = 0, sum = 0, looped = 0, grouped = 0, ordered = 0;
#pragma omp parallel
#pragma omp single
    value = fibonacci(20);
    check("tasks in tasks", value, 6765);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) grainsize(10)
    for (int i = 0; i < N; ++i)
        sum += i;
    check("taskloop with a reduction", sum, sum_to(N));
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(7) nogroup
    for (unsigned long long i = 0; i < N; ++i) {
#pragma omp atomic
        looped += (long)i;
    }
    check("taskloop", looped, sum_to(N));
#pragma omp taskloop if (0) shared(looped)
    for (int i = 0; i < N; ++i)
        looped += 1;
    check("taskloop alone", looped, sum_to(N) + N);
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : grouped)
        {
            for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : grouped) firstprivate(i)
                grouped += i;
            }
        }
        check("taskgroup", grouped, sum_to(50));
        for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : ordered) priority(1) untied
            ordered = ordered * 2 % 1000 + i;
        }
#pragma omp taskwait depend(in : ordered)
        long expected = 0;
        for (int i = 0; i < 20; ++i)
            expected = expected * 2 % 1000 + i;
        check("dependent tasks", ordered, expected);
#pragma omp taskyield
    }
    struct {
        _Alignas(64) char bytes[192];
    } big;
    memset(big.bytes, 7, sizeof big.bytes);
    long right = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 40; ++i) {
#pragma omp task firstprivate(big, i) if (i % 3)
        {
            long here = (unsigned long)&big % 64 == 0;
            for (unsigned k = 0; k < sizeof big.bytes; ++k)
                here += big.bytes[k];
            big.bytes[0] = 0;
#pragma omp atomic
            right += here;
        }
    }
    check("tasks with data of their own", right, 40L * (1 + 7 * 192));
#ifndef __clang__
    long completed = 0;
#pragma omp parallel
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(completed)
        {
#pragma omp atomic
            ++completed;
        }
        omp_fulfill_event(event);
#pragma omp taskwait
    }
    check("detached", completed, 1);
#endif
    long reduced = 0;
#pragma omp parallel reduction(task, + : reduced)
    {
#pragma omp single
        for (int i = 0; i < 30; ++i) {
#pragma omp task in_reduction(+ : reduced) firstprivate(i)
            reduced += i;
        }
    }
    check("reduction over tasks", reduced, sum_to(30));
    reduced = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : reduced) schedule(dynamic, 2)
    for (int i = 0; i < 30; ++i) {
#pragma omp task in_reduction(+ : reduced) firstprivate(i)
        reduced += i;
    }
    check("loop with a reduction over tasks", reduced, sum_to(30));
}

static void *with_threads_of_its_own(void *sum) {
    long mine = 0;
#pragma omp parallel for reduction(+ : mine) num_threads(3)
    for (int i = 0; i < N; ++i)
        mine += i;
    *(long *)sum += mine;
    return sum;
}

static void teams(void) {
    long sum = 0;
    for (int threads = 1; threads < 6; ++threads) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum += omp_get_num_threads();
#pragma omp parallel num_threads(6 - threads) reduction(+ : sum)
        sum += omp_get_num_threads();
    }
    check("teams of changing size", sum, 2 * (1 + 4 + 9 + 16 + 25));
    sum = 0;
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
    ++sum;
    check("nested", sum, 8);
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
    ++sum;
    check("nested, serialised", sum, 10);
#pragma omp parallel if (0) reduction(+ : sum)
    ++sum;
    check("serialised", sum, 11);
    sum = 0;
#pragma omp teams num_teams(3) reduction(+ : sum)
#pragma omp distribute parallel for reduction(+ : sum)
    for (int i = 0; i < N; ++i)
        sum += i;
    check("host teams", sum, sum_to(N));
    sum = 0;
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < N; ++i)
        sum += i;
    check("target", sum, sum_to(N));
    pthread_t other;
    long theirs = 0;
    if (pthread_create(&other, NULL, with_threads_of_its_own, &theirs) == 0)
        pthread_join(other, NULL);
    check("another thread's team", theirs, sum_to(N));
}

static void cancelled(void) {
    long done = 0;
#pragma omp parallel reduction(+ : done)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < N; ++i) {
            if (i == 10) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
            done += 1;
        }
#pragma omp cancel parallel
#pragma omp barrier
    }
    check("cancelled", done <= N, 1);
}

static void *leaves(void *unused) {
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    ++sum;
    if (sum > 0)
        pthread_exit(NULL);
    return unused;
}

static void processes(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        /* Neither runtime promises that a child may use it. */
        _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    check("child of fork", WEXITSTATUS(status), 7);
    int inside = 0;
#pragma omp parallel num_threads(2) reduction(+ : inside)
    {
        pid_t grandchild = fork();
        if (grandchild == 0)
            _exit(6);
        int how = 0;
        waitpid(grandchild, &how, 0);
        inside += WEXITSTATUS(how);
    }
    check("children of fork in a region", inside, 12);
    pthread_t thread;
    if (pthread_create(&thread, NULL, leaves, NULL) == 0)
        pthread_join(thread, NULL);
    check("thread that ends by pthread_exit", 1, 1);
}

int main(int argc, char **argv) {
    loops();
    synchronised();
    tasks();
    teams();
    cancelled();
    if (argc < 2 || strcmp(argv[1], "no-processes") != 0)
        processes();
    printf("%s\n", wrong ? "wrong" : "all right");
    return wrong;
}
