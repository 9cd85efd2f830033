#include "scheme.h"

#include <math.h>
#include <stdlib.h>

/* GCC makes the kernel for wider vectors too, and chooses when the program starts. Without contraction all give the same result. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_WIDER_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_WIDER_VECTORS
#endif

int state_begin(const Area *area, State *state) {
    state->now = area_field(area);
    state->first = area_field(area);
    state->second = area_field(area);
    const size_t row = (size_t)area->own[2] + 1;
    state->flux = malloc((2 * (size_t)area->own[1] + 4) * row * sizeof(double));
    if (state->now == NULL || state->first == NULL || state->second == NULL || state->flux == NULL)
        return 0;
    for (int i = 0; i < area->own[0]; ++i)
        for (int j = 0; j < area->own[1]; ++j)
            for (int k = 0; k < area->own[2]; ++k)
                state->now[area_index(area, i, j, k)] =
                    bump_exact(area->points, area->first[0] + i, area->first[1] + j, k, 0);
    return 1;
}

void state_free(State *state) {
    free(state->now);
    free(state->first);
    free(state->second);
    free(state->flux);
}

/* What flows through the faces before `count` points: upwind-biased, from two points on either side, `apart` from each other. */
static inline void fluxes(const double *restrict wind, const double *restrict field, size_t apart, double *restrict flux, int count) {
    const double *const far_before = field - 2 * apart, *const before = field - apart, *const behind = field + apart;
    for (int k = 0; k < count; ++k) {
        const double even = 7 * (field[k] + before[k]) - (behind[k] + far_before[k]);
        const double odd = 3 * (field[k] - before[k]) - (behind[k] - far_before[k]);
        flux[k] = (wind[k] * even - fabs(wind[k]) * odd) * (1.0 / 12);
    }
}

/* next = begin - step * (what flows out of each point, with the field as it is). */
FOR_WIDER_VECTORS
static void stage(const Area *area, const Wind *wind, double step, const double *begin, const double *field, double *next, double *room) {
    const int nx = area->own[0], ny = area->own[1], nz = area->own[2];
    const size_t row = (size_t)nz + 1;
    /* Fluxes in i through the faces before and behind a plane, in j through those of a row, in k through all of a row. */
    double *west = room, *east = room + (size_t)ny * row, *south = room + 2 * (size_t)ny * row, *north = south + row;
    double *const up = north + row;
    for (int j = 0; j < ny; ++j) {
        const size_t at = area_index(area, 0, j, 0);
        fluxes(wind->face[0] + at, field + at, area->plane, west + (size_t)j * row, nz);
    }
    for (int i = 0; i < nx; ++i) {
        const size_t edge = area_index(area, i, 0, 0);
        fluxes(wind->face[1] + edge, field + edge, area->row, south, nz);
        for (int j = 0; j < ny; ++j) {
            const size_t at = area_index(area, i, j, 0);
            const double *restrict in_i = west + (size_t)j * row, *restrict out_i = east + (size_t)j * row;
            const double *restrict in_j = south, *restrict out_j = north, *restrict through = up;
            const double *restrict from = begin + at;
            double *restrict to = next + at;
            fluxes(wind->face[0] + at + area->plane, field + at + area->plane, area->plane, east + (size_t)j * row, nz);
            fluxes(wind->face[1] + at + area->row, field + at + area->row, area->row, north, nz);
            fluxes(wind->face[2] + at, field + at, 1, up, nz + 1);
            for (int k = 0; k < nz; ++k)
                to[k] = from[k] - step * ((out_i[k] - in_i[k]) + (out_j[k] - in_j[k]) + (through[k + 1] - through[k]));
            double *const other = south;
            south = north;
            north = other;
        }
        double *const other = west;
        west = east;
        east = other;
    }
}

void state_step(Area *area, const Wind *wind, double step, State *state) {
    area_exchange(area, state->now);
    stage(area, wind, step / 3, state->now, state->now, state->first, state->flux);
    area_exchange(area, state->first);
    stage(area, wind, step / 2, state->now, state->first, state->second, state->flux);
    area_exchange(area, state->second);
    stage(area, wind, step, state->now, state->second, state->first, state->flux);
    double *const begin = state->now;
    state->now = state->first;
    state->first = begin;
}
