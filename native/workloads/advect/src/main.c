/* advect: arguments in, steps in time, figures out. The figures' lines are matched by scripts: keep them as they are. See README.md. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include "area.h"
#include "options.h"
#include "rotation.h"
#include "scheme.h"
#include "summary.h"

/* The most that the error may be: ERROR_FACTOR times the time, over the cube of the bump's radius in points, since the scheme is of third order
   in space (measured: 30 to 60 % of this; test/same_answer.sh). Where that is more than RESOLVED the area is too coarse to tell. */
static const double ERROR_FACTOR = 60, RESOLVED = 0.5;

/* Each step adds as many roundings as a point has fluxes and stages; mass is their sum over all points. */
static const double MASS_ALLOWED = 1e-12;

/* What all ranks took: how long, and which part of it was the exchange of halos. */
typedef struct {
    double seconds, exchange_mean, exchange_most;
} Timing;

static Timing gather(const Area *area, double seconds) {
    const int ranks = area->ranks[0] * area->ranks[1];
    double own = area->exchange / seconds;
    Timing timing = {seconds, 0, 0};
    MPI_Allreduce(MPI_IN_PLACE, &timing.seconds, 1, MPI_DOUBLE, MPI_MAX, area->comm);
    MPI_Allreduce(&own, &timing.exchange_mean, 1, MPI_DOUBLE, MPI_SUM, area->comm);
    MPI_Allreduce(&own, &timing.exchange_most, 1, MPI_DOUBLE, MPI_MAX, area->comm);
    timing.exchange_mean /= ranks;
    return timing;
}

static void print_begin(const Options *o, const Area *area, double step) {
    const double points = (double)o->points[0] * o->points[1] * o->points[2];
    printf("grid: %d x %d x %d points\n", o->points[0], o->points[1], o->points[2]);
    printf("memory: %.1f MiB in 6 fields\n", 6 * sizeof(double) * points / (1 << 20));
    printf("ranks: %d\n", area->ranks[0] * area->ranks[1]);
    printf("division: %d x %d\n", area->ranks[0], area->ranks[1]);
    printf("steps: %d of %.6f turns\n", o->steps, step / (2 * acos(-1.0)));
    fflush(stdout);
}

/* Prints the figures; 1 where the answer is right. */
static int print_end(const Options *o, const Timing *timing, const Summary *begin, const Summary *end, double time) {
    const double updates = (double)o->points[0] * o->points[1] * o->points[2] * o->steps;
    const double mass = fabs(end->mass / begin->mass - 1);
    const double allowed = ERROR_FACTOR * time / pow(bump_points(o->points), 3);
    const int keeps_mass = mass <= MASS_ALLOWED, is_resolved = allowed <= RESOLVED;
    const int is_right = isfinite(end->error) && (!is_resolved || end->error <= allowed);
    printf("time: %.6f s\n", timing->seconds);
    printf("throughput: %.3f MPoints/s\n", updates / timing->seconds * 1e-6);
    printf("traffic: %.3f GB/s at least\n", updates * WORDS_PER_POINT * sizeof(double) / timing->seconds * 1e-9);
    printf("halo: %.2f %% of the time, %.2f %% on the rank that has most\n", 100 * timing->exchange_mean, 100 * timing->exchange_most);
    printf("mass: %.9e, changed by %.2e, allowed %.0e\n", end->mass, mass, MASS_ALLOWED);
    if (is_resolved)
        printf("error: %.6e, allowed %.2e\n", end->error, allowed);
    else
        printf("error: %.6e, too few points to say what is allowed\n", end->error);
    printf("largest error: %.6e\n", end->largest);
    printf("checksum: %016llx\n", (unsigned long long)end->checksum);
    printf("answer: %s\n", is_right && keeps_mass ? "right" : "WRONG");
    fflush(stdout);
    return is_right && keeps_mass;
}

static int run(const Options *o, Area *area) {
    const double step = o->courant / wind_most(o->points);
    Wind wind = {{NULL, NULL, NULL}};
    State state = {NULL, NULL, NULL, NULL};
    int has_memory = wind_fill(area, &wind) && state_begin(area, &state), all_have = 0, status = 1;
    MPI_Allreduce(&has_memory, &all_have, 1, MPI_INT, MPI_MIN, area->comm);
    if (!all_have) {
        if (area->rank == 0)
            fprintf(stderr, "advect: no memory for %d x %d x %d points (6 fields of %.1f MiB on this rank); try a smaller grid\n",
                    o->points[0], o->points[1], o->points[2], sizeof(double) * (double)area->size / (1 << 20));
    } else {
        if (area->rank == 0)
            print_begin(o, area, step);
        const Summary begin = summary_of(area, state.now, 0);
        MPI_Barrier(area->comm);
        area->exchange = 0;
        const double started = MPI_Wtime();
        for (int at = 0; at < o->steps; ++at)
            state_step(area, &wind, step, &state);
        const Timing timing = gather(area, MPI_Wtime() - started);
        const Summary end = summary_of(area, state.now, step * o->steps);
        int is_right = area->rank == 0 ? print_end(o, &timing, &begin, &end, step * o->steps) : 0;
        MPI_Bcast(&is_right, 1, MPI_INT, 0, area->comm);
        status = is_right ? 0 : 1;
    }
    state_free(&state);
    wind_free(&wind);
    return status;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    Options options;
    Area area;
    char message[256];
    int rank, least[2], status = 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!options_parse(argc, argv, &options, message, sizeof message)) {
        if (rank == 0)
            fprintf(stderr, "advect: %s\nadvect --help tells more\n", message);
    } else if (options.help) {
        if (rank == 0)
            fputs(options_usage, stdout);
        status = 0;
    } else if (!area_divide(options.points, MPI_COMM_WORLD, &area, least)) {
        if (rank == 0)
            fprintf(stderr, "advect: found nx %d and ny %d, expected at least %d and %d for %d x %d ranks, each of which needs %d points in "
                    "both; use fewer ranks or a larger grid\n", options.points[0], options.points[1], least[0], least[1], area.ranks[0],
                    area.ranks[1], HALO);
    } else {
        status = run(&options, &area);
        area_free(&area);
    }
    MPI_Finalize();
    return status;
}
