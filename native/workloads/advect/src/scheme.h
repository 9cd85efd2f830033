/* Fluxes of third order, upwind, and steps in time of three stages (L. Wicker and W. Skamarock, Time-splitting methods for elastic models using
   forward time schemes, Monthly Weather Review 130, 2002), as weather codes have them. */
#ifndef ADVECT_SCHEME_H
#define ADVECT_SCHEME_H

#include "area.h"
#include "rotation.h"

typedef struct {
    double *now, *first, *second; /* the field, and two stages of a step */
    double *flux;                 /* room for fluxes: two planes and four rows */
} State;

/* Numbers of 8 bytes that a step reads or writes for each point at least, with the caches as large as they need be: five for the
   first stage, whose field is also where it begins, and six for each of the others. */
enum { WORDS_PER_POINT = 17 };

/* The bump at time 0; 0 where there is no memory. */
int state_begin(const Area *area, State *state);
void state_free(State *state);

/* One step in time: three stages, before each of which ranks exchange their halos. */
void state_step(Area *area, const Wind *wind, double step, State *state);

#endif
