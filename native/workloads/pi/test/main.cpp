#include "check.hpp"

int main() {
    using namespace pi::test;
    affinity_tests();
    pinning_tests();
    integral_tests();
    options_tests();
    std::printf("%d claims, %d failures\n", claims, failures);
    return failures == 0 ? 0 : 1;
}
