#!/usr/bin/env bash
# set_mempolicy(2) takes one bit less than it is told, and a policy without nodes becomes another policy.
#
# Software: Linux 6.18 (the one that runs is asked).
#
# One would expect: set_mempolicy(MPOL_PREFERRED, mask, maxnode) with bit 0 of the mask set and maxnode 1, the number of
# bits in it, prefers node 0.
#
# What happens, by what get_mempolicy gives afterwards:
#   MPOL_PREFERRED, bit 0, maxnode 2: MPOL_PREFERRED with node 0
#   MPOL_PREFERRED, bit 0, maxnode 1: success, and the policy is MPOL_LOCAL
#   MPOL_BIND, bit 0, maxnode 1:      EINVAL
# The kernel looks at the first maxnode - 1 bits. Without any, MPOL_PREFERRED means "local" by definition. With a mask
# of 64 bits and maxnode 64, node 63 is the one that is lost.
#
# Why it matters: a program that counts the nodes of the computer and passes this number never places anything on the
# last node, and on a computer with one node its policy is another one. The call succeeds, and pages are local, which is
# right in every test that runs where its memory is.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

compile program << 'END'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void try(const char *name, int mode, unsigned long bits)
{
    unsigned long mask = 1, nodes[64] = {0};
    int now = -1;
    if (syscall(SYS_set_mempolicy, mode, &mask, bits)) {
        printf("%s maxnode %lu: %s\n", name, bits, errno == EINVAL ? "EINVAL" : strerror(errno));
        return;
    }
    syscall(SYS_get_mempolicy, &now, nodes, sizeof nodes * 8, 0, 0ul);
    const char *word = now == MPOL_PREFERRED ? "preferred" : now == MPOL_BIND ? "bind" : now == 4 ? "local" : "another";
    printf("%s maxnode %lu: %s, nodes 0x%lx\n", name, bits, word, nodes[0]);
}

int main(void)
{
    try("preferred", MPOL_PREFERRED, 2);
    try("preferred", MPOL_PREFERRED, 1);
    try("bind", MPOL_BIND, 2);
    try("bind", MPOL_BIND, 1);
    return 0;
}
END
note "Linux $(uname -r); bit 0 of the mask is set"
bounded ./program > seen
! grep -qE 'Operation not permitted|not implemented' seen || fail "memory policies cannot be set here"
same "preferred, two bits" "preferred maxnode 2: preferred, nodes 0x1" "$(sed -n 1p seen)"
same "preferred, one bit" "preferred maxnode 1: local, nodes 0x0" "$(sed -n 2p seen)"
same "bind, two bits" "bind maxnode 2: bind, nodes 0x1" "$(sed -n 3p seen)"
same "bind, one bit" "bind maxnode 1: EINVAL" "$(sed -n 4p seen)"
finish
