#include "tests.hpp"

int main() {
    using namespace pi::test;
    affinity_tests();
    pinning_tests();
    integral_tests();
    options_tests();
    return testing::ended();
}
