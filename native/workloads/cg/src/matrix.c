#include "matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

/* Of the smallest eigenvalue of what is summed up. */
static const double CONDITION = 0.1;

static const Problem PROBLEMS[] = {
    {'S', 1400, 7, 15, 10, 8.5971775078648},
    {'W', 7000, 8, 15, 12, 10.362595087124},
    {'A', 14000, 11, 15, 20, 17.130235054029},
    {'B', 75000, 13, 75, 60, 22.712745482631},
};

const Problem *problem_of(char name) {
    for (size_t k = 0; k < sizeof PROBLEMS / sizeof *PROBLEMS; ++k)
        if (PROBLEMS[k].name == name)
            return &PROBLEMS[k];
    return NULL;
}

static void *memory(size_t count, size_t size) {
    void *found = calloc(count > 0 ? count : 1, size);
    if (found == NULL) {
        fputs("cg: no memory for the matrix\n", stderr);
        exit(1);
    }
    return found;
}

/* A sparse vector: one of those whose outer products make the matrix. */
typedef struct {
    int count;
    int *place;
    double *value;
} Sparse;

/* The next vector: random places and values, and 1/2 in the diagonal's own place. A place that comes twice is drawn again. */
static void draw(Random *random, const Problem *problem, int diagonal, Sparse *vector) {
    int power = 1;
    while (power < problem->rows)
        power *= 2;
    vector->count = 0;
    while (vector->count < problem->nonzeros) {
        const double value = random_next(random);
        const int place = (int)(power * random_next(random));
        int is_new = place < problem->rows;
        for (int k = 0; is_new && k < vector->count; ++k)
            is_new = vector->place[k] != place;
        if (is_new) {
            vector->place[vector->count] = place;
            vector->value[vector->count++] = value;
        }
    }
    int own = 0;
    while (own < vector->count && vector->place[own] != diagonal)
        ++own;
    vector->count += own == vector->count;
    vector->place[own] = diagonal;
    vector->value[own] = 0.5;
}

typedef struct {
    int column;
    long order;
    double value;
} Entry;

static int by_column(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Sorts the entries of a row and adds up those of one column, in the order in which they came; gives how many are left. */
static long merge(Entry *entries, long count) {
    long kept = 0;
    qsort(entries, (size_t)count, sizeof *entries, by_column);
    for (long k = 0; k < count; ++k) {
        if (kept > 0 && entries[kept - 1].column == entries[k].column)
            entries[kept - 1].value += entries[k].value;
        else
            entries[kept++] = entries[k];
    }
    return kept;
}

Matrix matrix_rows(const Problem *problem, int first, int rows) {
    const int most = problem->nonzeros + 1, last = first + rows;
    Sparse *vectors = memory((size_t)problem->rows, sizeof *vectors);
    int *places = memory((size_t)problem->rows * (size_t)most, sizeof *places);
    double *values = memory((size_t)problem->rows * (size_t)most, sizeof *values);
    long *begin = memory((size_t)rows + 1, sizeof *begin), *filled = memory((size_t)rows, sizeof *filled);
    Random random = random_from(314159265);
    random_next(&random);
    for (int i = 0; i < problem->rows; ++i) {
        vectors[i] = (Sparse){0, places + (size_t)i * (size_t)most, values + (size_t)i * (size_t)most};
        draw(&random, problem, i, &vectors[i]);
        for (int k = 0; k < vectors[i].count; ++k)
            if (vectors[i].place[k] >= first && vectors[i].place[k] < last)
                begin[vectors[i].place[k] - first + 1] += vectors[i].count;
    }
    for (int row = 0; row < rows; ++row)
        begin[row + 1] += begin[row];
    Entry *entries = memory((size_t)begin[rows], sizeof *entries);
    /* Weights fall from 1 to the condition. */
    const double ratio = pow(CONDITION, 1.0 / problem->rows);
    double weight = 1.0;
    for (int i = 0; i < problem->rows; ++i, weight *= ratio) {
        const Sparse *vector = &vectors[i];
        for (int k = 0; k < vector->count; ++k) {
            const int row = vector->place[k] - first;
            if (row < 0 || row >= rows)
                continue;
            for (int j = 0; j < vector->count; ++j) {
                double value = weight * vector->value[k] * vector->value[j];
                if (vector->place[k] == i && vector->place[j] == i)
                    value += CONDITION - problem->shift;
                const long at = filled[row]++;
                entries[begin[row] + at] = (Entry){vector->place[j], at, value};
            }
        }
    }
#pragma omp parallel for schedule(dynamic, 64)
    for (int row = 0; row < rows; ++row)
        filled[row] = merge(entries + begin[row], filled[row]);
    Matrix matrix = {first, rows, memory((size_t)rows + 1, sizeof(long)), NULL, NULL};
    for (int row = 0; row < rows; ++row)
        matrix.begin[row + 1] = matrix.begin[row] + filled[row];
    matrix.column = memory((size_t)matrix.begin[rows], sizeof(int));
    matrix.value = memory((size_t)matrix.begin[rows], sizeof(double));
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; ++row)
        for (long k = 0; k < filled[row]; ++k) {
            matrix.column[matrix.begin[row] + k] = entries[begin[row] + k].column;
            matrix.value[matrix.begin[row] + k] = entries[begin[row] + k].value;
        }
    free(entries);
    free(filled);
    free(begin);
    free(values);
    free(places);
    free(vectors);
    return matrix;
}

void matrix_free(Matrix *matrix) {
    free(matrix->begin);
    free(matrix->column);
    free(matrix->value);
}
