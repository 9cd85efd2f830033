/* The program that the collector is tested with. */
#include "../../../../collector/tests/watch/programs/sandbox.c"
