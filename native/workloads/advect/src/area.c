#include "area.h"

#include <stdlib.h>

/* The points of one rank in one direction: as even as it goes. */
static void share(int points, int ranks, int at, int *first, int *own) {
    *first = (int)((long long)points * at / ranks);
    *own = (int)((long long)points * (at + 1) / ranks) - *first;
}

int area_divide(const int points[3], MPI_Comm world, Area *area, int least[2]) {
    const int periods[2] = {0, 0};
    int size, at[2];
    MPI_Comm_size(world, &size);
    *area = (Area){.points = {points[0], points[1], points[2]}};
    MPI_Dims_create(size, 2, area->ranks);
    /* The longer side gets the more ranks. */
    if (points[1] > points[0]) {
        const int more = area->ranks[0];
        area->ranks[0] = area->ranks[1];
        area->ranks[1] = more;
    }
    for (int side = 0; side < 2; ++side)
        least[side] = HALO * area->ranks[side];
    if (points[0] < least[0] || points[1] < least[1])
        return 0;
    MPI_Cart_create(world, 2, area->ranks, periods, 0, &area->comm);
    MPI_Comm_rank(area->comm, &area->rank);
    MPI_Cart_coords(area->comm, area->rank, 2, at);
    for (int side = 0; side < 2; ++side) {
        share(points[side], area->ranks[side], at[side], &area->first[side], &area->own[side]);
        MPI_Cart_shift(area->comm, side, 1, &area->next[side][0], &area->next[side][1]);
    }
    area->own[2] = points[2];
    area->row = (size_t)points[2] + 2 * HALO;
    area->plane = ((size_t)area->own[1] + 2 * HALO) * area->row;
    area->size = ((size_t)area->own[0] + 2 * HALO) * area->plane;
    /* In rows, since numbers of points may be too large for MPI. */
    MPI_Type_contiguous((int)area->row, MPI_DOUBLE, &area->whole);
    MPI_Type_commit(&area->whole);
    MPI_Type_vector(area->own[0], HALO, area->own[1] + 2 * HALO, area->whole, &area->rows);
    MPI_Type_commit(&area->rows);
    return 1;
}

void area_free(Area *area) {
    MPI_Type_free(&area->rows);
    MPI_Type_free(&area->whole);
    MPI_Comm_free(&area->comm);
}

double *area_field(const Area *area) {
    enum { LINE = 64 };
    /* Not calloc, whose pages nobody has touched. */
    double *field = aligned_alloc(LINE, (area->size * sizeof(double) + LINE - 1) / LINE * LINE);
    for (size_t at = 0; field != NULL && at < area->size; ++at)
        field[at] = 0;
    return field;
}

void area_exchange(Area *area, double *field) {
    const double begin = MPI_Wtime();
    const int nx = area->own[0], ny = area->own[1], planes = HALO * (ny + 2 * HALO);
    MPI_Request requests[8];
    MPI_Status statuses[8];
    /* In i two whole planes, in j two rows of each plane of ours; a rank at the border has no neighbour there. */
    double *const plane = field, *const row = field + area_index(area, 0, -HALO, -HALO);
    MPI_Irecv(plane, planes, area->whole, area->next[0][0], 0, area->comm, &requests[0]);
    MPI_Irecv(plane + (size_t)(nx + HALO) * area->plane, planes, area->whole, area->next[0][1], 1, area->comm, &requests[1]);
    MPI_Irecv(row, 1, area->rows, area->next[1][0], 2, area->comm, &requests[2]);
    MPI_Irecv(row + (size_t)(ny + HALO) * area->row, 1, area->rows, area->next[1][1], 3, area->comm, &requests[3]);
    MPI_Isend(plane + (size_t)nx * area->plane, planes, area->whole, area->next[0][1], 0, area->comm, &requests[4]);
    MPI_Isend(plane + HALO * area->plane, planes, area->whole, area->next[0][0], 1, area->comm, &requests[5]);
    MPI_Isend(row + (size_t)ny * area->row, 1, area->rows, area->next[1][1], 2, area->comm, &requests[6]);
    MPI_Isend(row + HALO * area->row, 1, area->rows, area->next[1][0], 3, area->comm, &requests[7]);
    MPI_Waitall(8, requests, statuses);
    area->exchange += MPI_Wtime() - begin;
}
