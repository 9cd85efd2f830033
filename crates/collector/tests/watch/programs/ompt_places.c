/* A program with a tool of OMPT of its own, which is told of a loop whose chunks its threads fetch: each place that it is told of lies in
   the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>

static int told, elsewhere;

static void place(const void *address) {
    Dl_info at, ours;
    dladdr((void *)place, &ours);
#pragma omp atomic
    told++;
    if (!dladdr(address, &at) || at.dli_fbase != ours.dli_fbase) {
#pragma omp atomic
        elsewhere++;
    }
}

static void work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task, uint64_t count, const void *address) {
    (void)kind, (void)end, (void)region, (void)task, (void)count;
    place(address);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_work, (ompt_callback_t)work);
    return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}

int main(void) {
    long sum = 0;
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum) num_threads(2)
    for (int k = 0; k < 100; k++) {
        sum += k;
    }
#pragma omp parallel for schedule(guided) reduction(+ : sum) num_threads(2)
    for (unsigned long k = 0; k < 100; k++) {
        sum += (long)k;
    }
    printf("%ld, %s, %d elsewhere\n", sum, told == 8 ? "both loops" : "not all", elsewhere);
    return 0;
}
