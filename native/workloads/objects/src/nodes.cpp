// nodes: a list and a map of many small nodes, which are no objects of their own but together have most of the time, and one array.
#include <cstddef>
#include <list>
#include <map>
#include <vector>

#include "account.h"

namespace {

constexpr std::size_t nodes = 300000, n = std::size_t{1} << 22;

std::size_t next(std::size_t &x) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    return x >> 24;
}

[[gnu::noinline]] std::size_t walk(const std::list<std::size_t> &of) {
    std::size_t sum = 0;
    for (const std::size_t value : of)
        sum += value;
    return sum;
}

[[gnu::noinline]] std::size_t look_up(const std::map<std::size_t, std::size_t> &of, std::size_t &x) {
    std::size_t sum = 0;
    for (int k = 0; k < 1000; ++k) {
        const auto found = of.lower_bound(next(x));
        sum += found == of.end() ? 0 : found->second;
    }
    return sum;
}

[[gnu::noinline]] double sum_at_random(const std::vector<double> &of, std::size_t &x) {
    double sum = 0;
    for (int k = 0; k < 20000; ++k)
        sum += of[next(x) & (n - 1)];
    return sum;
}

}  // namespace

int main() {
    account_begin();
    const double seconds = account_seconds();
    std::size_t x = 1;
    std::vector<double> field(n, 1.0); const int of_field = HERE_OBJECT("field", "heap");
    account_touch(of_field, n * sizeof(double));
    const int of_nodes = HERE_OBJECT("-", "small");
    const double begun = account_clock();
    std::list<std::size_t> list;
    std::map<std::size_t, std::size_t> map;
    for (std::size_t k = 0; k < nodes; ++k) {
        // By turns, so that neighbours of the list are not neighbours in memory only.
        list.push_back(k);
        map.emplace(next(x), k);
    }
    account_use(of_nodes, account_clock() - begun, 0.9);
    volatile double sink = 0;
    for (int turn = 0; turn < 4; ++turn) {
        USE_FOR(of_nodes, 0.4 * seconds / 4, 1, sink = sink + static_cast<double>(walk(list)));
        USE_FOR(of_nodes, 0.3 * seconds / 4, 1, sink = sink + static_cast<double>(look_up(map, x)));
        USE_FOR(of_field, 0.5 * seconds / 4, 1, sink = sink + sum_at_random(field, x));
    }
    account_print("separable");
    return sink < 0 ? 1 : 0;
}
