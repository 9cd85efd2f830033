// A pinned thread starts itself again in every way that C knows; each line says who runs where.
// usage: children WAY [CPU]      CPU: bind to it before
//        children runs LINE      a line of the shell
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mask.h"

extern char** environ;

static void* nothing(void* unused) { return unused; }

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "";
  if (strcmp(way, "child") == 0) {
    tell("child", 0);
    return 0;
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  tell("main", 0);
  if (strcmp(way, "runs") == 0) return system(arguments[2]);
  if (count > 2) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(atoi(arguments[2]), &cpus);
    if (strcmp(way, "pthread") == 0 ? pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus)
                                    : sched_setaffinity(0, sizeof cpus, &cpus))
      return 1;
  }
  char* self = arguments[0];
  char* words[] = {self, "child", NULL};
  char line[4096];
  snprintf(line, sizeof line, "'%s' child", self);
  pid_t child = 0;
  if (strcmp(way, "system") == 0 || strcmp(way, "pthread") == 0) {
    if (system(line) != 0) return 1;
  } else if (strcmp(way, "popen") == 0) {
    FILE* told = popen(line, "r");
    if (told && fgets(line, sizeof line, told)) fputs(line, stdout);
    pclose(told);
  } else if (strcmp(way, "posix_spawn") == 0) {
    if (posix_spawn(&child, self, NULL, NULL, words, environ) != 0) return 1;
  } else if (strcmp(way, "posix_spawnp") == 0) {
    if (posix_spawnp(&child, self, NULL, NULL, words, environ) != 0) return 1;
  } else if (strcmp(way, "vfork") == 0) {
    if ((child = vfork()) == 0) {
      execve(self, words, environ);
      _exit(1);
    }
  } else if (strcmp(way, "vfork-binds") == 0) {
    cpu_set_t cpus;
    kernels(&cpus);
    if ((child = vfork()) == 0) {
      sched_setaffinity(0, sizeof cpus, &cpus);
      execv(self, words);
      _exit(1);
    }
  } else if (strcmp(way, "fork") == 0) {
    if ((child = fork()) == 0) {
      execvp(self, words);
      _exit(1);
    }
  } else if (strcmp(way, "fork-binds") == 0) {
    cpu_set_t cpus;
    kernels(&cpus);
    if ((child = fork()) == 0) {
      sched_setaffinity(0, sizeof cpus, &cpus);
      execvpe(self, words, environ);
      _exit(1);
    }
  } else if (strcmp(way, "fexecve") == 0) {
    fexecve(open(self, O_RDONLY | O_CLOEXEC), words, environ);
    return 1;
  } else if (strcmp(way, "exec") == 0) {
    execv("/nowhere", words);
    tell("main", 0);  // where it was
    fflush(stdout);
    execv(self, words);
    return 1;
  }
  if (child > 0) waitpid(child, NULL, 0);
  tell("main", 0);
  return 0;
}
