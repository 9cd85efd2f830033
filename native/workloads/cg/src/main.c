/* cg: the smallest eigenvalue of a sparse matrix by inverse iteration, each step of which solves a system with conjugate gradients. See README.md. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "ranks.h"

/* Steps of conjugate gradients for each solution. */
enum { STEPS = 25 };

/* Vectors have a rank's own rows, `whole` has all. */
typedef struct {
    double *x, *z, *p, *q, *r, *whole;
} Vectors;

static double dot(const double *left, const double *right, int rows) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int k = 0; k < rows; ++k)
        sum += left[k] * right[k];
    return ranks_sum(sum);
}

/* result = A vector */
static void multiply(const Matrix *matrix, const Ranks *ranks, const double *vector, double *whole, double *result) {
    ranks_gather(ranks, vector, whole);
#pragma omp parallel for schedule(static)
    for (int row = 0; row < matrix->rows; ++row) {
        double sum = 0;
        for (long k = matrix->begin[row]; k < matrix->begin[row + 1]; ++k)
            sum += matrix->value[k] * whole[matrix->column[k]];
        result[row] = sum;
    }
}

/* Solves A z = x as well as the steps go; gives the norm of what is left. */
static double solve(const Matrix *matrix, const Ranks *ranks, Vectors *v) {
    const int rows = matrix->rows;
#pragma omp parallel for schedule(static)
    for (int k = 0; k < rows; ++k) {
        v->z[k] = 0;
        v->r[k] = v->p[k] = v->x[k];
    }
    double rho = dot(v->r, v->r, rows);
    for (int step = 0; step < STEPS; ++step) {
        multiply(matrix, ranks, v->p, v->whole, v->q);
        const double alpha = rho / dot(v->p, v->q, rows);
#pragma omp parallel for schedule(static)
        for (int k = 0; k < rows; ++k) {
            v->z[k] += alpha * v->p[k];
            v->r[k] -= alpha * v->q[k];
        }
        const double before = rho;
        rho = dot(v->r, v->r, rows);
        const double beta = rho / before;
#pragma omp parallel for schedule(static)
        for (int k = 0; k < rows; ++k)
            v->p[k] = v->r[k] + beta * v->p[k];
    }
    multiply(matrix, ranks, v->z, v->whole, v->q);
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int k = 0; k < rows; ++k)
        sum += (v->x[k] - v->q[k]) * (v->x[k] - v->q[k]);
    return sqrt(ranks_sum(sum));
}

static void fill(double *vector, int rows, double value) {
#pragma omp parallel for schedule(static)
    for (int k = 0; k < rows; ++k)
        vector[k] = value;
}

/* One step of the inverse iteration; gives the eigenvalue. */
static double iterate(const Problem *problem, const Matrix *matrix, const Ranks *ranks, Vectors *v, double *residual) {
    *residual = solve(matrix, ranks, v);
    const double along = dot(v->x, v->z, matrix->rows), length = 1.0 / sqrt(dot(v->z, v->z, matrix->rows));
#pragma omp parallel for schedule(static)
    for (int k = 0; k < matrix->rows; ++k)
        v->x[k] = length * v->z[k];
    return problem->shift + 1.0 / along;
}

static double *vector_of(int rows) {
    double *vector = malloc((size_t)(rows > 0 ? rows : 1) * sizeof(double));
    if (vector == NULL) {
        fputs("cg: no memory for the vectors\n", stderr);
        exit(1);
    }
    fill(vector, rows, 0);
    return vector;
}

static int run(const Problem *problem, Ranks *ranks) {
    ranks_share(ranks, problem->rows);
    Matrix matrix = matrix_rows(problem, ranks->first[ranks->rank], ranks->rows[ranks->rank]);
    const int rows = matrix.rows;
    Vectors v = {vector_of(rows), vector_of(rows), vector_of(rows), vector_of(rows), vector_of(rows),
                 vector_of(problem->rows)};
    double zeta = 0, residual = 0;
    /* One step is not timed: it touches all memory. */
    fill(v.x, rows, 1);
    iterate(problem, &matrix, ranks, &v, &residual);
    fill(v.x, rows, 1);
    ranks_wait();
    const double begin = ranks_seconds();
    for (int k = 0; k < problem->iterations; ++k)
        zeta = iterate(problem, &matrix, ranks, &v, &residual);
    const double seconds = ranks_seconds() - begin;
    const int is_right = fabs(zeta - problem->zeta) <= 1e-10 * problem->zeta;
    if (ranks->rank == 0) {
        printf("class: %c\nranks: %d\nthreads: %d\nresidual: %.3e\nzeta: %.13f\npublished: %.13f\nverified: %s\nseconds: %.6f\n",
               problem->name, ranks->size, omp_get_max_threads(), residual, zeta, problem->zeta, is_right ? "yes" : "no",
               seconds);
        fflush(stdout);
    }
    double *all[] = {v.x, v.z, v.p, v.q, v.r, v.whole};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        free(all[k]);
    matrix_free(&matrix);
    return is_right ? 0 : 1;
}

int main(int argc, char **argv) {
    Ranks ranks = ranks_begin(&argc, &argv);
    const Problem *problem = argc == 2 && strlen(argv[1]) == 1 ? problem_of(argv[1][0]) : NULL;
    int status = 2;
    if (problem != NULL)
        status = run(problem, &ranks);
    else if (ranks.rank == 0)
        fputs("usage: cg S|W|A|B    a class of the NAS Parallel Benchmarks\n", stderr);
    ranks_end(&ranks);
    return status;
}
