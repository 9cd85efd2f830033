/* Calls a subroutine of Fortran step by step. */
#include "stepped.h"

void work(void);

void stepped_run(void) { run_stepped(work); }
