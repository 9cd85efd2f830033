// Three arrays through one function, and what becomes of their policies.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 1000000
static char table[400000];

// The policy of the page in the middle of a block, by the kernel's own list.
static const char *policy(const void *block) {
    static char found[64];
    uintptr_t wanted = (uintptr_t)block + BYTES / 4;
    char line[4096];
    FILE *file = fopen("/proc/self/numa_maps", "r");
    strcpy(found, "none");
    while (file && fgets(line, sizeof line, file)) {
        unsigned long begin;
        char of[64];
        if (sscanf(line, "%lx %63s", &begin, of) == 2 && begin <= wanted) strcpy(found, of);
    }
    if (file) fclose(file);
    return found;
}

static void show(const char *name, const void *block) {
    printf("%s %s\n", name, policy(block));
    fflush(stdout);
}

// Where the caller's call and this one's return, each with the file: a rule.
__attribute__((noinline)) static char *make(size_t bytes) {
    char *block = malloc(bytes);
    memset(block, 1, bytes);
    return block;
}

__attribute__((noinline)) static char *deep(size_t bytes, int depth) {
    volatile char room[300];
    room[depth] = 1;
    char *block = depth > 0 ? deep(bytes, depth - 1) : make(bytes);
    return block + room[depth] - 1;
}

int main(int count, char **words) {
    const char *way = count > 1 ? words[1] : "three";
    if (!strcmp(way, "three")) {
        char *u = make(BYTES);
        char *v = make(BYTES);
        char *w = make(BYTES);
        show("u", u), show("v", v), show("w", w), show("table", table);
        free(v);
        // glibc unmaps it; the same address again, of another line.
        char *again = make(BYTES);
        show("again", again);
        free(u), free(w), free(again);
    } else if (!strcmp(way, "kept")) {
        // Below the threshold from which glibc maps: the memory stays in the heap.
        char *first = malloc(100000), *v = make(100000), *last = malloc(100000);
        memset(first, 1, 100000), memset(last, 1, 100000);
        printf("v %s\n", policy(v - BYTES / 4 + 50000));
        free(v);
        printf("freed %s\n", policy(v - BYTES / 4 + 50000));
        char *other = malloc(100000);
        printf("same %d %s\n", other == v, policy(other - BYTES / 4 + 50000));
        free(first), free(other), free(last);
    } else if (!strcmp(way, "realloc")) {
        char *v = make(BYTES);
        show("v", v);
        v[BYTES - 1] = 7;
        v = realloc(v, 50 * BYTES);
        show("larger", v);
        printf("content %d %d\n", v[0], v[BYTES - 1]);
        v = realloc(v, BYTES / 2);
        show("smaller", v);
        free(v);
    } else if (!strcmp(way, "fork")) {
        char *v = make(BYTES);
        if (fork() == 0) {
            show("inherited", v);
            free(v);
            exit(0);
        }
        wait(NULL);
        show("parent", v);
        free(v);
        fflush(stdout);
        if (fork() == 0) {
            // By the same calls.
            for (int k = 0; k < 1; k++) v = NULL;
            exit(0);
        }
        wait(NULL);
    } else if (!strcmp(way, "mapped")) {
        char *v = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        char *w = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        show("v", v), show("w", w);
        v = mremap(v, BYTES, 4 * BYTES, MREMAP_MAYMOVE);
        show("moved", v);
        munmap(v, 4 * BYTES);
        show("gone", mmap(v, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    } else if (!strcmp(way, "deep")) {
        show("deep", deep(BYTES, 10));
        show("flat", deep(BYTES, 0));
    } else if (!strcmp(way, "loaded")) {
        void *library = dlopen(words[2], RTLD_NOW);
        char *(*give)(size_t) = library ? (char *(*)(size_t))dlsym(library, "give") : NULL;
        if (!give) return 1;
        show("loaded", give(BYTES));
        show("own", make(BYTES));
    } else if (!strcmp(way, "many")) {
        // Many at one time, and again and again.
        char *all[200];
        for (int round = 0; round < 20; round++) {
            for (int k = 0; k < 200; k++) all[k] = make(20000 + k);
            for (int k = 0; k < 200; k++) free(all[k]);
        }
        puts("done");
    }
    return 0;
}
