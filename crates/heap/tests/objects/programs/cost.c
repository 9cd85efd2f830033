// Nanoseconds of an allocation and its free, round by round: of a small block, and of one that is written down, alone and below a deep
// stack. It rests between rounds, so that a reader keeps up.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

__attribute__((noinline)) static void measure(const char *what, size_t bytes, int times, int rounds) {
  for (int round = 0; round < rounds; round++) {
    double begin = now();
    for (int k = 0; k < times; k++) {
      void *volatile block = malloc(bytes);
      free(block);
    }
    printf("%s %.2f\n", what, (now() - begin) / times);
    usleep(2000);
  }
}

__attribute__((noinline)) static void below(int frames, const char *what, size_t bytes, int times, int rounds) {
  volatile char room[96];
  room[0] = (char)frames;
  if (frames)
    below(frames - 1, what, bytes, times, rounds);
  else
    measure(what, bytes, times, rounds);
  room[1] = room[0];
}

int main(int count, char **words) {
  int rounds = count > 1 ? atoi(words[1]) : 100;
  measure("small", 64, 20000, rounds);
  measure("large", 20000, 2000, rounds);
  below(20, "large-below-20-frames", 20000, 2000, rounds);
  void *live[2000];
  for (int k = 0; k < 2000; k++) live[k] = malloc(30000);
  measure("small-with-2000-large-live", 64, 20000, rounds);
  for (int k = 0; k < 2000; k++) free(live[k]);
  return 0;
}
