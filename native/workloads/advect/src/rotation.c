#include "rotation.h"

#include <math.h>
#include <stdlib.h>

/* The area is the cube from -1 to 1 in coordinates of its own. The axis goes through its middle; the bump begins at a right angle to it, so
   that it turns in a plane, and stays 0.2 away from the borders. */
static const double AXIS[3] = {2.0 / 3, 1.0 / 3, 2.0 / 3};
static const double BEGIN[3] = {0.4 * 0.4472135954999579, -0.8 * 0.4472135954999579, 0};
static const double RADIUS = 0.4;

/* The middle of a point; `at` - 0.5 is the face before it. */
static double coordinate(int points, double at) {
    return 2 * (at + 0.5) / points - 1;
}

/* Wind in a direction, in points per unit of time: the axis times the position, which does not depend on that direction's own
   coordinate, so that what flows into a point flows out of it. */
static double wind_at(const int points[3], int direction, const double position[3]) {
    const int next = (direction + 1) % 3, last = (direction + 2) % 3;
    return 0.5 * points[direction] * (AXIS[next] * position[last] - AXIS[last] * position[next]);
}

int wind_fill(const Area *area, Wind *wind) {
    for (int direction = 0; direction < 3; ++direction) {
        double *face = wind->face[direction] = area_field(area);
        if (face == NULL)
            return 0;
        for (int i = 0; i <= area->own[0]; ++i)
            for (int j = 0; j <= area->own[1]; ++j)
                for (int k = 0; k <= area->own[2]; ++k) {
                    const int at[3] = {area->first[0] + i, area->first[1] + j, k};
                    const double position[3] = {coordinate(area->points[0], at[0]), coordinate(area->points[1], at[1]),
                                                coordinate(area->points[2], at[2])};
                    if (at[direction] > 0 && at[direction] < area->points[direction])
                        face[area_index(area, i, j, k)] = wind_at(area->points, direction, position);
                }
    }
    return 1;
}

void wind_free(Wind *wind) {
    for (int direction = 0; direction < 3; ++direction)
        free(wind->face[direction]);
}

double wind_most(const int points[3]) {
    double most = 0;
    for (int direction = 0; direction < 3; ++direction)
        most += 0.5 * points[direction] * (AXIS[(direction + 1) % 3] + AXIS[(direction + 2) % 3]);
    return most;
}

double bump_exact(const int points[3], int i, int j, int k, double time) {
    const double turned = cos(time), across = sin(time);
    const double position[3] = {coordinate(points[0], i), coordinate(points[1], j), coordinate(points[2], k)};
    double squares = 0;
    for (int direction = 0; direction < 3; ++direction) {
        const int next = (direction + 1) % 3, last = (direction + 2) % 3;
        /* Its middle turns about the axis: it has no part along it. */
        const double middle = turned * BEGIN[direction] + across * (AXIS[next] * BEGIN[last] - AXIS[last] * BEGIN[next]);
        squares += (position[direction] - middle) * (position[direction] - middle);
    }
    const double distance = sqrt(squares) / RADIUS, half_pi = 1.57079632679489661923;
    if (distance >= 1)
        return 0;
    const double wave = cos(half_pi * distance);
    return wave * wave * wave * wave;
}

double bump_points(const int points[3]) {
    int least = points[0];
    for (int direction = 1; direction < 3; ++direction)
        if (points[direction] < least)
            least = points[direction];
    return 0.5 * RADIUS * least;
}
