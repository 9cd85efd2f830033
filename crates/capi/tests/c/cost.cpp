// What memory of the library costs beside what a program would do by hand. One line for each figure: name, nanoseconds of ours and of theirs (medians of
// rounds that take turns), and the median of the ratios.
#include <numawise/memory.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using clock_type = std::chrono::steady_clock;
volatile char sink;

template <class Work>
double nanoseconds(int times, Work work) {
    const auto begin = clock_type::now();
    for (int k = 0; k < times; ++k) work(k);
    return std::chrono::duration<double, std::nano>(clock_type::now() - begin).count() / times;
}

double median(std::vector<double> of) {
    std::nth_element(of.begin(), of.begin() + of.size() / 2, of.end());
    return of[of.size() / 2];
}

template <class Ours, class Theirs>
void compare(const char *name, int rounds, int times, Ours ours, Theirs theirs) {
    std::vector<double> one, other, ratio;
    ours(0), theirs(0);
    for (int k = 0; k < rounds; ++k) {
        one.push_back(nanoseconds(times, ours));
        other.push_back(nanoseconds(times, theirs));
        ratio.push_back(one.back() / other.back());
    }
    std::printf("%-34s %12.1f %12.1f %8.3f\n", name, median(one), median(other), median(ratio));
}

void *by_hand(std::size_t bytes, unsigned node) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned long mask[16] = {1ul << node};
    if (memory == MAP_FAILED || syscall(SYS_mbind, memory, bytes, 2, mask, sizeof mask * 8 + 1, 0) != 0) std::abort();
    return memory;
}

void touch(void *memory, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 4096) static_cast<volatile char *>(memory)[at] = 1;
}

}  // namespace

int main() {
    const auto where = numawise::on_node(0);
    numawise::allocator<char> from(where);
    std::printf("%-34s %12s %12s %8s\n", "", "ours, ns", "theirs, ns", "ratio");
    for (std::size_t bytes : {16, 64, 200, 1024, 4096, 16384}) {
        char name[64];
        std::snprintf(name, sizeof name, "%zu bytes, malloc", bytes);
        // 32 blocks live at a time, as the nodes of a container do.
        char *ours[32] = {}, *theirs[32] = {};
        compare(
            name, 200, 20000,
            [&](int k) {
                char *&at = ours[k & 31];
                if (at != nullptr) from.deallocate(at, bytes);
                at = from.allocate(bytes);
                *at = 1;
            },
            [&](int k) {
                char *&at = theirs[k & 31];
                if (at != nullptr) std::free(at);
                at = static_cast<char *>(std::malloc(bytes));
                *at = 1;
            });
    }
    for (std::size_t bytes : {std::size_t{4} << 10, std::size_t{256} << 10, std::size_t{16} << 20, std::size_t{256} << 20, std::size_t{1} << 30}) {
        char name[64];
        std::snprintf(name, sizeof name, "%zu KiB touched, mmap + mbind", bytes >> 10);
        const int times = bytes > (1 << 20) ? 1 : 200;
        compare(
            name, bytes > (16 << 20) ? 7 : 31, times,
            [&](int) {
                char *memory = from.allocate(bytes);
                touch(memory, bytes);
                from.deallocate(memory, bytes);
            },
            [&](int) {
                void *memory = by_hand(bytes, 0);
                touch(memory, bytes);
                munmap(memory, bytes);
            });
    }
    {
        const std::size_t bytes = std::size_t{1} << 30, page = 4096;
        void *memory = by_hand(bytes, 0);
        touch(memory, bytes);
        std::vector<void *> addresses(bytes / page);
        std::vector<int> nodes(addresses.size());
        compare(
            "pages() of 1 GiB, move_pages", 11, 1, [&](int) { sink = static_cast<char>(numawise::pages_of_bytes(memory, bytes).on(0)); },
            [&](int) {
                for (std::size_t k = 0; k < addresses.size(); ++k) addresses[k] = static_cast<char *>(memory) + k * page;
                if (syscall(SYS_move_pages, 0, addresses.size(), addresses.data(), nullptr, nodes.data(), 0) != 0) std::abort();
                sink = static_cast<char>(std::count(nodes.begin(), nodes.end(), 0));
            });
        munmap(memory, bytes);
    }
    {
        const std::size_t count = std::size_t{1} << 26;
        compare(
            "first_touch_vector, by hand", 11, 1, [&](int) { sink = static_cast<char>(numawise::first_touch_vector<float>(count)[7]); },
            [&](int) {
                const std::size_t bytes = count * sizeof(float);
                auto *memory = static_cast<float *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
#pragma omp parallel for schedule(static)
                for (std::size_t k = 0; k < count; ++k) memory[k] = 0;
                sink = static_cast<char>(memory[7]);
                munmap(memory, bytes);
            });
    }
    numawise_machine *machine = nullptr;
    std::vector<double> opened;
    for (int k = 0; k < 101; ++k) {
        opened.push_back(nanoseconds(1, [&](int) {
            if (numawise_open(&machine) != NUMAWISE_OK) std::abort();
        }));
        numawise_close(machine);
    }
    std::printf("%-34s %12.1f\n", "the machine is opened", median(opened));
}
