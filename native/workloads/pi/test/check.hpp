// The least a test needs: a claim, where it stands, and what was found.
#pragma once

#include <cstdio>

namespace pi::test {

inline int failures = 0;
inline int claims = 0;

#define CHECK(claim, ...)                                                     \
    do {                                                                      \
        ++::pi::test::claims;                                                 \
        if (!(claim)) {                                                       \
            ++::pi::test::failures;                                           \
            std::printf("%s:%d: not true: %s: ", __FILE__, __LINE__, #claim); \
            std::printf(__VA_ARGS__);                                         \
            std::printf("\n");                                                \
        }                                                                     \
    } while (0)

void affinity_tests();
void pinning_tests();
void integral_tests();
void options_tests();

}  // namespace pi::test
