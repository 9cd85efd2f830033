/* Allocations from as many call stacks as there are numbers of 15 bits: twice, at first all at once, then a thousand at a time. */
#include <stdio.h>
#include <stdlib.h>

enum { DEEP = 15, STACKS = 20000 };

static void *zero(unsigned number, int depth);
static void *one(unsigned number, int depth);

static void *next(unsigned number, int depth) {
  return depth == 0 ? malloc(32768) : number & 1 ? one(number >> 1, depth - 1) : zero(number >> 1, depth - 1);
}

__attribute__((noinline)) static void *zero(unsigned number, int depth) {
  void *block = next(number, depth);
  __asm__ volatile("" : "+r"(block));
  return block;
}

__attribute__((noinline)) static void *one(unsigned number, int depth) {
  void *block = next(number, depth);
  __asm__ volatile("" : "+r"(block));
  return block;
}

// Says so, and waits until what was written is read.
static void turn(void) {
  puts("turn");
  fflush(stdout);
  getchar();
}

static void all(int waits) {
  for (unsigned number = 0; number < STACKS; number++) {
    free(zero(number, DEEP));
    if (waits && number % 1000 == 999)
      turn();
  }
}

int main(void) {
  for (volatile int waits = 0; waits < 2; waits++) {
    turn();
    all(waits);
  }
  puts("done");
}
