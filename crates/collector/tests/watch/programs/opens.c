/* Opens libraries so that nobody else finds what they bring. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    for (int k = 1; k < argc; ++k) {
        void *library = dlopen(argv[k], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            puts(dlerror());
            return 1;
        }
        int (*sum_to)(int) = (int (*)(int))dlsym(library, "sum_to");
        printf("%d\n", sum_to(100));
        const char *error = dlerror();
        printf("%s\n", error == NULL ? "no error" : error);
    }
    return 0;
}
