/* Calls of each kind between two ranks, whose numbers and bytes are known: see mpi.rs. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int r, n, index, count, places[4], left;
    char in[10][100], out[100];
    MPI_Request q[20];
    memset(in, 0, sizeof in);
    memset(out, 'x', sizeof out);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    const int o = 1 - r;
    /* 10 + ... + 19 = 145 bytes, in requests that complete together. */
    for (int k = 0; k < 10; ++k)
        MPI_Irecv(in[k], 100, MPI_CHAR, o, k, MPI_COMM_WORLD, &q[k]);
    for (int k = 0; k < 10; ++k)
        MPI_Isend(out, 10 + k, MPI_CHAR, o, k, MPI_COMM_WORLD, &q[10 + k]);
    MPI_Waitall(20, q, MPI_STATUSES_IGNORE);
    /* Persistent: three times 44 bytes. */
    MPI_Send_init(out, 44, MPI_CHAR, o, 4, MPI_COMM_WORLD, &q[0]);
    MPI_Recv_init(in[0], 100, MPI_CHAR, o, 4, MPI_COMM_WORLD, &q[1]);
    for (int k = 0; k < 3; ++k) {
        MPI_Startall(2, q);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&q[0]);
    MPI_Request_free(&q[1]);
    /* Four times 5 bytes, one by one. */
    for (int k = 0; k < 4; ++k)
        MPI_Irecv(in[k], 100, MPI_CHAR, o, k, MPI_COMM_WORLD, &q[k]);
    for (int k = 0; k < 4; ++k)
        MPI_Ssend(out, 5, MPI_CHAR, o, k, MPI_COMM_WORLD);
    MPI_Waitany(4, q, &index, MPI_STATUS_IGNORE);
    for (left = 3; left > 0; left -= count)
        MPI_Waitsome(4, q, &count, places, MPI_STATUSES_IGNORE);
    /* Blocking, with the program's own status and without; to nobody; of a derived type of 24 bytes. */
    MPI_Status status;
    for (int k = 0; k < 6; ++k) {
        if (r == 0)
            MPI_Send(out, 50, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
        else
            MPI_Recv(in[0], 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, k % 2 ? &status : MPI_STATUS_IGNORE);
    }
    if (r == 1) {
        MPI_Get_count(&status, MPI_CHAR, &count);
        printf("status %d %d %d\n", status.MPI_SOURCE, status.MPI_TAG, count);
    }
    MPI_Send(out, 50, MPI_CHAR, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
    MPI_Datatype type;
    int ints[20] = {0};
    MPI_Type_vector(3, 2, 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(ints, 1, type, o, 9, in, 1, type, o, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    /* Collective, in place too. */
    const int sends[2] = {3, 4}, from[2] = {0, 4}, to[2] = {0, 50}, receives[2] = {r ? 4 : 3, r ? 4 : 3};
    int x = 1, y[2] = {r, r};
    MPI_Alltoallv(out, sends, from, MPI_CHAR, in[0], receives, to, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Gather(&x, 1, MPI_INT, y, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(y, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(y, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(&x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, q);
    MPI_Wait(q, MPI_STATUS_IGNORE);
    /* A hundred communicators of the same ranks are one, one of other ranks is another, with the ranks turned round. */
    MPI_Comm comm;
    for (int k = 0; k < 100; ++k) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_split(MPI_COMM_WORLD, 0, -r, &comm);
    if (r == 0)
        MPI_Send(out, 7, MPI_CHAR, 0, 1, comm);
    else
        MPI_Recv(in[0], 7, MPI_CHAR, 1, 1, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    /* A ring, whose neighbours are the other rank twice. */
    const int dims[1] = {2}, periods[1] = {1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);
    MPI_Neighbor_alltoall(ints, 1, MPI_INT, y, 1, MPI_INT, comm);
    MPI_Comm_free(&comm);
    /* One-sided and file. */
    MPI_Win window;
    MPI_Win_create(ints, sizeof ints, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(y, 2, MPI_INT, o, 0, 2, MPI_INT, window);
    MPI_Get(&x, 1, MPI_INT, o, 10, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    /* Matched: 11 bytes each way, by both kinds of receive. */
    MPI_Message message;
    MPI_Isend(out, 11, MPI_CHAR, o, 21, MPI_COMM_WORLD, q);
    MPI_Mprobe(o, 21, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    if (r == 0) {
        MPI_Mrecv(in[0], 100, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    } else {
        MPI_Imrecv(in[0], 100, MPI_CHAR, &message, &q[1]);
        MPI_Wait(&q[1], MPI_STATUS_IGNORE);
    }
    MPI_Wait(q, MPI_STATUS_IGNORE);
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, r * 40, ints, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, r * 40, ints, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    printf("rank %d: %d %d %c\n", r, x, y[0], in[9][18]);
    MPI_Finalize();
    return 0;
}
