// Tells the CPUs of the calling thread in one line, such as "thread 1: 0 1".
#pragma once
#include <sched.h>
#include <stdio.h>

static void tell(const char* who, long number) {
  cpu_set_t cpus;
  char line[4096];
  int length = snprintf(line, sizeof line, "%s %ld:", who, number);
  sched_getaffinity(0, sizeof cpus, &cpus);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &cpus)) length += snprintf(line + length, sizeof line - (size_t)length, " %d", cpu);
  puts(line);
  fflush(stdout);
}
