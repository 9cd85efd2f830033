// Tells the CPUs of the calling thread in one line, such as "thread 1: 0 1".
#pragma once
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

// The CPUs of the calling thread as the kernel has them: the C library's functions are answered by who preloads before it.
static void kernels(cpu_set_t* cpus) {
  memset(cpus, 0, sizeof *cpus);
#if defined __x86_64__
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_sched_getaffinity), "D"(0), "S"(sizeof *cpus), "d"(cpus) : "rcx", "r11", "memory");
#elif defined __aarch64__
  register long number __asm__("x8") = SYS_sched_getaffinity;
  register long thread __asm__("x0") = 0;
  register long size __asm__("x1") = sizeof *cpus;
  register cpu_set_t* into __asm__("x2") = cpus;
  __asm__ volatile("svc 0" : "+r"(thread) : "r"(number), "r"(size), "r"(into) : "memory");
#endif
}

static void tell(const char* who, long number) {
  cpu_set_t cpus;
  char line[4096];
  int length = snprintf(line, sizeof line, "%s %ld:", who, number);
  kernels(&cpus);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &cpus)) length += snprintf(line + length, sizeof line - (size_t)length, " %d", cpu);
  puts(line);
  fflush(stdout);
}
