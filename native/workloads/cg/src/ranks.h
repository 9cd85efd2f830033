/* What ranks do together; without MPI there is one. */
#ifndef CG_RANKS_H
#define CG_RANKS_H

typedef struct {
    int rank, size;
    /* Rows of each rank: how many, and the first. */
    int *rows, *first;
} Ranks;

Ranks ranks_begin(int *argc, char ***argv);
void ranks_share(Ranks *ranks, int rows);
double ranks_sum(double own);
/* Gives all ranks the whole vector, of which each has its rows in `own`. */
void ranks_gather(const Ranks *ranks, const double *own, double *whole);
void ranks_wait(void);
double ranks_seconds(void);
void ranks_end(Ranks *ranks);

#endif
