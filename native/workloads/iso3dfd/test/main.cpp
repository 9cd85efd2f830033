#include "tests.hpp"

int main() {
    using namespace iso3dfd::test;
    weights_tests();
    impulse_tests();
    reference_tests();
    placement_tests();
    options_tests();
    interval_tests();
    return testing::ended();
}
