/* A tool of OMPT that says that it was asked. */
#include <stdio.h>

struct result {
    int (*initialize)(void *, int, void *);
    void (*finalize)(void *);
    unsigned long data;
};

static int initialize(void *lookup, int device, void *data) {
    (void)lookup, (void)device, (void)data;
    puts("tool");
    return 1;
}

static void finalize(void *data) { (void)data; }

struct result *ompt_start_tool(unsigned version, const char *runtime) {
    static struct result result = {initialize, finalize, 0};
    (void)version, (void)runtime;
    return &result;
}
