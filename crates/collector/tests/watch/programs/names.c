/* Prints which names are there: by a weak reference, and by what the loader says. names.c [LIBRARY [global]] loads a library first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#define NAMES(EACH)                                                                                                                       \
    EACH(MPI_Send) EACH(MPI_Send_c) EACH(PMPI_Send_c) EACH(MPI_Allreduce_c) EACH(MPI_Isendrecv) EACH(MPI_Session_init) EACH(mpi_send_)    \
    EACH(mpi_send__) EACH(MPI_SEND) EACH(mpi_send_c_) EACH(mpi_send_f08_) EACH(mpi_send_f08ts_) EACH(GOMP_parallel)                      \
    EACH(GOMP_target_ext) EACH(__kmpc_fork_call) EACH(omp_set_lock) EACH(_Znwm) EACH(_ZdlPvm) EACH(free_sized) EACH(free_aligned_sized)  \
    EACH(pvalloc) EACH(reallocarray) EACH(close_range) EACH(preadv64v2) EACH(thrd_create)
#define DECLARE(name) extern char name[] __attribute__((weak));
#define SHOW(name) show(#name, name != 0);
NAMES(DECLARE)

static void *opened;

static const char *said(void) {
    const char *error = dlerror();
    return error ? error : "no error";
}

static void show(const char *name, int weak) {
    dlerror();
    int everywhere = dlsym(RTLD_DEFAULT, name) != 0;
    /* The loader's message names who looked, in front of this. */
    int failed = dlerror() != 0;
    int there = dlsym(opened, name) != 0;
    printf("%s %d %d %d %d %s\n", name, weak, everywhere, failed, there, said());
}

int main(int count, char **arguments) {
    opened = dlopen(count > 1 ? arguments[1] : 0, RTLD_NOW | (count > 2 ? RTLD_GLOBAL : 0));
    if (!opened)
        puts(said());
    NAMES(SHOW)
    return 0;
}
