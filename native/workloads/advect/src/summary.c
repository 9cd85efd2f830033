#include "summary.h"

#include <math.h>
#include <string.h>

#include "rotation.h"

/* Mixes the bits of a word so that each changes all others (S. Vigna's splitmix64, in the public domain). */
static uint64_t mixed(uint64_t word) {
    word += 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

Summary summary_of(const Area *area, const double *field, double time) {
    double sums[3] = {0, 0, 0}, largest = 0;
    uint64_t checksum = 0;
    for (int i = 0; i < area->own[0]; ++i)
        for (int j = 0; j < area->own[1]; ++j) {
            const int x = area->first[0] + i, y = area->first[1] + j;
            double row[3] = {0, 0, 0};
            for (int k = 0; k < area->own[2]; ++k) {
                const double value = field[area_index(area, i, j, k)], exact = bump_exact(area->points, x, y, k, time);
                const double differs = fabs(value - exact);
                row[0] += value;
                row[1] += differs * differs;
                row[2] += exact * exact;
                /* Also what is not a number. */
                if (!(differs <= largest))
                    largest = differs;
                uint64_t bits;
                memcpy(&bits, &value, sizeof bits);
                const uint64_t where = ((uint64_t)x * (uint64_t)area->points[1] + (uint64_t)y) * (uint64_t)area->points[2] + (uint64_t)k;
                checksum += mixed(bits ^ mixed(where));
            }
            for (int at = 0; at < 3; ++at)
                sums[at] += row[at];
        }
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, area->comm);
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, area->comm);
    MPI_Allreduce(MPI_IN_PLACE, &checksum, 1, MPI_UINT64_T, MPI_SUM, area->comm);
    return (Summary){sums[0], sqrt(sums[1] / sums[2]), largest, checksum};
}
