// Programs that place themselves, and so cannot be placed by others.
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

// linux/mempolicy.h; libnuma is not needed for two calls.
enum { POLICY_BIND = 2, POLICY_INTERLEAVE = 3, HUGE_PAGE = 2 << 20 };

static void own_mbind(const struct job *job)
{
    unsigned char *memory = private_memory(job->bytes);
    unsigned long node = 1ul << 1;
    if (syscall(SYS_mbind, memory, job->bytes, POLICY_BIND, &node, 8 * sizeof node, 0)) fail("mbind to node 1");
    pin_by_hand(0);
    touch(memory, job->bytes);
    sweep(memory, job->bytes, job->rounds);
    if (job->check && !swept(memory, job->bytes, job->rounds)) wrong("lines were not swept as often as asked");
}

struct array { const struct job *job; unsigned char *memory; };

static void work_on_part(int k, void *shared)
{
    struct array *array = shared;
    struct part own = part(array->memory, array->job->bytes, k, array->job->threads);
    sweep(own.memory, own.bytes, array->job->rounds);
}

static void own_interleave(const struct job *job)
{
    struct array array = {job, private_memory(job->bytes)};
    unsigned long nodes = 3;
    if (syscall(SYS_set_mempolicy, POLICY_INTERLEAVE, &nodes, 8 * sizeof nodes)) fail("set_mempolicy: interleave over nodes 0 and 1");
    touch(array.memory, job->bytes);
    in_threads(job->threads, work_on_part, &array);
    if (job->check && !swept(array.memory, job->bytes, job->rounds)) wrong("lines were not swept as often as asked");
}

// Worker k on CPU k, whatever it may use otherwise: all first workers on one node.
static void pin_and_work(int k, void *shared)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(k, &set);
    if (sched_setaffinity(0, sizeof set, &set)) fail("sched_setaffinity");
    struct array *array = shared;
    struct part own = part(array->memory, array->job->bytes, k, array->job->threads);
    touch(own.memory, own.bytes);
    sweep(own.memory, own.bytes, array->job->rounds);
}

static void own_affinity(const struct job *job)
{
    struct array array = {job, private_memory(job->bytes)};
    in_threads(job->threads, pin_and_work, &array);
    if (job->check && !swept(array.memory, job->bytes, job->rounds)) wrong("lines were not swept as often as asked");
}

static void hugetlb(const struct job *job)
{
    size_t bytes = (job->bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (memory == MAP_FAILED) fail("mmap of reserved huge pages");
    pin_by_hand(0);
    touch(memory, job->bytes);
    sweep(memory, job->bytes, job->rounds);
    if (job->check && !swept(memory, job->bytes, job->rounds)) wrong("lines were not swept as often as asked");
}

const struct entry own_cases[] = {
    {"own-mbind", "binds its memory to node 1 itself; one thread sweeps it", own_mbind},
    {"own-interleave", "interleaves its memory itself; else as serial-init", own_interleave},
    {"own-affinity", "worker k holds itself to CPU k; else as parallel-init", own_affinity},
    {"hugetlb", "one thread sweeps reserved huge pages", hugetlb},
    {0},
};
