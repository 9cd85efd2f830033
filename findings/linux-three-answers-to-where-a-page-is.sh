#!/usr/bin/env bash
# Three ways to ask on which node a page is give three answers, and one of them changes what is asked for.
#
# Software: Linux 6.18 (the one that runs is asked).
#
# One would expect: a page that nobody has touched is nowhere, and each interface says so. A page that was read has been
# touched first, so it has its place.
#
# What happens with pages of fresh anonymous memory (base pages):
#   untouched: move_pages says ENOENT, get_mempolicy(MPOL_F_NODE | MPOL_F_ADDR) says node 0
#   the same page afterwards: move_pages says EFAULT, since get_mempolicy has mapped the page of zeros there
#   read:      move_pages says EFAULT, numa_maps counts no page on any node
#   written:   move_pages says node 0, as get_mempolicy does
# All memory that was only read is one page of zeros that the whole system shares. It is placed at the first write.
#
# Why it matters: an array that is read in parallel and written by one thread later (calloc and a sum, a check for
# zeros) is on the node of the writer. A tool that asks get_mempolicy for each page finds memory on node 0 that is not
# there, and pays a page fault for each.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

compile program << 'END'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *memory;
static long size;

static const char *moved(int page)
{
    static char text[32];
    void *address = memory + page * size;
    int status = 0;
    if (syscall(SYS_move_pages, 0, 1ul, &address, 0, &status, 0))
        return strerror(errno);
    snprintf(text, sizeof text, "node %d", status);
    return status == -ENOENT ? "ENOENT" : status == -EFAULT ? "EFAULT" : text;
}

static const char *asked(int page)
{
    static char text[32];
    int node = -1;
    if (syscall(SYS_get_mempolicy, &node, 0, 0ul, memory + page * size, (unsigned long)(MPOL_F_NODE | MPOL_F_ADDR)))
        return strerror(errno);
    snprintf(text, sizeof text, "node %d", node);
    return text;
}

static int on_nodes(void)
{
    char line[512];
    unsigned long address;
    FILE *file = fopen("/proc/self/numa_maps", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%lx", &address) == 1 && address == (unsigned long)memory)
            return strstr(line, " N") != 0;
    return -1;
}

int main(void)
{
    size = sysconf(_SC_PAGESIZE);
    memory = mmap(0, 16 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, 16 * size, PROT_READ | PROT_WRITE | PROT_EXEC); /* no neighbour has these rights: a line of its own */
    madvise(memory, 16 * size, MADV_NOHUGEPAGE);
    printf("untouched, move_pages: %s\n", moved(0));
    printf("untouched, get_mempolicy: %s\n", strncmp(asked(0), "node ", 5) ? "no node" : "a node");
    printf("afterwards, move_pages: %s\n", moved(0));
    (void)*(volatile char *)(memory + size);
    printf("read, move_pages: %s\n", moved(1));
    printf("read, numa_maps: %s\n", on_nodes() == 0 ? "no node" : "a node");
    memory[size] = 1;
    printf("written, move_pages: %s\n", strncmp(moved(1), "node ", 5) ? "no node" : "a node");
    printf("written, numa_maps: %s\n", on_nodes() == 1 ? "a node" : "no node");
    return 0;
}
END
note "Linux $(uname -r)"
bounded ./program > seen
! grep -qE 'not permitted|not implemented' seen || fail "the kernel does not let us ask for pages here"
expected=(
    "untouched, move_pages: ENOENT"
    "untouched, get_mempolicy: a node"
    "afterwards, move_pages: EFAULT"
    "read, move_pages: EFAULT"
    "read, numa_maps: no node"
    "written, move_pages: a node"
    "written, numa_maps: a node"
)
for ((k = 0; k < ${#expected[@]}; k++)); do
    line=$(sed -n "$((k + 1))p" seen)
    same "${expected[k]%%:*}" "${expected[k]##*: }" "${line##*: }"
done
finish
