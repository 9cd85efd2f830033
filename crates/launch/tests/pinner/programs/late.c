// Threads that pin the main thread, then a runtime of OpenMP that is loaded, works and forks: late [LIBRARY]. Tells what the C library says of
// the main thread beside what the kernel says.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mask.h"

static pthread_barrier_t both;

static void* body(void* nothing) {
  pthread_barrier_wait(&both);
  return nothing;
}

// By sched_getaffinity, pthread_getaffinity_np and syscall: all say the same.
static void asked(const char* when) {
  cpu_set_t first, second, third;
  CPU_ZERO(&third);
  sched_getaffinity(getpid(), sizeof first, &first);
  pthread_getaffinity_np(pthread_self(), sizeof second, &second);
  syscall(SYS_sched_getaffinity, 0, sizeof third, &third);
  printf("%s %d:", when, CPU_EQUAL(&first, &second) && CPU_EQUAL(&first, &third));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &first)) printf(" %d", cpu);
  puts("");
  tell("kernel", 0);
}

int main(int count, char** words) {
  if (count < 3) {
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, body, NULL);
    pthread_barrier_wait(&both);
    pthread_join(thread, NULL);
    asked("pinned");
  }
  if (count > 1) {
    void* library = dlopen(words[1], RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    asked("loaded");
    void (*work)(void) = (void (*)(void))dlsym(library, "work");
    work();
    asked("worked");
  }
  if (count < 2 || strstr(words[1], "gcc")) {  // A child of LLVM's runtime in Debian 12 does not live, with us and without.
    if (fork() == 0) {
      asked("child");
      exit(0);
    }
    wait(NULL);
  }
  cpu_set_t all, own;
  sched_getaffinity(0, sizeof all, &all);
  kernels(&own);
  sched_setaffinity(0, sizeof own, &own);
  asked("chosen");
  sched_setaffinity(0, sizeof all, &all);
  asked("back");
  return 0;
}
