// The interval of the bench against the tabulated ranks of the sign test.
#include "bench/interval.hpp"

#include "tests.hpp"

namespace iso3dfd::test {
namespace {

// The values 1 to n, in a mixed order, so that a value is its own rank.
void ranks(int n, double median, double low, double high) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(i * 7 % n + 1);
    const bench::Interval found = bench::median_interval(values);
    CHECK(found.median == median && found.low == low && found.high == high, "n = %d: %g, %g to %g", n, found.median,
          found.low, found.high);
}

}  // namespace

void interval_tests() {
    ranks(1, 1, 1, 1);
    ranks(5, 3, 1, 5);  // too few for 95 %: the range
    ranks(6, 3.5, 1, 6);
    ranks(10, 5.5, 2, 9);
    ranks(15, 8, 4, 12);
    ranks(25, 13, 8, 18);
}

}  // namespace iso3dfd::test
