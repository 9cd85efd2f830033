/* Programs that place themselves: the machine, plans of placement, and memory on nodes. For C99 and later, and C++.
 *
 *     #include <numawise/numawise.h>                        cc ... -lnumawise
 *
 *     numawise_machine *machine;
 *     if (numawise_open(&machine) != NUMAWISE_OK) puts(numawise_error_text());
 *     void *hot;
 *     numawise_alloc(machine, bytes, "hbm", &hot);
 *     numawise_close(machine);
 *
 * Calls give NUMAWISE_OK, or a status with a text (numawise_error_text). No call prints, ends the program, throws, changes errno or
 * the environment, or keeps anything of the caller's after it has come back. Any thread may call at any time; a machine and a placement are
 * not changed once they are there, and may be read by several threads while nobody closes them. Times are those of a
 * virtual machine with two CPUs.
 *
 * Texts of policies, strategies, orders and lists are those of the command line of `numawise run`, and mean the same: one planner serves both.
 *
 * A mask is bytes: CPU 0 is the lowest bit of the first one. Where a mask or a list is asked for, `*bytes` or `*count` is the room of the
 * buffer before the call, and what is needed after it, also where the buffer was too small; with NULL for the buffer only that is asked for.
 * Masks may have any length. */
#ifndef NUMAWISE_NUMAWISE_H
#define NUMAWISE_NUMAWISE_H

#include <stddef.h>
#include <stdint.h>

#include "../numawise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header; the library says so where it is of another version. */
#define NUMAWISE_VERSION 1u

/* The numbers never change; newer versions may have more. */
enum numawise_status {
    NUMAWISE_OK = 0,
    NUMAWISE_INVALID = 1,     /* An argument makes no sense. */
    NUMAWISE_NOT_THERE = 2,   /* No such node, CPU, task or thread. */
    NUMAWISE_NOT_ALLOWED = 3, /* It is there, and this process may not use it. */
    NUMAWISE_NO_MEMORY = 4,
    NUMAWISE_REFUSED = 5,     /* The kernel refuses the call, as in containers. */
    NUMAWISE_ENDED = 6,       /* The thread has ended. */
    NUMAWISE_NOT_MAPPED = 7,  /* The range is not all mapped. */
    NUMAWISE_UNAVAILABLE = 8, /* It is not known here, or not there to be had; the text says why. */
    NUMAWISE_TOO_SMALL = 9,   /* The buffer is. */
    NUMAWISE_OTHER_VERSION = 10,
    NUMAWISE_SYSTEM = 11,     /* The kernel said something else. */
    NUMAWISE_FAULT = 12       /* A fault of the library. */
};

/* Gives the text of the last call of this thread that failed, "" where none did; there until the next one fails in this thread. */
const char *numawise_error_text(void);

/* ---- The machine ---- */

typedef struct numawise_machine numawise_machine;

enum numawise_kind { NUMAWISE_UNKNOWN_KIND = 0, NUMAWISE_DRAM = 1, NUMAWISE_HBM = 2, NUMAWISE_CXL = 3, NUMAWISE_GPU = 4 };

/* Opens the machine for a program that was compiled with this version of the header, as numawise_open does; NUMAWISE_OTHER_VERSION where the
 * library is of another one. */
int numawise_open_version(unsigned version, numawise_machine **machine);

/* Reads the machine as this process may use it, from /sys and /proc: CPUs and nodes that its cgroup and its mask leave it. Less than a
 * millisecond. To be closed. */
static inline int numawise_open(numawise_machine **machine)
{
    return numawise_open_version(NUMAWISE_VERSION, machine);
}

/* As numawise_open_measured, for a header of this version. */
int numawise_open_measured_version(unsigned version, const char *profile, numawise_machine **machine);

/* Reads the machine with what was measured of it: of the file `profile`, or, with NULL, of the newest profile that `numawise machine measure`
 * has saved for this user. NUMAWISE_UNAVAILABLE where there is none, NUMAWISE_INVALID for one of another machine. */
static inline int numawise_open_measured(const char *profile, numawise_machine **machine)
{
    return numawise_open_measured_version(NUMAWISE_VERSION, profile, machine);
}

/* Closes a machine. NULL is nothing to close. */
void numawise_close(numawise_machine *machine);

/* Gives all nodes, by their numbers, which may have gaps. */
int numawise_nodes(const numawise_machine *machine, unsigned *nodes, size_t *count);
/* Gives the nodes of a kind from which this process may take memory. */
int numawise_nodes_of_kind(const numawise_machine *machine, int kind, unsigned *nodes, size_t *count);
/* Gives the kind of a node, an enum numawise_kind. */
int numawise_node_kind(const numawise_machine *machine, unsigned node, int *kind);
/* Says whether this process may take memory from a node: 1 where it may. */
int numawise_node_is_allowed(const numawise_machine *machine, unsigned node, int *allowed);
/* Gives the bytes that a node has, and those that were free when the machine was opened. Either may be NULL. */
int numawise_node_memory(const numawise_machine *machine, unsigned node, uint64_t *total, uint64_t *free_bytes);
/* Gives the CPUs to which a node is local; none where it has none. */
int numawise_node_cpus(const numawise_machine *machine, unsigned node, unsigned char *mask, size_t *bytes);
/* Gives the CPUs that this process may use. */
int numawise_allowed_cpus(const numawise_machine *machine, unsigned char *mask, size_t *bytes);
/* Gives the node that is local to a CPU. */
int numawise_node_of_cpu(const numawise_machine *machine, unsigned cpu, unsigned *node);
/* Gives the distance of two nodes as the firmware has it; 10 is local. */
int numawise_distance(const numawise_machine *machine, unsigned from, unsigned to, unsigned *distance);
/* Gives the measured latency of a load by the CPUs of a node from the memory of another one. NUMAWISE_UNAVAILABLE where that was not
 * measured, or the machine was opened without a profile. */
int numawise_latency(const numawise_machine *machine, unsigned from, unsigned to, double *nanoseconds);
/* Gives the measured bandwidth of reads by all CPUs of a node from the memory of another one; unavailable as numawise_latency. */
int numawise_bandwidth(const numawise_machine *machine, unsigned from, unsigned to, double *bytes_per_second);

/* ---- Plans ---- */

/* What is asked for; 0 and NULL are as if it was not. */
struct numawise_request {
    size_t size; /* numawise_request_init sets it. */
    const char *strategy; /* local, distributed, semi, none (also for NULL), explicit */
    unsigned tasks;
    unsigned threads; /* of each task; 0: as many as CPUs fall to it */
    const char *cpus, *nodes; /* only these, e.g. "0-3,8" */
    const char *order; /* spread, compact, scatter, balanced, or CPUs in their order */
    unsigned step; /* every n-th CPU of the order, and at its end from the next one on */
    const char *smt; /* hardware threads of each core, as --smt has it */
    const char *skip; /* CPUs to leave alone */
    int skip_os_core; /* leaves the core alone where the system's own work runs */
    int efficient_cores; /* takes the efficient cores of a hybrid machine too */
};

/* Sets a request to one that asks for nothing, with its size. To be called before anything is asked for. */
static inline void numawise_request_init(struct numawise_request *request)
{
    static const struct numawise_request nothing = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    *request = nothing;
    request->size = sizeof nothing;
}

typedef struct numawise_placement numawise_placement;

/* Gives each thread its CPUs; nothing is bound yet. To be freed. */
int numawise_plan(const numawise_machine *machine, const struct numawise_request *request, numawise_placement **placement);
/* Frees a placement. NULL is nothing to free. */
void numawise_placement_free(numawise_placement *placement);
/* Says how many threads of a task have CPUs of their own. */
int numawise_placement_threads(const numawise_placement *placement, unsigned task, unsigned *threads);
/* Gives the CPUs of a thread. Threads beyond the last one begin again at the first. */
int numawise_placement_cpus(const numawise_placement *placement, unsigned task, unsigned thread, unsigned char *mask, size_t *bytes);

/* ---- Threads ---- */

/* Binds a thread as the plan has it: 0 for the calling one, else the number that gettid(2) gave it. */
int numawise_pin(const numawise_placement *placement, unsigned task, unsigned thread, int tid);
/* Gives the CPUs on which a thread may run, to be put back later; `tid` is as for numawise_pin. */
int numawise_thread_cpus(int tid, unsigned char *mask, size_t *bytes);
/* Lets a thread run on these CPUs only, such as those that numawise_thread_cpus gave. */
int numawise_set_thread_cpus(int tid, const unsigned char *mask, size_t bytes);

/* ---- Memory ---- */

/* Policies: "local", "bind:0,1", "preferred:1", "preferred-many:0,1", "interleave", "interleave:0,1", "weighted", "hbm", "remote"; and "kind:cxl" (dram,
 * hbm, gpu) for all nodes of a kind. */

/* Gives whole pages of a range a policy, also those that are there already where `move_pages` is not 0. */
int numawise_set_policy(const numawise_machine *machine, void *start, size_t bytes, const char *policy, int move_pages);
/* Gives new memory of whole pages under a policy; zeroed, and on its nodes once it is touched. To be freed with the same length. */
int numawise_alloc(const numawise_machine *machine, size_t bytes, const char *policy, void **memory);
/* Gives memory of numawise_alloc back. NULL is nothing to free. */
int numawise_free(void *memory, size_t bytes);
/* Gives the bytes that can be had now on the nodes of a policy: what is free, and what the kernel keeps of files and gives back. Of a policy that
 * prefers nodes, on all that this process may use. */
int numawise_room(const numawise_machine *machine, const char *policy, uint64_t *bytes);

struct numawise_node_bytes {
    unsigned node;
    uint64_t bytes;
};

/* Says where the pages of a range lie now, by node; `absent` (or NULL) gets the bytes of those that are nowhere, as they were not touched or nothing is
 * mapped there. Pages that are in the range in part count as a whole. */
int numawise_pages(const void *start, size_t bytes, struct numawise_node_bytes *nodes, size_t *count, uint64_t *absent);

#ifdef __cplusplus
}
#endif

#endif
