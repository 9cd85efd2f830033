/* A rank's part of the area, with a halo of two points, and what ranks exchange. */
#ifndef ADVECT_AREA_H
#define ADVECT_AREA_H

#include <mpi.h>
#include <stddef.h>

enum { HALO = 2 };

/* Points are (i, j, k), of which k is contiguous in memory. Ranks divide i and j. */
typedef struct {
    int points[3];         /* of the whole area */
    int ranks[2], rank;    /* how the area is divided, and who we are */
    int first[2], own[3];  /* our points: the first in i and j, and how many */
    size_t row, plane;     /* from (i, j, k) to (i, j + 1, k) and to (i + 1, j, k) */
    size_t size;           /* of a field, with the halo on every side */
    MPI_Comm comm;
    MPI_Datatype whole;    /* one row, with its halo */
    MPI_Datatype rows;     /* two rows of each plane: what goes to a neighbour in j */
    int next[2][2];        /* neighbours in i and j: before and behind us */
    double exchange;       /* seconds in area_exchange */
} Area;

/* 1, or 0 where a rank would have fewer points than the halo is wide; `least` has then how many the ranks need. */
int area_divide(const int points[3], MPI_Comm world, Area *area, int least[2]);
void area_free(Area *area);

/* Where a point of ours is in a field; from -HALO on. */
static inline size_t area_index(const Area *area, int i, int j, int k) {
    return (size_t)(i + HALO) * area->plane + (size_t)(j + HALO) * area->row + (size_t)(k + HALO);
}

/* A field of zeros that this rank touches first; NULL where there is no memory. */
double *area_field(const Area *area);

/* Gets from the four neighbours what their points next to ours are. */
void area_exchange(Area *area, double *field);

#endif
