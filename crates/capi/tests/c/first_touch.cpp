// A triad over three arrays, in loops with a static schedule: `first_touch vector|first_touch ELEMENTS SWEEPS`. The one kind has std::vector, whose
// elements the first thread touches; the other numawise::first_touch_vector. Prints what part of the pages lies where the threads run that use them, and
// the throughput of the loops.
#include <numawise/memory.hpp>
#include <numawise/openmp.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

// Of one thread's part of an array: bytes on the node of the CPU that it runs on, and all.
template <class Array>
void count_local(const Array &of, std::size_t &local, std::size_t &all) {
#pragma omp parallel
    {
        unsigned node = 0;
        const bool is_known = numawise_node_of_cpu(numawise::detail::machine(), static_cast<unsigned>(sched_getcpu()), &node) == NUMAWISE_OK;
        const std::size_t part = of.size() / static_cast<std::size_t>(omp_get_num_threads());
        const auto where = numawise::pages(of.data() + part * static_cast<std::size_t>(omp_get_thread_num()), part);
#pragma omp critical
        {
            if (is_known) local += where.on(node);
            all += part * sizeof of[0];
        }
    }
}

template <class Array>
void run(std::size_t count, int sweeps) {
    Array a(count), b(count), c(count);
    const auto sweep = [&](float by) {
#pragma omp parallel for schedule(static)
        for (std::size_t k = 0; k < count; ++k) a[k] = b[k] + by * c[k];
    };
    sweep(1);
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < sweeps; ++k) sweep(2);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::size_t local = 0, all = 0;
    count_local(b, local, all), count_local(c, local, all);
    std::printf("local: %.2f\n", static_cast<double>(local) / static_cast<double>(all));
    std::printf("throughput: %.3f MPoints/s\n", static_cast<double>(count) * sweeps / took.count() / 1e6);
    if (a[count / 2] != 0) std::abort();
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const auto count = static_cast<std::size_t>(std::atol(argv[2]));
    const int sweeps = std::atoi(argv[3]);
    if (std::strcmp(argv[1], "first_touch") == 0)
        run<numawise::first_touch_vector<float>>(count, sweeps);
    else
        run<std::vector<float>>(count, sweeps);
    return 0;
}
