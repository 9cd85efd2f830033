// Threads of OpenMP between others.
#include <omp.h>
#include <pthread.h>

#include "mask.h"

static void* body(void* number) {
  tell("thread", (long)number);
  return NULL;
}

static void run(long number) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, (void*)number);
  pthread_join(thread, NULL);
}

int main(void) {
  run(1);
#pragma omp parallel for ordered schedule(static, 1)
  for (int k = 0; k < omp_get_num_threads(); ++k)
#pragma omp ordered
    tell("openmp", omp_get_thread_num());
  run(2);
  return 0;
}
