#include <stdlib.h>

char *give(size_t bytes) {
    char *block = malloc(bytes);
    for (size_t k = 0; k < bytes; k += 4096) block[k] = 1;
    return block;
}
