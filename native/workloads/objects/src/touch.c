/* touch MODE: an array whose pages are touched first by known threads.
 *
 *     one      the first thread touches all of it
 *     other    a thread that only does that
 *     halves   two threads, each a half
 *     thirty   thread 0 seven pages of ten, thread 1 three
 *     strewn   four threads, page by page by turns
 *     loop     a loop over single words, as programs have it, by threads 0 and 1: a quarter and three quarters
 *     read     read(2) of a file into it: the kernel touches the pages, on behalf of thread 0 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "account.h"
#include "kernels.h"

/* 64 MiB; touch_large has more, for who sees threads a few hundred times a second. */
#ifndef LOG_PAGES
#define LOG_PAGES 14
#endif
enum { PAGES = 1 << LOG_PAGES, PAGE_WORDS = PAGE_BYTES / 8, N = PAGES * PAGE_WORDS, MOST = 4 };

static word *data;
static int of_data;
static const char *mode;

/* Whether the thread touches this page. */
static int is_mine(int thread, size_t page) {
    switch (mode[0]) {
    case 'h': return (page >= PAGES / 2) == thread;
    case 't': return (page % 10 < 3) == thread;
    case 's': return page % MOST == (size_t)thread;
    case 'l': return (page >= PAGES / 4) == thread;
    default: return mode[1] == 't' ? thread == 1 : thread == 0;
    }
}

LOOP size_t touch_pages(int thread) {
    size_t touched = 0;
    for (size_t page = 0; page < PAGES; ++page)
        if (is_mine(thread, page)) {
            *(volatile word *)&data[page * PAGE_WORDS] = page;
            ++touched;
        }
    return touched;
}

LOOP size_t touch_words(int thread) {
    const size_t from = thread == 0 ? 0 : N / 4, to = thread == 0 ? N / 4 : N;
    for (size_t i = from; i < to; ++i)
        *(volatile word *)&data[i] = i;
    return (to - from) / PAGE_WORDS;
}

static size_t touch_by_reading(void) {
    const int file = memfd_create("input", 0);
    if (file < 0 || ftruncate(file, N * sizeof *data) != 0)
        exit(1);
    size_t got = 0;
    while (got < N * sizeof *data) {
        const ssize_t now = read(file, (char *)data + got, 1 << 20);
        if (now <= 0)
            exit(1);
        got += (size_t)now;
    }
    close(file);
    return PAGES;
}

static void touch_as(int thread) {
    account_thread(thread);
    const size_t touched = mode[0] == 'l' ? touch_words(thread) : mode[0] == 'r' ? touch_by_reading() : touch_pages(thread);
    account_touch(of_data, (double)touched * PAGE_BYTES);
}

static void *worker(void *number) {
    touch_as(*(const int *)number);
    return NULL;
}

int main(int count, char **arguments) {
    static const char *const modes[] = {"one", "other", "halves", "thirty", "strewn", "loop", "read"};
    for (size_t k = 0; count == 2 && k < sizeof modes / sizeof *modes; ++k)
        if (strcmp(arguments[1], modes[k]) == 0)
            mode = modes[k];
    if (mode == NULL) {
        fprintf(stderr, "touch: expected one of: one other halves thirty strewn loop read\n");
        return 2;
    }
    account_begin();
    data = mmap(NULL, N * sizeof *data, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); of_data = HERE_OBJECT("data", "mapped");
    if (data == MAP_FAILED)
        return 1;
    const int threads = strcmp(mode, "one") == 0 || strcmp(mode, "read") == 0 ? 1 : strcmp(mode, "strewn") == 0 ? MOST : 2;
    pthread_t others[MOST];
    int numbers[MOST] = {0, 1, 2, 3};
    for (int k = 1; k < threads; ++k)
        pthread_create(&others[k], NULL, worker, &numbers[k]);
    touch_as(0);
    for (int k = 1; k < threads; ++k)
        pthread_join(others[k], NULL);
    /* Who only measures accesses has something to measure. */
    static struct walk w;
    USE_FOR(of_data, 0.25 * account_seconds(), 1, random_reads(data, N, &w));
    account_print("separable");
    return 0;
}
