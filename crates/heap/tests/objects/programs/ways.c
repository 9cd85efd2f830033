// Allocates in many ways. What it prints on standard output is the same in each run; addresses go to standard error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void note(const char *form, void *address, size_t bytes) { fprintf(stderr, "%s %p %zu\n", form, address, bytes); }

// Frames with frame pointers, so that who reads the copy of the stack can follow it.
__attribute__((noinline)) static void *inner(size_t bytes) {
  void *block = malloc(bytes);
  fprintf(stderr, "frame %p %p %p %p\n", (void *)inner, __builtin_frame_address(0), __builtin_return_address(0), block);
  return block;
}

__attribute__((noinline)) static void *outer(size_t bytes) {
  void *block = inner(bytes);
  __asm__ volatile("" ::: "memory");
  return block;
}

static void forms(void) {
  void *blocks[16];
  int k = 0;
  note("malloc", blocks[k++] = malloc(100001), 100001);
  note("calloc", blocks[k++] = calloc(1001, 100), 100100);
  note("realloc", blocks[k++] = realloc(malloc(50000), 300000), 300000);
  note("reallocarray", blocks[k++] = reallocarray(NULL, 1003, 100), 100300);
  void *aligned = NULL;
  if (posix_memalign(&aligned, 4096, 100004)) abort();
  note("posix_memalign", blocks[k++] = aligned, 100004);
  note("aligned_alloc", blocks[k++] = aligned_alloc(64, 100032), 100032);
  note("memalign", blocks[k++] = memalign(256, 100006), 100006);
  note("valloc", blocks[k++] = valloc(100007), 100007);
#ifndef NO_PVALLOC
  note("pvalloc", blocks[k++] = pvalloc(102400), 102400);
#endif
  for (int i = 0; i < k; i++) {
    memset(blocks[i], 1, 100000);
    free(blocks[i]);
  }
  void *map = mmap(NULL, 200704, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  note("mmap", map, 200704);
  void *shared = mmap(NULL, 204800, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  note("shared", shared, 204800);
  void *moved = mremap(map, 200704, 409600, MREMAP_MAYMOVE);
  note("mremap", moved, 409600);
  munmap(moved, 409600);
  munmap(shared, 204800);
  int segment = shmget(IPC_PRIVATE, 126976, IPC_CREAT | 0600);
  void *attached = shmat(segment, NULL, 0);
  note("shmat", attached, 126976);
  shmdt(attached);
  shmctl(segment, IPC_RMID, NULL);
  free(outer(123456));
  printf("%d forms\n", k);
}

static void *one_block(void *argument) {
  void *block = malloc(65536 + (size_t)(uintptr_t)argument);
  memset(block, 1, 4096);
  free(block);
  return block;
}

static void threads(int count) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 65536);
  pthread_t *all = calloc(count, sizeof *all);
  int made = 0;
  for (; made < count; made++)
    if (pthread_create(&all[made], &attributes, one_block, (void *)(uintptr_t)made)) break;
  for (int k = 0; k < made; k++) pthread_join(all[k], NULL);
  free(all);
  printf("%d threads\n", made);
}

static volatile sig_atomic_t handled;
static void handler(int signal) {
  (void)signal;
  int before = errno;
  void *block = malloc(40000);
  free(block);
  free(malloc(100));
  errno = before;
  handled++;
}

static void signals(void) {
  // Delivered outside of the allocator only, in which a handler may not allocate.
  signal(SIGUSR1, handler);
  for (int k = 0; k < 1000; k++) {
    raise(SIGUSR1);
    free(malloc(20000));
  }
  printf("%d handled\n", (int)handled);
}

static void chain(void) {
  char *block = NULL;
  for (size_t bytes = 1; bytes < (8u << 20); bytes = bytes * 3 / 2 + 1) {
    block = realloc(block, bytes);
    block[bytes - 1] = 1;
  }
  for (size_t bytes = 4u << 20; bytes > 10; bytes /= 2) block = realloc(block, bytes);
  free(block);
  puts("chain");
}

static void refused(void) {
  errno = 77;
  volatile size_t too_much = (size_t)1 << 60;
  void *none = malloc(too_much);
  printf("%d %d\n", none == NULL, errno);
  void *block = malloc(100000);
  errno = 77;
  void *again = realloc(block, too_much);
  printf("%d %d\n", again == NULL, errno);
  note("kept", block, 100000);
  free(block);
  errno = 77;
  printf("%d %d\n", calloc(too_much, 1024) == NULL, errno);
  errno = 77;
  printf("%d %d\n", mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED, errno);
  errno = 77;
  printf("%d %d\n", munmap((void *)1, 4096), errno);
  errno = 77;
  free(malloc(100000));
  free(NULL);
  free(malloc(10));
  printf("%d\n", errno);
}

static void fork_and_vfork(const char *self) {
  void *inherited = malloc(70001);
  note("inherited", inherited, 70001);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    free(inherited);
    void *own = malloc(70002);
    note("child", own, 70002);
    free(own);
    exit(3);
  }
  int status;
  waitpid(child, &status, 0);
  printf("fork %d\n", WEXITSTATUS(status));
  child = vfork();
  if (child == 0) {
    execl(self, self, "chain", (char *)NULL);
    _exit(9);
  }
  waitpid(child, &status, 0);
  printf("vfork %d\n", WEXITSTATUS(status));
  note("parent", malloc(70003), 70003);
  free(inherited);
}

static void maps(void) { mmap(NULL, 303104, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

// Handlers of a child run in the order in which they were given: this one before those of all libraries.
static void before_libraries(int count, char **words) {
  if (count > 1 && !strcmp(words[1], "handler")) pthread_atfork(NULL, NULL, maps);
}
__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **) = before_libraries;

static void handler_of_fork(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  int status;
  waitpid(child, &status, 0);
  puts("forked");
}

// So many allocations and frees, ten million a minute, or as fast as it goes.
static void many(int count, int is_fast) {
  void *kept[64] = {0};
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int k = 0; k < count; k++) {
    free(kept[k % 64]);
    kept[k % 64] = malloc(16384 + k % 1000);
    if (k % 1000 == 999 && !is_fast) {
      long long next = begin.tv_nsec + (k + 1) * 6000LL;
      struct timespec until = {begin.tv_sec + next / 1000000000, next % 1000000000};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
  }
  for (int k = 0; k < 64; k++) free(kept[k]);
  printf("%d allocations\n", count);
}

static void small(void) {
  enum { BLOCKS = 400000 };
  static void *kept[BLOCKS];
  for (int k = 0; k < BLOCKS; k++) kept[k] = malloc(k % 2 ? 100 : 1000);
  for (int k = 0; k < BLOCKS; k += 2) free(kept[k]);
  puts("small");
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void *spin(void *argument) {
  volatile unsigned long sum = 0;
  for (double end = seconds() + *(double *)argument; seconds() < end;)
    for (int k = 0; k < 10000; k++) sum += k;
  return NULL;
}

static void timed(double half) {
  pthread_t thread;
  pthread_create(&thread, NULL, spin, &half);
  spin(&half);
  pthread_join(thread, NULL);
  puts("spun");
}

static int writes_to;
static void *late_writer(void *argument) {
  for (int k = 0; k < *(int *)argument; k++) {
    usleep(2000);
    if (write(writes_to, "x", 1) != 1) break;
  }
  return NULL;
}

// Calls that wait, between which the thread computes for longer than a sample takes to come.
static void waits(int turns) {
  int ends[2], interrupted = 0;
  if (pipe(ends)) abort();
  writes_to = ends[1];
  pthread_t thread;
  pthread_create(&thread, NULL, late_writer, &turns);
  double little = 0.005;
  for (int k = 0; k < turns; k++) {
    char byte;
    spin(&little);
    struct timespec nap = {0, 1000000};
    if (k % 4 == 0 && nanosleep(&nap, NULL)) interrupted += errno == EINTR;
    if (k % 4 == 1 && poll(NULL, 0, 1) < 0) interrupted += errno == EINTR;
    if (k % 4 == 2 && read(ends[0], &byte, 1) < 0) interrupted += errno == EINTR;
    if (k % 4 == 3 && usleep(1000)) interrupted += errno == EINTR;
  }
  pthread_join(thread, NULL);
  printf("%d interrupted\n", interrupted);
}

// Takes every real-time signal that it finds free.
static void takes_signals(void) {
  int taken = 0;
  for (int k = SIGRTMIN; k <= SIGRTMAX; k++) taken += signal(k, handler) == SIG_DFL;
  double half = 0.3;
  spin(&half);
  printf("%d taken, %d handled\n", taken, (int)handled);
}

// A library that is loaded for itself, with all that it needs.
static void plugin(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*run)(size_t, void **) = (int (*)(size_t, void **))dlsym(library, "plugin");
  void *block;
  printf("%d thrown\n", run(100777, &block));
  note("plugin", block, 100777);
  dlclose(library);
}

int main(int count, char **words) {
  const char *way = count > 1 ? words[1] : "";
  if (!strcmp(way, "forms")) forms();
  if (!strcmp(way, "threads")) threads(1000);
  if (!strcmp(way, "signals")) signals();
  if (!strcmp(way, "chain")) chain();
  if (!strcmp(way, "refused")) refused();
  if (!strcmp(way, "fork")) fork_and_vfork(words[0]);
  if (!strcmp(way, "handler")) handler_of_fork();
  if (!strcmp(way, "many")) many(500000, 0);
  if (!strcmp(way, "fast")) many(atoi(words[3]), 1);
  if (!strcmp(way, "small")) small();
  if (!strcmp(way, "timed")) timed(0.5);
  if (!strcmp(way, "spins")) timed(0.1);
  if (!strcmp(way, "waits")) waits(atoi(words[3]));
  if (!strcmp(way, "takes")) takes_signals();
  if (!strcmp(way, "plugin")) plugin(words[2]);
  return count > 2 ? atoi(words[2]) : 0;
}
