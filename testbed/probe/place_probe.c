// Says where it was put, as the kernel tells it: masks, policies, and the node of every page. Runs on any Linux.
//
//   place_probe self MIB [SECONDS]       one line: rank, mask, policy, nodes of MIB that it touches, migrations meanwhile
//   place_probe threads N SECONDS        a line for each of N threads that work so long: mask, CPU, migrations
//   place_probe heap MIB                 how much of so much malloc'ed memory lies in transparent huge pages
//   place_probe hold REGION...           touches regions MIB:POLICY:NODES[:huge], prints where each lies, sleeps until killed
//   place_probe pages PID                every resident page of another process, by node, as move_pages tells it
//
// POLICY is default, local, bind, preferred or interleave; NODES is a mask in hexadecimal (3 is nodes 0 and 1).
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NODES = 64, THREADS = 256, CHUNK = 4096, PAGE = 4096 };

// linux/mempolicy.h
static const char *const POLICIES[] = {"default", "preferred", "bind", "interleave", "local", "preferred-many", "weighted"};

static void die(const char *what)
{
    fprintf(stderr, "place_probe: %s: %s\n", what, strerror(errno));
    exit(1);
}

struct text { char bytes[4096]; size_t length; };

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(t->bytes + t->length, sizeof t->bytes - t->length, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= sizeof t->bytes - t->length) die("a line is too long");
    t->length += (size_t)n;
}

// One call, so that lines of ranks stay whole.
static void say(struct text *t)
{
    add(t, "\n");
    if (write(1, t->bytes, t->length) != (ssize_t)t->length) die("cannot write");
}

static void add_list(struct text *t, const unsigned char *member, int count)
{
    const char *comma = "";
    for (int k = 0; k < count; k++) {
        if (!member[k]) continue;
        int last = k;
        while (last + 1 < count && member[last + 1]) last++;
        if (last > k) add(t, "%s%d-%d", comma, k, last);
        else add(t, "%s%d", comma, k);
        comma = ",";
        k = last;
    }
}

// From the kernel's own file: what is preloaded answers for the C library's functions.
static void add_mask(struct text *t)
{
    static const char name[] = "Cpus_allowed_list:\t";
    char line[1024] = "";
    FILE *file = fopen("/proc/thread-self/status", "r");
    if (!file) die("/proc/thread-self/status");
    while (fgets(line, sizeof line, file) && strncmp(line, name, sizeof name - 1)) {}
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, name, sizeof name - 1)) die("Cpus_allowed_list");
    add(t, " cpus=%s", line + sizeof name - 1);
}

static void add_policy(struct text *t)
{
    unsigned long nodes[16] = {0};
    int mode = 0;
    if (syscall(SYS_get_mempolicy, &mode, nodes, sizeof nodes * 8, NULL, 0)) die("get_mempolicy");
    unsigned char member[NODES];
    for (int k = 0; k < NODES; k++) member[k] = nodes[0] >> k & 1;
    int plain = mode & 0xff;
    add(t, " policy=%s nodes=", plain < 7 ? POLICIES[plain] : "unknown");
    add_list(t, member, NODES);
    add(t, " flags=%x", (unsigned)mode & ~0xffu);
}

static void add_counts(struct text *t, const char *name, const size_t *count)
{
    const char *comma = "";
    add(t, " %s=", name);
    for (int k = 0; k < NODES; k++) {
        if (!count[k]) continue;
        add(t, "%s%d:%zu", comma, k, count[k]);
        comma = ",";
    }
}

// Counts the pages between two addresses by node; those that are not there, or are nobody's own (the page of zeros), are left
// out. Memory of its own is used for nothing but two buffers, so that looking at oneself changes little.
static void census(int pid, char *from, char *to, size_t *count)
{
    static void *pages[CHUNK];
    static int status[CHUNK];
    while (from < to) {
        size_t n = 0;
        while (n < CHUNK && from < to) {
            pages[n++] = from;
            from += PAGE;
        }
        if (syscall(SYS_move_pages, pid, n, pages, NULL, status, 0)) die("move_pages");
        for (size_t k = 0; k < n; k++)
            if (status[k] >= 0 && status[k] < NODES) count[status[k]]++;
    }
}

// `huge` is MAP_HUGETLB or 0.
static char *region(size_t bytes, int huge)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | huge, -1, 0);
    if (p == MAP_FAILED) die("mmap");
    return p;
}

static void touch(char *p, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += PAGE) p[k] = 1;
}

// How often the scheduler moved the calling thread; -1 where the kernel does not tell.
static long migrations(void)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%ld/sched", syscall(SYS_gettid));
    FILE *f = fopen(path, "r");
    long n = -1;
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "se.nr_migrations", 16)) n = atol(strchr(line, ':') + 1);
    if (f) fclose(f);
    return n;
}

static void work(double seconds)
{
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    volatile double x = 1;
    do {
        for (int k = 0; k < 20000; k++) x = x * 1.0000001 + 1e-9;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < seconds);
}

static const char *rank_of(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "NUMAWISE_TASK"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k])) return getenv(names[k]);
    return "-";
}

static int self(size_t mib, double seconds)
{
    struct text t = {.length = 0};
    size_t count[NODES] = {0}, bytes = mib << 20;
    long before = migrations();
    char *p = region(bytes, 0);
    touch(p, bytes);
    work(seconds);
    long after = migrations();
    census(0, p, p + bytes, count);
    add(&t, "rank=%s", rank_of());
    add_mask(&t);
    add_policy(&t);
    add_counts(&t, "pages", count);
    add(&t, " cpu=%d migrations=%ld", sched_getcpu(), before < 0 ? -1 : after - before);
    say(&t);
    return 0;
}

static double thread_seconds;

static void *one_thread(void *argument)
{
    struct text t = {.length = 0};
    unsigned char seen[CPU_SETSIZE] = {0};
    long before = migrations();
    for (int k = 0; k < 10; k++) {
        work(thread_seconds / 10);
        seen[sched_getcpu()] = 1;
    }
    long after = migrations();
    add(&t, "rank=%s thread=%ld", rank_of(), (long)(size_t)argument);
    add_mask(&t);
    add(&t, " seen=");
    add_list(&t, seen, CPU_SETSIZE);
    add(&t, " migrations=%ld", before < 0 ? -1 : after - before);
    say(&t);
    return NULL;
}

static int threads(int n, double seconds)
{
    static pthread_t thread[THREADS];
    if (n < 1 || n > THREADS) die("so many threads cannot be");
    thread_seconds = seconds;
    for (int k = 1; k < n; k++)
        if (pthread_create(&thread[k], NULL, one_thread, (void *)(size_t)k)) die("pthread_create");
    one_thread(0);
    for (int k = 1; k < n; k++) pthread_join(thread[k], NULL);
    return 0;
}

static int heap(size_t mib)
{
    char *p = malloc(mib << 20), line[256];
    if (!p) die("malloc");
    touch(p, mib << 20);
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    if (!f) die("/proc/self/smaps_rollup");
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, "AnonHugePages:", 14)) printf("huge_kib=%ld\n", atol(line + 14));
    fclose(f);
    free(p);
    return 0;
}

static void bind_region(char *p, size_t bytes, const char *policy, unsigned long nodes)
{
    int mode = 0;
    while (mode < 7 && strcmp(POLICIES[mode], policy)) mode++;
    if (mode == 7) die(policy);
    if (mode == 0) return;
    if (syscall(SYS_mbind, p, bytes, mode, mode == 4 ? NULL : &nodes, mode == 4 ? 0 : sizeof nodes * 8, 0)) die("mbind");
}

static int hold(int n, char **what)
{
    for (int k = 0; k < n; k++) {
        size_t mib, count[NODES] = {0};
        char policy[32], kind[8] = "";
        unsigned long nodes;
        if (sscanf(what[k], "%zu:%31[^:]:%lx:%7s", &mib, policy, &nodes, kind) < 3) die(what[k]);
        char *p = region(mib << 20, strcmp(kind, "huge") ? 0 : MAP_HUGETLB);
        bind_region(p, mib << 20, policy, nodes);
        touch(p, mib << 20);
        census(0, p, p + (mib << 20), count);
        struct text t = {.length = 0};
        add(&t, "region=%lx policy=%s", (unsigned long)p, policy);
        add_counts(&t, "pages", count);
        say(&t);
    }
    pause();
    return 0;
}

static int pages(int pid)
{
    char path[64], line[4096 + 256];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *f = fopen(path, "r");
    if (!f) die(path);
    size_t total[NODES] = {0};
    while (fgets(line, sizeof line, f)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx", &from, &to) != 2) die(line);
        // The kernel's own pages, which are in no node's statistics of the process.
        if (strstr(line, "[vsyscall]") || strstr(line, "[vvar") || strstr(line, "[vdso]")) continue;
        size_t count[NODES] = {0};
        census(pid, (char *)from, (char *)to, count);
        struct text t = {.length = 0};
        add(&t, "mapping=%lx", from);
        add_counts(&t, "pages", count);
        say(&t);
        for (int k = 0; k < NODES; k++) total[k] += count[k];
    }
    struct text t = {.length = 0};
    add(&t, "all");
    add_counts(&t, "pages", total);
    say(&t);
    return 0;
}

int main(int n, char **word)
{
    if (n >= 3 && !strcmp(word[1], "self")) return self(strtoul(word[2], NULL, 10), n > 3 ? atof(word[3]) : 0);
    if (n == 4 && !strcmp(word[1], "threads")) return threads(atoi(word[2]), atof(word[3]));
    if (n == 3 && !strcmp(word[1], "heap")) return heap(strtoul(word[2], NULL, 10));
    if (n >= 3 && !strcmp(word[1], "hold")) return hold(n - 2, word + 2);
    if (n == 3 && !strcmp(word[1], "pages")) return pages(atoi(word[2]));
    fprintf(stderr, "place_probe: expected self MIB [SECONDS] | threads N SECONDS | heap MIB | hold REGION... | pages PID\n");
    return 2;
}
