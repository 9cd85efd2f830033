// The least a test needs: a claim, where it stands, and what was found.
#pragma once

#include <cstdio>

namespace testing {

inline int failures = 0;
inline int claims = 0;

// Says how many claims there were; the exit status of the tests.
inline int ended() {
    std::printf("%d claims, %d failures\n", claims, failures);
    return failures == 0 ? 0 : 1;
}

}  // namespace testing

#define CHECK(claim, ...)                                                     \
    do {                                                                      \
        ++::testing::claims;                                                  \
        if (!(claim)) {                                                       \
            ++::testing::failures;                                            \
            std::printf("%s:%d: not true: %s: ", __FILE__, __LINE__, #claim); \
            std::printf(__VA_ARGS__);                                         \
            std::printf("\n");                                                \
        }                                                                     \
    } while (0)
