/* Ranks of which it is known what they do with their arrays: each waits for elements of `table` for three quarters of its passes and of `list` for one;
   the last rank has it the other way round. All touch their arrays themselves. They compute for 5 s, or for so many as they are told first. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ELEMENTS = 1 << 22, PASS = 20000 };

/* A ring through all elements in an order that nothing can foresee. */
static size_t *ring(size_t *of) {
  for (size_t k = 0; k < ELEMENTS; k++) of[k] = k;
  unsigned long long random = 88172645463325252ULL;
  for (size_t k = ELEMENTS - 1; k > 0; k--) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    size_t other = random % k, kept = of[k];
    of[k] = of[other], of[other] = kept;
  }
  return of;
}

__attribute__((noinline)) static size_t follow(const size_t *of, size_t at) {
  for (int k = 0; k < PASS; k++) at = of[at];
  return at;
}

int main(int count, char **words) {
  MPI_Init(&count, &words);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  size_t *table = malloc(ELEMENTS * sizeof *table);
  size_t *list = malloc(ELEMENTS * sizeof *list);
  ring(table);
  ring(list);
  int is_last = rank == size - 1;
  const size_t *often = is_last ? list : table, *seldom = is_last ? table : list;
  size_t one = 0, other = 0;
  /* CPU time: ranks may have to share CPUs. */
  double seconds = count > 1 ? atof(words[1]) : 5;
  clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  while (clock() < end) {
    for (int k = 0; k < 3; k++) one = follow(often, one);
    other = follow(seldom, other);
  }
  if (count > 2 && !strcmp(words[2], "dies") && is_last) abort();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done %d\n", one + other > 0);
  free(table);
  free(list);
  MPI_Finalize();
  return 0;
}
