/* Loads an MPI when it runs, so that all find it, and asks for its functions. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc < 2 || !dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) {
        printf("%s\n", dlerror());
        return 1;
    }
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_DEFAULT, "MPI_Init");
    int (*finalize)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "MPI_Finalize");
    printf("%d\n", init(0, 0));
    printf("%d\n", finalize());
    return 0;
}
