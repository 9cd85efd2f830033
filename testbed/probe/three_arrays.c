// Three arrays through one function and a static one: where the kernel put each, as `name=u policy=prefer:2 nodes=N2=1952`.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 8 << 20 };
static char table[BYTES];

__attribute__((noinline)) static char *make(void) {
    char *block = malloc(BYTES);
    if (!block) exit(1);
    memset(block, 1, BYTES);
    return block;
}

static void show(const char *name, const char *block) {
    uintptr_t wanted = (uintptr_t)block + BYTES / 2;
    char line[4096], found[4096] = "";
    FILE *file = fopen("/proc/self/numa_maps", "r");
    if (!file) exit(1);
    while (fgets(line, sizeof line, file)) {
        if (strtoull(line, NULL, 16) <= wanted) strcpy(found, line);
    }
    fclose(file);
    char policy[64] = "";
    sscanf(found, "%*s %63s", policy);
    printf("name=%s policy=%s nodes=", name, policy);
    const char *separator = "";
    for (char *word = strtok(found, " \n"); word; word = strtok(NULL, " \n")) {
        if (word[0] == 'N' && word[1] >= '0' && word[1] <= '9') {
            printf("%s%s", separator, word);
            separator = ",";
        }
    }
    putchar('\n');
}

int main(void) {
    memset(table, 1, BYTES);
    char *u = make();
    char *v = make();
    char *w = make();
    show("u", u), show("v", v), show("w", w), show("table", table);
    free(u), free(v), free(w);
    return 0;
}
