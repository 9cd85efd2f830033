// The least a test needs: a claim, where it stands, and what was found.
#pragma once

#include <cstdio>

namespace iso3dfd::test {

inline int failures = 0;
inline int claims = 0;

#define CHECK(claim, ...)                                                   \
    do {                                                                    \
        ++::iso3dfd::test::claims;                                          \
        if (!(claim)) {                                                     \
            ++::iso3dfd::test::failures;                                    \
            std::printf("%s:%d: not true: %s: ", __FILE__, __LINE__, #claim); \
            std::printf(__VA_ARGS__);                                       \
            std::printf("\n");                                              \
        }                                                                   \
    } while (0)

void weights_tests();
void impulse_tests();
void reference_tests();
void placement_tests();
void options_tests();
void interval_tests();

}  // namespace iso3dfd::test
