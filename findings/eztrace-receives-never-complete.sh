#!/usr/bin/env bash
# EZTrace writes that MPI_Irecv and MPI_Isend began, and never that they completed: its messages have no receiver.
#
# Software: EZTrace 2.0 (Debian 12) with MPICH 4.0.2; otf2-print of OTF2 3.0.2 reads what it wrote.
#
# One would expect: MPI_Irecv leaves two records of OTF2, MPI_IRECV_REQUEST where it is called and MPI_IRECV where
# MPI_Wait completes it, which has the sender, the tag and the length; MPI_Isend leaves MPI_ISEND and MPI_ISEND_COMPLETE.
#
# What happens, two ranks that send each other one message:
#   MPI_Recv:                                   2 MPI_RECV 2 MPI_SEND
#   MPI_Irecv with MPI_Wait, MPI_Test:          2 MPI_IRECV_REQUEST 2 MPI_SEND
#   MPI_Irecv and MPI_Isend with MPI_Waitall:   2 MPI_IRECV_REQUEST 2 MPI_ISEND
# A request has only a number, so that nobody can say which message it was for.
#
# Why it matters: who reads such an archive sees messages that are sent and never received. What a wait waited for is
# not in it; a tool that trusts the specification finds half of each message missing, without an error.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb eztrace=2.0+repack-12 libeztrace0=2.0+repack-12 libopen-trace-format2-10=3.0.2-2 otf2-tools=3.0.2-2 \
    mpich=4.0.2-3+b1 libmpich12=4.0.2-3+b1 libmpich-dev=4.0.2-3+b1 libucx0=1.13.1-1 libhwloc15=2.9.0-1 \
    libslurm38=22.05.8-4+deb12u3 libnuma1=2.0.16-1
export LD_LIBRARY_PATH=$libraries
bin=$work/deb/usr/bin

compile exchange -I"$work/deb/usr/include/$(basename "$libraries")/mpich" -L"$libraries" -lmpich << 'END'
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, done = 0, out = 7, in;
    MPI_Request requests[2];
    MPI_Status status[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *how = argv[1];
    if (strcmp(how, "recv") != 0)
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &requests[0]);
    if (strcmp(how, "waitall") == 0)
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &requests[1]);
    else
        MPI_Send(&out, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
    if (strcmp(how, "recv") == 0)
        MPI_Recv(&in, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, status);
    else if (strcmp(how, "wait") == 0)
        MPI_Wait(requests, status);
    else if (strcmp(how, "waitall") == 0)
        MPI_Waitall(2, requests, status);
    else
        while (!done)
            MPI_Test(requests, &done, status);
    MPI_Finalize();
    return 0;
}
END

records() { # HOW: the records of messages in the trace of two ranks
    rm -rf exchange_trace
    # It also asks the loader for a library in /usr/lib, which is not needed and need not be there.
    bounded "$bin/mpiexec.hydra" -n 2 "$bin/eztrace" -l "$libraries" -t mpich ./exchange "$1" > said 2>&1 ||
        fail "the traced program failed: $(tail -n 1 said)"
    [[ -e exchange_trace/eztrace_log.otf2 ]] || fail "EZTrace wrote no trace: $(tail -n 1 said)"
    bounded "$bin/otf2-print" exchange_trace/eztrace_log.otf2 2> /dev/null |
        awk '$1 ~ /^MPI_/ { n[$1]++ } END { for (name in n) print n[name], name }' | sort -k 2 | tr '\n' ' ' | sed 's/ $//'
}

note "two ranks, each sends one message and receives one"
same "MPI_Send and MPI_Recv" "2 MPI_RECV 2 MPI_SEND" "$(records recv)"
same "MPI_Irecv, MPI_Send, MPI_Wait" "2 MPI_IRECV_REQUEST 2 MPI_SEND" "$(records wait)"
same "MPI_Irecv, MPI_Send, MPI_Test" "2 MPI_IRECV_REQUEST 2 MPI_SEND" "$(records test)"
same "MPI_Irecv, MPI_Isend, MPI_Waitall" "2 MPI_IRECV_REQUEST 2 MPI_ISEND" "$(records waitall)"
finish
