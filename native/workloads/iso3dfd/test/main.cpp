#include "check.hpp"

int main() {
    using namespace iso3dfd::test;
    weights_tests();
    impulse_tests();
    reference_tests();
    placement_tests();
    options_tests();
    interval_tests();
    std::printf("%d claims, %d failures\n", claims, failures);
    return failures == 0 ? 0 : 1;
}
