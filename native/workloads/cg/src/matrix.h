/* The matrix of the benchmark: sparse, symmetric, with a random pattern, of which a rank holds some rows. */
#ifndef CG_MATRIX_H
#define CG_MATRIX_H

/* A size of the problem, and the eigenvalue that was published for it. */
typedef struct {
    char name;
    int rows, nonzeros, iterations;
    double shift, zeta;
} Problem;

/* NULL for a class that is not known. */
const Problem *problem_of(char name);

/* Rows first to first + rows - 1, compressed: row k has the entries begin[k] to begin[k + 1] - 1. */
typedef struct {
    int first, rows;
    long *begin;
    int *column;
    double *value;
} Matrix;

/* Ends the program where there is no memory. */
Matrix matrix_rows(const Problem *problem, int first, int rows);
void matrix_free(Matrix *matrix);

#endif
