// vectors: arrays as C++ has them, each used alone: a std::vector, one of vectors, one that grows by push_back, and new[].
#include <cstddef>
#include <memory>
#include <vector>

#include "account.h"

namespace {

constexpr std::size_t n = std::size_t{1} << 22, rows = 64;

// The next of a sequence that looks like one at random.
std::size_t next(std::size_t &x) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    return x >> 24;
}

[[gnu::noinline]] double sum_at_random(const std::vector<double> &of, std::size_t &x) {
    double sum = 0;
    for (int k = 0; k < 20000; ++k)
        sum += of[next(x) & (n - 1)];
    return sum;
}

[[gnu::noinline]] double sum_of_rows(const std::vector<std::vector<double>> &of, std::size_t &x) {
    double sum = 0;
    for (int k = 0; k < 20000; ++k) {
        const std::size_t at = next(x) & (n - 1);
        sum += of[at % rows][at / rows];
    }
    return sum;
}

[[gnu::noinline]] void write_at_random(double *of, std::size_t &x) {
    for (int k = 0; k < 20000; ++k)
        of[next(x) & (n - 1)] = 1.0;
}

[[gnu::noinline]] void lines_in_order(double *of, std::size_t &x) {
    for (int k = 0; k < 20000; ++k)
        of[(x += 8 * 17) & (n - 1)] += 1.0;
}

}  // namespace

int main() {
    account_begin();
    const double seconds = account_seconds();
    std::vector<double> field(n, 1.0); const int of_field = HERE_OBJECT("field", "heap");
    account_touch(of_field, n * sizeof(double));
    std::vector<std::vector<double>> matrix(rows, std::vector<double>(n / rows, 1.0)); const int of_matrix = HERE_OBJECT("matrix", "heap");
    account_touch(of_matrix, n * sizeof(double));
    std::vector<double> grown;
    for (std::size_t k = 0; k < n; ++k)
        grown.push_back(1.0);
    const int of_grown = account_object("grown", "heap", __FILE__, __LINE__ - 1);
    std::unique_ptr<double[]> plain(::new double[n]); const int of_plain = HERE_OBJECT("plain", "heap");
    for (std::size_t k = 0; k < n; ++k)
        plain[k] = 0.0;
    account_touch(of_plain, n * sizeof(double));
    volatile double sink = 0;
    std::size_t x = 1;
    for (int turn = 0; turn < 4; ++turn) {
        USE_FOR(of_field, 0.4 * seconds / 4, 1, sink = sink + sum_at_random(field, x));
        USE_FOR(of_matrix, 0.3 * seconds / 4, 1, sink = sink + sum_of_rows(matrix, x));
        // It waits for what it reads; what it writes then is in the cache.
        USE_FOR(of_grown, 0.2 * seconds / 4, 1, lines_in_order(grown.data(), x));
        USE_FOR(of_plain, 0.1 * seconds / 4, 0, write_at_random(plain.get(), x));
    }
    account_print("separable");
    return sink < 0 ? 1 : 0;
}
