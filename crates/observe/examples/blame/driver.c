/* Runs one loop on arrays of which some are larger than the caches, and prints where they lie and how the code is:
 *   driver NAME MASK SECONDS       MASK: 1 = a, 2 = b, 4 = c, 8 = x are large
 * Pieces of large arrays are worked on in an order that no prefetcher knows, those of the small ones stay in the cache. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

typedef void Loop(double *, double *, double *, int *, long);
long elements_b;
#define ALL(X) \
    X(copy, "w", "r", "", "") X(scale, "w", "r", "", "") X(triad, "w", "r", "r", "") X(sum, "", "r", "", "") X(dot, "", "r", "r", "") \
    X(strided, "", "r", "r", "") X(fill, "w", "", "", "") X(gather, "w", "r", "", "r") X(gather_sum, "", "r", "r", "r") \
    X(histogram, "", "rw", "r", "r") X(branches, "rw", "r", "r", "") X(moved, "w", "r", "", "") X(unrolled, "", "r", "r", "") \
    X(rows, "", "r", "r", "") X(chase, "w", "r", "", "") X(list, "w", "r", "", "") X(records, "w", "r", "", "") X(fields, "rw", "r", "r", "") \
    X(called, "w", "r", "r", "") X(search, "w", "r", "r", "") X(spilled, "w", "r", "r", "r") X(stencil, "rw", "r", "r", "")
#define DECLARE(name, ...) extern Loop name; extern unsigned char __start_k_##name[], __stop_k_##name[];
ALL(DECLARE)
#define ENTRY(name, a, b, c, x) {#name, name, __start_k_##name, __stop_k_##name, {a, b, c, x}},
static struct { const char *name; Loop *run; unsigned char *begin, *end; const char *uses[4]; } all[] = {ALL(ENTRY)};

enum { PIECE = 512 * 8, PLANES = 17 * 128 * 24 * 4 };
static const size_t LARGE = 128 << 20;
struct node { struct node *next; double value; double rest[6]; };

static uint64_t state = 88172645463325252u;
static uint64_t any(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec * 1e-9; }

static void *array(size_t bytes) {
    size_t rounded = (bytes + (2 << 20)) & ~(size_t)((2 << 20) - 1);
    char *p = mmap(0, rounded + (4 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) exit(3);
    p += (2 << 20) - (uintptr_t)p % (2 << 20);
    madvise(p, rounded, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

static void print_code(const unsigned char *begin, const unsigned char *end) {
    printf("code %lx ", (unsigned long)begin);
    for (const unsigned char *p = begin; p < end; p++) printf("%02x", *p);
    printf("\n");
}

int main(int words, char **word) {
    if (words < 4) return 2;
    int k = 0, mask = atoi(word[2]), count = sizeof all / sizeof *all;
    while (k < count && strcmp(all[k].name, word[1])) k++;
    if (k == count) return 2;
    const char *name = all[k].name;
    int planes = !strcmp(name, "stencil"), places = strstr(name, "gather") || !strcmp(name, "histogram");
    int nodes = !strcmp(name, "chase") || !strcmp(name, "list"), rows = !strcmp(name, "rows"), search = !strcmp(name, "search");
    size_t bytes[4];
    char *at[4];
    for (int i = 0; i < 4; i++) {
        bytes[i] = mask >> i & 1 ? LARGE : planes ? PLANES : PIECE;
        at[i] = array(bytes[i]);
        if (*all[k].uses[i]) printf("array %c %lx %zu %s %s\n", "abcx"[i], (unsigned long)at[i], bytes[i], mask >> i & 1 ? "large" : "small", all[k].uses[i]);
    }
    print_code(all[k].begin, all[k].end);
    if (!strcmp(name, "moved") || !strcmp(name, "copy")) print_code((unsigned char *)memmove, (unsigned char *)memmove + 4096);
    if (!strcmp(name, "fill")) print_code((unsigned char *)memset, (unsigned char *)memset + 2048);
    double *b = (double *)at[1], *c = (double *)at[2];
    elements_b = bytes[1] / 8;
    if (!nodes) for (long i = 0; i < elements_b; i++) b[i] = search ? i : (double)(any() % 1000) / 1000;
    if (search) for (size_t i = 0; i < bytes[2] / 8; i++) c[i] = any() % elements_b;
    if (rows) for (size_t i = 0; i < bytes[2] / 8; i++) ((double **)c)[i] = b + any() % (elements_b - 4);
    if (places) for (size_t i = 0; i < bytes[3] / 4; i++) ((int *)at[3])[i] = any() % elements_b;
    if (nodes) {
        size_t number = bytes[1] / sizeof(struct node);
        struct node *node = (struct node *)b;
        int *order = malloc(number * sizeof(int));
        for (size_t i = 0; i < number; i++) order[i] = i;
        for (size_t i = number - 1; i > 0; i--) { size_t j = any() % (i + 1); int o = order[i]; order[i] = order[j]; order[j] = o; }
        for (size_t i = 0; i < number; i++) node[order[i]].next = &node[order[(i + 1) % number]];
    }
    fflush(stdout);
    double until = now() + atof(word[3]), begin = now();
    long calls = 0;
    while (now() < until)
        for (int many = 0; many < 16; many++, calls++) {
            char *piece[4];
            for (int i = 0; i < 4; i++) {
                size_t unit = planes ? 128 * 24 * 4 : i == 3 ? PIECE / 2 : PIECE, need = planes ? PLANES : unit;
                size_t number = (bytes[i] - need) / unit + 1;
                piece[i] = at[i] + (number > 1 ? any() % number * unit : 0);
            }
            /* Other elements of b each time, however few are asked for at once. */
            if (places || search) piece[1] = at[1];
            if (places && !(mask & 8)) for (int i = 0; i < 512; i++) ((int *)piece[3])[i] = any() % elements_b;
            if (rows && !(mask & 4)) for (int i = 0; i < 512; i++) ((double **)piece[2])[i] = b + any() % (elements_b - 4);
            if (search && !(mask & 4)) for (int i = 0; i < 32; i++) ((double *)piece[2])[i] = any() % elements_b;
            all[k].run((double *)piece[0], (double *)piece[1], (double *)piece[2], (int *)piece[3], nodes ? 64 : 512);
        }
    printf("call %.1f\n", (now() - begin) / calls * 1e9);
    return 0;
}
