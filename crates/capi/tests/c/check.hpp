// What a test program says of what is not as it must be; `wrong` is its exit status. For any thread.
#ifndef NUMAWISE_TESTS_CHECK_HPP
#define NUMAWISE_TESTS_CHECK_HPP

#include <numawise/numawise.h>

#include <atomic>
#include <cstdio>

inline std::atomic<int> wrong;

inline void check(bool is, int line, const char *what, long long found) {
    if (is) return;
    ++wrong;
    std::printf("%d: %s: found %lld (%s)\n", line, what, found, numawise_error_text());
}

#define CHECK(is) check((is), __LINE__, #is, 0)
// The same with a number that tells more.
#define CHECK_OF(is, found) check((is), __LINE__, #is, static_cast<long long>(found))

#endif
