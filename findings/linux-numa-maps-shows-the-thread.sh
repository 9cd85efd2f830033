#!/usr/bin/env bash
# /proc/PID/numa_maps has a memory policy in each line, and it is mostly not that of the memory.
#
# Software: Linux 6.18 (the one that runs is asked).
#
# One would expect: a line of numa_maps describes a part of the memory of a process: its address, its policy, on which
# nodes its pages are. Memory is shared by all threads, so each thread's file has the same lines.
#
# What happens: where no mbind was done, the policy in the line is that of the thread whose file it is. A thread that
# has set MPOL_INTERLEAVE reads, of one and the same heap,
#   in its own file, /proc/PID/task/TID/numa_maps: interleave:0
#   in that of the process, /proc/PID/numa_maps:   default
# /proc/PID/numa_maps is the first thread's.
#
# Why it matters: whoever looks whether `interleave` has arrived in a program whose workers set it finds "default";
# whoever finds "bind" there knows nothing of the pages that other threads touched. Policies have to be read thread by
# thread.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

compile program -pthread << 'END'
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void show(const char *whose, const char *path)
{
    char line[512], policy[64];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strstr(line, " heap") && sscanf(line, "%*s %63s", policy) == 1)
            printf("%s %s\n", whose, policy);
}

static void *worker(void *unused)
{
    char path[64];
    unsigned long node = 1; /* node 0 */
    if (syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, &node, 64ul)) {
        perror("set_mempolicy");
        exit(1);
    }
    snprintf(path, sizeof path, "/proc/self/task/%ld/numa_maps", syscall(SYS_gettid));
    show("thread:", path);
    show("process:", "/proc/self/numa_maps");
    return unused;
}

int main(void)
{
    pthread_t thread;
    char *heap = malloc(100000);
    memset(heap, 1, 100000);
    pthread_create(&thread, 0, worker, heap);
    pthread_join(thread, 0);
    return 0;
}
END
note "Linux $(uname -r); the policy of the heap, by whose numa_maps it is"
bounded ./program > seen || fail "memory policies cannot be set here"
same "the thread's" "thread: interleave:0" "$(sed -n 1p seen)"
same "the process's" "process: default" "$(sed -n 2p seen)"
finish
