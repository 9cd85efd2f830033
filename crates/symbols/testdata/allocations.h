// Writes the size of each large allocation with the callers that backtrace(3) finds.
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <new>
#include <unistd.h>

static void write_large(size_t bytes)
{
    if (bytes < 100000)
        return;
    void *frames[64];
    int count = backtrace(frames, 64);
    printf("%zu", bytes);
    for (int k = 0; k < count; k++)
        printf(" %zx", (size_t)frames[k]);
    printf("\n");
    fflush(stdout);
}

extern "C" void *__real_malloc(size_t);
extern "C" __attribute__((noinline)) void *__wrap_malloc(size_t bytes)
{
    write_large(bytes);
    return __real_malloc(bytes);
}

__attribute__((noinline)) void *operator new(size_t bytes)
{
    write_large(bytes);
    return __real_malloc(bytes);
}

void operator delete(void *p) noexcept { free(p); }
void operator delete(void *p, size_t) noexcept { free(p); }
