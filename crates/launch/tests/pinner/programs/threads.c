// Threads made in every way that C knows; each line says who runs where. usage: threads WAY [CPU]
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "mask.h"

static void* body(void* number) {
  tell("thread", (long)number);
  return number;
}

static void run(long number, const pthread_attr_t* attr) {
  pthread_t thread;
  void* result = NULL;
  errno = 77;
  if (pthread_create(&thread, attr, body, (void*)number) != 0 || errno != 77) puts("create failed");
  pthread_join(thread, &result);
  if (result != (void*)number) puts("wrong result");
}

static void* ends_by_exit(void* number) {
  tell("thread", (long)number);
  pthread_exit(number);
}

static void cleaned(void* unused) {
  (void)unused;
  puts("cleaned up");
}

static pthread_barrier_t barrier;

static void* is_cancelled(void* number) {
  tell("thread", (long)number);
  pthread_cleanup_push(cleaned, NULL);
  pthread_barrier_wait(&barrier);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return NULL;
}

static int c11(void* number) {
  tell("thread", (long)number);
  return 42;
}

static void* waits(void* number) {
  pthread_barrier_wait(&barrier);
  cpu_set_t cpus;
  kernels(&cpus);
  return (void*)(long)(CPU_COUNT(&cpus) == 1 && CPU_ISSET((int)(long)number, &cpus));
}

// Threads 1 to 3 tell in turn where they are, once all of them are there.
static atomic_int turn;
static void* in_turn(void* number) {
  while (atomic_load(&turn) != (int)(long)number) sched_yield();
  tell("thread", (long)number);
  atomic_fetch_add(&turn, 1);
  return number;
}

static void* joins(void* other) {
  pthread_cleanup_push(cleaned, NULL);
  pthread_join(*(pthread_t*)other, NULL);
  pthread_cleanup_pop(0);
  return NULL;
}

static void wait_for_end_of_all_others(void) {
  for (;;) {
    int tasks = 0;
    DIR* folder = opendir("/proc/self/task");
    for (struct dirent* entry; (entry = readdir(folder));) tasks += entry->d_name[0] != '.';
    closedir(folder);
    if (tasks == 1) return;
    usleep(1000);
  }
}

static void set(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  sched_setaffinity(0, sizeof cpus, &cpus);
}

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "";
  int cpu = count > 2 ? atoi(arguments[2]) : 0;
  int other = count > 3 ? atoi(arguments[3]) : 0;
  pthread_t thread;
  void* result;
  tell("main", 0);
  if (strcmp(way, "pool") == 0) {
    // A file of its own, which gets the number 2 where that is free.
    if (count > 2) dprintf(open(arguments[2], O_CREAT | O_WRONLY, 0600), "the program's own\n");
    for (long k = 1; k <= 5; ++k) run(k, NULL);
  } else if (strcmp(way, "attr") == 0) {
    pthread_attr_t attr;
    cpu_set_t cpus;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 20);
    run(1, &attr);
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    pthread_attr_setaffinity_np(&attr, sizeof cpus, &cpus);
    run(100, &attr);
    run(2, NULL);
  } else if (strcmp(way, "own") == 0) {
    run(1, NULL);
    cpu_set_t both;
    CPU_ZERO(&both);
    CPU_SET(cpu, &both);
    CPU_SET(other, &both);
    sched_setaffinity(0, sizeof both, &both);
    set(cpu);
    tell("main", 1);
    run(100, NULL);
  } else if (strcmp(way, "fork") == 0) {
    run(1, NULL);
    tell("main", 1);
    if (fork() == 0) {
      tell("child", 0);
      run(1, NULL);
      tell("child", 1);
      _exit(0);
    }
    wait(NULL);
    run(2, NULL);
  } else if (strcmp(way, "system") == 0) {
    run(1, NULL);
    tell("main", 1);
    char line[4096];
    snprintf(line, sizeof line, "'%s' pool", arguments[0]);
    return system(line);
  } else if (strcmp(way, "ends") == 0) {
    pthread_create(&thread, NULL, ends_by_exit, (void*)1L);
    pthread_join(thread, &result);
    printf("exit %ld\n", (long)result);
    fflush(stdout);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, is_cancelled, (void*)2L);
    pthread_barrier_wait(&barrier);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
  } else if (strcmp(way, "c11") == 0) {
    thrd_t other_kind;
    int ended = 0;
    run(1, NULL);
    thrd_create(&other_kind, c11, (void*)2L);
    thrd_join(other_kind, &ended);
    printf("ended %d\n", ended);
  } else if (strcmp(way, "many") == 0) {
    enum { MANY = 700 };  // more than the library has slots
    static pthread_t threads[MANY];
    long right = 0;
    pthread_barrier_init(&barrier, NULL, MANY + 1);
    // Thread k is on the second CPU where k is odd.
    for (long k = 1; k <= MANY; ++k)
      if (pthread_create(&threads[k - 1], NULL, waits, (void*)(long)(k % 2 ? other : cpu)) != 0) return 1;
    pthread_barrier_wait(&barrier);
    for (int k = 0; k < MANY; ++k) {
      pthread_join(threads[k], &result);
      right += (long)result;
    }
    printf("right %ld of %d\n", right, MANY);
  } else if (strcmp(way, "rounds") == 0) {
    // New threads for each round, all there at once.
    pthread_t threads[3];
    for (int round = 0; round < 3; ++round) {
      atomic_store(&turn, 0);
      for (long k = 1; k <= 3; ++k) pthread_create(&threads[k - 1], NULL, in_turn, (void*)k);
      atomic_store(&turn, 1);
      for (int k = 0; k < 3; ++k) pthread_join(threads[k], NULL);
    }
  } else if (strcmp(way, "replaced") == 0) {
    // The second of two ends; another one comes in its place.
    pthread_t first, second;
    atomic_store(&turn, 2);
    pthread_create(&first, NULL, in_turn, (void*)4L);
    pthread_create(&second, NULL, in_turn, (void*)2L);
    pthread_join(second, NULL);
    pthread_create(&second, NULL, in_turn, (void*)3L);
    pthread_join(second, NULL);
    pthread_join(first, NULL);
  } else if (strcmp(way, "early") == 0) {
    // Each is over before the next one is created, and they are joined later.
    pthread_t threads[3];
    for (long k = 1; k <= 3; ++k) {
      pthread_create(&threads[k - 1], NULL, body, (void*)k);
      wait_for_end_of_all_others();
    }
    for (int k = 0; k < 3; ++k) pthread_join(threads[k], NULL);
    run(4, NULL);
  } else if (strcmp(way, "joins") == 0) {
    // All functions that join, and one that is cancelled while it waits.
    struct timespec end = {.tv_sec = 4000000000};
    pthread_create(&thread, NULL, body, (void*)1L);
    if (pthread_timedjoin_np(thread, &result, &end) != 0 || result != (void*)1L) puts("not joined");
    pthread_create(&thread, NULL, body, (void*)2L);
    if (pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &end) != 0 || result != (void*)2L) puts("not joined");
    pthread_create(&thread, NULL, body, (void*)3L);
    while (pthread_tryjoin_np(thread, &result) != 0) usleep(1000);
    if (result != (void*)3L) puts("not joined");
    pthread_t waiting, endless;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&endless, NULL, is_cancelled, (void*)4L);
    pthread_barrier_wait(&barrier);
    pthread_create(&waiting, NULL, joins, &endless);
    usleep(20000);
    pthread_cancel(waiting);
    pthread_join(waiting, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
    pthread_cancel(endless);
    pthread_join(endless, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
  } else if (strcmp(way, "fails") == 0) {
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)1 << 46);  // more than there is
    printf("%s\n", strerror(pthread_create(&thread, &attr, body, (void*)0L)));
    run(1, NULL);
  }
  tell("main", 9);
  return 0;
}
