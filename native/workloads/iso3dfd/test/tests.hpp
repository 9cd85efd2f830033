// All tests, by what they are of.
#pragma once

#include "../../testing/check.hpp"

namespace iso3dfd::test {

void weights_tests();
void impulse_tests();
void reference_tests();
void placement_tests();
void options_tests();
void interval_tests();

}  // namespace iso3dfd::test
