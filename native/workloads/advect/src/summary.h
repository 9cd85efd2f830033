/* What is said of a field: its mass, how far it is from the exact answer, and a number that is the same where all bits are. */
#ifndef ADVECT_SUMMARY_H
#define ADVECT_SUMMARY_H

#include <stdint.h>

#include "area.h"

typedef struct {
    double mass;       /* sum over the points */
    double error;      /* root of the summed squares of what differs, as a share of the exact answer's */
    double largest;    /* the most that one point differs */
    uint64_t checksum; /* of the bits of all points, with where they are; no order of adding matters to it */
} Summary;

/* All ranks call it, and all get the whole area's. */
Summary summary_of(const Area *area, const double *field, double time);

#endif
