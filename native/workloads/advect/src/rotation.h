/* The wind, which turns everything about a tilted axis, and so the exact answer at any time. */
#ifndef ADVECT_ROTATION_H
#define ADVECT_ROTATION_H

#include "area.h"

/* Wind through the faces of each point, as points per unit of time: through the face before (i, j, k) in each direction. No wind goes
   through the borders of the area, which the bump does not reach. */
typedef struct {
    double *face[3];
} Wind;

/* 0 where there is no memory. */
int wind_fill(const Area *area, Wind *wind);
void wind_free(Wind *wind);

/* The most that the wind can go in a unit of time, in points, summed over the directions. */
double wind_most(const int points[3]);

/* The bump at a point after a time; one whole turn takes 2 pi. It is 1 in its middle and 0 from its radius on. */
double bump_exact(const int points[3], int i, int j, int k, double time);

/* The radius of the bump, in points of the direction that has the fewest. */
double bump_points(const int points[3]);

#endif
