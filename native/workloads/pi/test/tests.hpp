// All tests, by what they are of.
#pragma once

#include "../../testing/check.hpp"

namespace pi::test {

void affinity_tests();
void pinning_tests();
void integral_tests();
void options_tests();

}  // namespace pi::test
