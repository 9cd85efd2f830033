/* The accounts of a known-answer program for memory objects: who touched the pages of an object first, and how long each thread used it.
 *
 * A program uses one object at a time and takes the CPU time of the thread before and after, or its loop is such that the share of each
 * object follows from what it does. Lines of the output:
 *
 *     truth loops=separable|mixed
 *     truth object=NAME kind=KIND at=FILE:LINE thread=K tid=TID time_share=X reads=X
 *     truth touch object=NAME kind=KIND at=FILE:LINE thread=K tid=TID share=X
 *     truth faults thread=K tid=TID pages=N faults=N
 *     truth covered=X
 *
 * `time_share` is of the time of all threads with all objects, `reads` the part of this time in which the thread read, `share` of the
 * pages of the object, `pages` what a thread touched and `faults` what the kernel counted of it, `covered` the accounted time over the CPU time of the program. `kind` is as `numawise objects
 * --json` has it, `at` where the object is allocated or defined;
 * `bytes=N` follows where only its size tells it from others. Thread 0 began the program. */
#ifndef OBJECTS_ACCOUNT_H
#define OBJECTS_ACCOUNT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_OBJECTS = 24, MOST_THREADS = 16 };

/* Before anything else: no huge pages, so that each page of the machine is touched for itself. */
void account_begin(void);

/* A new object; its number. The texts must live as long as the program. */
int account_object(const char *name, const char *kind, const char *file, int line);

/* Says which thread this is. */
void account_thread(int number);

/* CPU time of this thread, in seconds. */
double account_clock(void);

/* This thread used an object for so long, and read in this part of it. */
void account_use(int object, double seconds, double reads);

/* This thread touched so many bytes of an object before anyone else. */
void account_touch(int object, double bytes);

/* How long each thread is to use objects, all together: a second, or OBJECTS_SECONDS. */
double account_seconds(void);

/* Prints the truth; `loops` is "separable" or "mixed". */
void account_print(const char *loops);

#ifdef __cplusplus
}
#endif

/* An object that this line allocates. */
#define HERE_OBJECT(name, kind) account_object(name, kind, __FILE__, __LINE__)
/* Stands behind the definition of an object, for `DEFINED_OBJECT`. */
#define DEFINED_HERE(name) enum { line_of_##name = __LINE__ }
#define DEFINED_OBJECT(name, kind) account_object(#name, kind, __FILE__, line_of_##name)

/* Does `work` again and again until this thread has used the object for so many seconds. */
#define USE_FOR(object, seconds, reads, work)                                                                                        \
    do {                                                                                                                             \
        const double begun_ = account_clock();                                                                                       \
        double now_ = begun_;                                                                                                        \
        while (now_ < begun_ + (seconds)) {                                                                                          \
            work;                                                                                                                    \
            now_ = account_clock();                                                                                                  \
        }                                                                                                                            \
        account_use((object), now_ - begun_, (reads));                                                                               \
    } while (0)

#endif
