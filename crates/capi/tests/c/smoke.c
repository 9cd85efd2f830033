/* A program that uses every call, as one of a user's would. Prints what is wrong; its status is how much. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <numawise/numawise.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int wrong;

#define CHECK(is, ...)                                                                                                               \
    do {                                                                                                                             \
        if (!(is)) {                                                                                                                 \
            ++wrong;                                                                                                                 \
            printf("%d: %s: ", __LINE__, #is);                                                                                       \
            printf(__VA_ARGS__);                                                                                                     \
            printf(" (%s)\n", numawise_error_text());                                                                                \
        }                                                                                                                            \
    } while (0)

static void the_machine(const numawise_machine *machine)
{
    unsigned nodes[64];
    size_t count = 64;
    CHECK(numawise_nodes(machine, nodes, &count) == NUMAWISE_OK && count >= 1, "%zu", count);
    size_t needed = 0;
    CHECK(numawise_nodes(machine, NULL, &needed) == NUMAWISE_OK && needed == count, "%zu", needed);
    size_t room = 0;
    CHECK(numawise_nodes(machine, nodes, &room) == NUMAWISE_TOO_SMALL && room == count, "%zu", room);
    unsigned char mask[1024];
    size_t bytes = sizeof mask;
    CHECK(numawise_allowed_cpus(machine, mask, &bytes) == NUMAWISE_OK && bytes == sizeof mask, "%zu", bytes);
    cpu_set_t own;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        CHECK(((mask[cpu / 8] >> cpu % 8) & 1) == (CPU_ISSET(cpu, &own) ? 1 : 0), "CPU %d", cpu);
    uint64_t total = 0, unused = 0;
    CHECK(numawise_node_memory(machine, nodes[0], &total, &unused) == NUMAWISE_OK && total > unused, "%llu", (unsigned long long)total);
    int kind = -1, allowed = -1;
    CHECK(numawise_node_kind(machine, nodes[0], &kind) == NUMAWISE_OK && kind == NUMAWISE_DRAM, "%d", kind);
    CHECK(numawise_node_is_allowed(machine, nodes[0], &allowed) == NUMAWISE_OK && allowed == 1, "%d", allowed);
    unsigned distance = 0, node = 77;
    CHECK(numawise_distance(machine, nodes[0], nodes[0], &distance) == NUMAWISE_OK && distance == 10, "%u", distance);
    CHECK(numawise_node_of_cpu(machine, (unsigned)sched_getcpu(), &node) == NUMAWISE_OK && node < 77, "%u", node);
    errno = 4711;
    CHECK(numawise_node_kind(machine, 4000, &kind) == NUMAWISE_NOT_THERE && strstr(numawise_error_text(), "node 4000"), "%d", kind);
    CHECK(errno == 4711, "%d", errno);
    CHECK(numawise_nodes(NULL, nodes, &count) == NUMAWISE_INVALID && strstr(numawise_error_text(), "NULL"), "no machine");
    CHECK(numawise_nodes_of_kind(machine, 99, nodes, &count) == NUMAWISE_INVALID, "no kind");
    numawise_machine *other = NULL;
    CHECK(numawise_open_version(7, &other) == NUMAWISE_OTHER_VERSION && other == NULL, "of version 7");
    CHECK(numawise_open_measured_version(7, NULL, &other) == NUMAWISE_OTHER_VERSION && other == NULL, "of version 7");
    CHECK(numawise_open_measured("/nowhere/profile.json", &other) == NUMAWISE_NOT_THERE && other == NULL, "no profile");
    CHECK(numawise_open_measured("/proc/self/cmdline", &other) == NUMAWISE_INVALID && other == NULL, "no profile");
    double figure = 5;
    CHECK(numawise_latency(machine, nodes[0], nodes[0], &figure) == NUMAWISE_UNAVAILABLE && figure == 5, "%g", figure);
    CHECK(numawise_bandwidth(machine, nodes[0], nodes[0], &figure) == NUMAWISE_UNAVAILABLE && figure == 5, "%g", figure);
    CHECK(numawise_latency(machine, 4000, nodes[0], &figure) == NUMAWISE_NOT_THERE, "%g", figure);
}

static void *pinned(void *argument)
{
    const numawise_placement *placement = (const numawise_placement *)argument;
    unsigned char before[1024], after[1024], planned[1024];
    size_t length = sizeof before, end = sizeof after, plan = sizeof planned;
    CHECK(numawise_thread_cpus(0, before, &length) == NUMAWISE_OK, "its mask");
    CHECK(numawise_pin(placement, 0, 1, 0) == NUMAWISE_OK, "it is pinned");
    CHECK(numawise_thread_cpus(0, after, &end) == NUMAWISE_OK && numawise_placement_cpus(placement, 0, 1, planned, &plan) == NUMAWISE_OK,
          "both masks");
    CHECK(memcmp(after, planned, sizeof after) == 0, "it is where it is planned");
    CHECK(numawise_set_thread_cpus(0, before, length) == NUMAWISE_OK, "as before");
    end = sizeof after;
    CHECK(numawise_thread_cpus(0, after, &end) == NUMAWISE_OK && memcmp(after, before, sizeof after) == 0, "the mask is back");
    return NULL;
}

static void plans(const numawise_machine *machine)
{
    struct numawise_request request;
    numawise_request_init(&request);
    request.strategy = "distributed";
    numawise_placement *placement = NULL;
    CHECK(numawise_plan(machine, &request, &placement) == NUMAWISE_OK, "a plan");
    unsigned threads = 0;
    CHECK(numawise_placement_threads(placement, 0, &threads) == NUMAWISE_OK && threads == (unsigned)sysconf(_SC_NPROCESSORS_ONLN), "%u",
          threads);
    CHECK(numawise_placement_threads(placement, 5, &threads) == NUMAWISE_NOT_THERE, "one task");
    pthread_t thread;
    pthread_create(&thread, NULL, pinned, placement);
    pthread_join(thread, NULL);
    CHECK(numawise_pin(placement, 0, 0, 0x3fffffff) == NUMAWISE_ENDED, "there is no such thread");
    CHECK(numawise_pin(placement, 0, 0, -1) == NUMAWISE_INVALID, "nor such a number");
    numawise_placement_free(placement);
    numawise_placement_free(NULL);
    request.cpus = "5000";
    CHECK(numawise_plan(machine, &request, &placement) == NUMAWISE_NOT_THERE && strstr(numawise_error_text(), "5000"), "no such CPU");
    request.cpus = "0-";
    CHECK(numawise_plan(machine, &request, &placement) == NUMAWISE_INVALID && strstr(numawise_error_text(), "cpus"), "no list");
    request.size = 3;
    CHECK(numawise_plan(machine, &request, &placement) == NUMAWISE_INVALID && strstr(numawise_error_text(), "size"), "no request");
    const unsigned char none[8] = {0};
    CHECK(numawise_set_thread_cpus(0, none, sizeof none) == NUMAWISE_INVALID, "an empty mask");
}

static void memory(const numawise_machine *machine)
{
    const size_t bytes = 10 << 20, page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned node = 77;
    size_t count = 1;
    CHECK(numawise_nodes(machine, &node, &count) == NUMAWISE_OK || count > 1, "the first node");
    char policy[32];
    snprintf(policy, sizeof policy, "bind:%u", node);
    void *start = NULL;
    CHECK(numawise_alloc(machine, bytes, policy, &start) == NUMAWISE_OK && start != NULL, "memory");
    struct numawise_node_bytes on[64];
    uint64_t absent = 0;
    count = 64;
    CHECK(numawise_pages(start, bytes, on, &count, &absent) == NUMAWISE_OK && count == 0 && absent == bytes, "%zu", count);
    memset(start, 1, bytes / 2);
    count = 64;
    CHECK(numawise_pages(start, bytes, on, &count, &absent) == NUMAWISE_OK && count == 1, "%zu", count);
    CHECK(on[0].node == node && on[0].bytes + absent == bytes && on[0].bytes >= bytes / 2, "%llu", (unsigned long long)on[0].bytes);
    CHECK(numawise_set_policy(machine, start, bytes, "interleave", 1) == NUMAWISE_OK, "another policy");
    CHECK(numawise_free(start, bytes) == NUMAWISE_OK && numawise_free(NULL, 7) == NUMAWISE_OK, "it goes");
    CHECK(numawise_set_policy(machine, start, page, "interleave", 0) == NUMAWISE_NOT_MAPPED, "it is gone");
    CHECK(numawise_alloc(machine, bytes, "bind:900", &start) == NUMAWISE_NOT_THERE && strstr(numawise_error_text(), "900"), "no such node");
    CHECK(numawise_alloc(machine, bytes, "bound", &start) == NUMAWISE_INVALID && strstr(numawise_error_text(), "bound"), "no policy");
    CHECK(numawise_alloc(machine, 0, "local", &start) == NUMAWISE_INVALID, "no bytes");
    /* Valgrind finds the length invalid before the kernel sees it. */
    if (!getenv("UNDER_VALGRIND"))
        CHECK(numawise_alloc(machine, (size_t)1 << 60, "local", &start) == NUMAWISE_NO_MEMORY, "too many");
    CHECK(numawise_alloc(machine, SIZE_MAX, "local", &start) == NUMAWISE_INVALID, "no address space has them");
    uint64_t room = 0;
    CHECK(numawise_room(machine, policy, &room) == NUMAWISE_OK && room > 0, "%llu", (unsigned long long)room);
    CHECK(numawise_room(machine, "bind:900", &room) == NUMAWISE_NOT_THERE, "no such node");
    CHECK(numawise_alloc(machine, bytes, "kind:dram", &start) == NUMAWISE_OK && numawise_free(start, bytes) == NUMAWISE_OK, "ordinary memory");
    CHECK(numawise_alloc(machine, bytes, "kind:gpu", &start) == NUMAWISE_UNAVAILABLE && strstr(numawise_error_text(), "gpu"), "no such memory");
    CHECK(numawise_alloc(machine, bytes, "kind:new", &start) == NUMAWISE_INVALID && strstr(numawise_error_text(), "'new'"), "no kind");
    size_t hbm = 0;
    if (numawise_nodes_of_kind(machine, NUMAWISE_HBM, NULL, &hbm) == NUMAWISE_OK && hbm == 0)
        CHECK(numawise_alloc(machine, bytes, "hbm", &start) == NUMAWISE_UNAVAILABLE, "no such memory");
}

int main(void)
{
    numawise_machine *machine = NULL;
    if (numawise_open(&machine) != NUMAWISE_OK) {
        puts(numawise_error_text());
        return 99;
    }
    CHECK(strcmp(numawise_error_text(), "") == 0, "nothing failed");
    the_machine(machine);
    plans(machine);
    memory(machine);
    numawise_close(machine);
    numawise_close(NULL);
    return wrong;
}
