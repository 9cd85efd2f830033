/* Names parts of a program for `numawise snapshot`, for C and C++.
 *
 *     #include <numawise.h>
 *
 *     numawise_region_begin("solve");
 *     ...
 *     numawise_region_end("solve");
 *
 *     { numawise::region solve("solve"); ... }       // C++: ends with its scope, also by an exception
 *
 * Nothing is linked, and nothing is done where numawise does not watch: the first call in each file of the source asks the loader,
 * later ones compare a word. Regions may stand in one another; each thread has its own. What the first thread begins outside of parallel
 * regions is a region of the process, what others begin is of the thread that begins it.
 *
 * GNU C of any version (gcc, clang, icx, nvc and their like), C99 and later, C++98 and later.
 */
#ifndef NUMAWISE_H
#define NUMAWISE_H

#if defined(__linux__) && defined(__GNUC__)

#ifdef __cplusplus
extern "C" {
#endif
/* Weak: before glibc 2.34 they are in a library of their own, which a program need not have, and in a static program they are not there. */
#if defined(__cplusplus) && defined(__GLIBC__)
extern void *dlsym(void *__restrict handle, const char *__restrict name) throw() __attribute__((weak));
extern char *dlerror(void) throw() __attribute__((weak));
#else
extern void *dlsym(void *handle, const char *name) __attribute__((weak));
extern char *dlerror(void) __attribute__((weak));
#endif
#ifdef __cplusplus
}
#endif

typedef void (*numawise_region_function)(const char *name);

/* A function of the collector; null where that is not there. `place` holds it, or 1, once it was looked for. */
__attribute__((unused)) static numawise_region_function numawise_find_(unsigned long *place, const char *symbol)
{
    unsigned long found = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (__builtin_expect(found == 0, 0)) {
        found = dlsym ? (unsigned long)dlsym((void *)0, symbol) : 0;
        if (!found) {
            found = 1;
            /* What is not found is not for the program's dlerror. */
            if (dlerror)
                dlerror();
        }
        __atomic_store_n(place, found, __ATOMIC_RELAXED);
    }
    return found == 1 ? (numawise_region_function)0 : (numawise_region_function)found;
}

/* Begins a region of this name in the calling thread. */
__attribute__((unused)) static inline void numawise_region_begin(const char *name)
{
    static unsigned long place;
    numawise_region_function begin = numawise_find_(&place, "numawise_collector_region_begin");
    if (begin)
        begin(name);
}

/* Ends the region of this name that the calling thread began last, and those that it has begun within it. */
__attribute__((unused)) static inline void numawise_region_end(const char *name)
{
    static unsigned long place;
    numawise_region_function end = numawise_find_(&place, "numawise_collector_region_end");
    if (end)
        end(name);
}

#else

static inline void numawise_region_begin(const char *name) { (void)name; }
static inline void numawise_region_end(const char *name) { (void)name; }

#endif

#ifdef __cplusplus
namespace numawise {

/* A region as long as its scope. The name must live as long. */
class region {
public:
    explicit region(const char *name) : name_(name) { numawise_region_begin(name_); }
    ~region() { numawise_region_end(name_); }

private:
    region(const region &);
    region &operator=(const region &);
    const char *name_;
};

}
#endif

#endif
