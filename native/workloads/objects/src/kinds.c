/* kinds: memory of every kind, each used alone: globals with and without a value, a static variable of a function, thread-local
 * memory, stacks, mappings that are private, shared, of a file. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "account.h"
#include "kernels.h"

enum { N = 1 << 20 };

/* A first value, so that it stands in .data. */
static word with_value[N] __attribute__((aligned(PAGE_BYTES))) = {1}; DEFINED_HERE(with_value);
word of_the_program[N] __attribute__((aligned(PAGE_BYTES))); DEFINED_HERE(of_the_program);

struct part {
    word *memory;
    int object;
    double share;
};

static void use(struct part *of, struct walk *w) {
    USE_FOR(of->object, of->share * account_seconds(), 1, random_reads(of->memory, N, w));
}

static word *of_function(int *object) {
    static word in_function[N] __attribute__((aligned(PAGE_BYTES))); DEFINED_HERE(in_function);
    *object = DEFINED_OBJECT(in_function, "global");
    return in_function;
}

/* The stack of a thread that is large enough for it. */
static void *on_its_stack(void *argument) {
    account_thread(1);
    word on_stack[N];
    struct part stack = {on_stack, *(const int *)argument, 0.3};
    struct walk w = {0};
    fill(on_stack, N, 0, N);
    account_touch(stack.object, sizeof on_stack);
    use(&stack, &w);
    return (void *)(w.sum & 1);
}

static word *shared_memory(void) {
    const int file = memfd_create("shared", 0);
    if (file < 0 || ftruncate(file, N * sizeof(word)) != 0)
        exit(1);
    word *of_file = mmap(NULL, N * sizeof *of_file, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return of_file;
}

int main(void) {
    account_begin();
    word *private = mmap(NULL, N * sizeof *private, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); const int of_private = HERE_OBJECT("private", "mapped");
    word *shared = mmap(NULL, N * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); const int of_shared = HERE_OBJECT("shared", "shared");
    word *of_file = shared_memory(); const int of_of_file = HERE_OBJECT("of_file", "shared");
    if (private == MAP_FAILED || shared == MAP_FAILED || of_file == MAP_FAILED)
        return 1;
    int of_in_function;
    word *in_function = of_function(&of_in_function);
    struct part parts[] = {
        {with_value, DEFINED_OBJECT(with_value, "global"), 0.1},
        {of_the_program, DEFINED_OBJECT(of_the_program, "global"), 0.15},
        {in_function, of_in_function, 0.15},
        {private, of_private, 0.2},
        {shared, of_shared, 0.25},
        {of_file, of_of_file, 0.15},
    };
    int of_stack = HERE_OBJECT("on_stack", "stack");
    static struct walk w;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        fill(parts[k].memory, N, 0, N);
        account_touch(parts[k].object, N * sizeof(word));
        use(&parts[k], &w);
    }
    pthread_attr_t with_room;
    pthread_attr_init(&with_room);
    pthread_attr_setstacksize(&with_room, N * sizeof(word) + (1 << 20));
    pthread_t thread;
    if (pthread_create(&thread, &with_room, on_its_stack, &of_stack) != 0)
        return 1;
    pthread_join(thread, NULL);
    account_print("separable");
    return 0;
}
