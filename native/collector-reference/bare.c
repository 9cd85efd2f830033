/* Stands before the entry points that omp_cost.c uses and does nothing: what any wrapper costs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>

#define NEXT(type, name)                                                                                               \
    static type next;                                                                                                  \
    if (next == 0)                                                                                                     \
        next = (type)dlsym(RTLD_NEXT, name)

typedef void (*body_t)(void *);
struct region {
    body_t body;
    void *data;
};

static void work(void *argument) {
    struct region *region = argument;
    region->body(region->data);
}

void GOMP_parallel(body_t body, void *data, unsigned threads, unsigned flags) {
    typedef void (*type)(body_t, void *, unsigned, unsigned);
    NEXT(type, "GOMP_parallel");
    struct region region = {body, data};
    next(work, &region, threads, flags);
}

void GOMP_barrier(void) {
    typedef void (*type)(void);
    NEXT(type, "GOMP_barrier");
    next();
    __asm__ volatile("");
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *begin, long *end) {
    typedef bool (*type)(long *, long *);
    NEXT(type, "GOMP_loop_nonmonotonic_dynamic_next");
    bool more = next(begin, end);
    __asm__ volatile("");
    return more;
}
