#include "affinity.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

namespace pi {
namespace {

constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;
// A kernel can have at most 8192 CPUs today; the loop ends at 64 times as many.
constexpr std::size_t kFirstWords = 1024 / kWordBits, kMostWords = 524288 / kWordBits;

}  // namespace

std::vector<int> own_cpus() {
    for (std::size_t words = kFirstWords; words <= kMostWords; words *= 2) {
        std::vector<unsigned long> mask(words);
        if (sched_getaffinity(0, words * sizeof(unsigned long), reinterpret_cast<cpu_set_t*>(mask.data())) == 0) {
            std::vector<int> cpus;
            for (std::size_t cpu = 0; cpu < words * kWordBits; ++cpu) {
                if (mask[cpu / kWordBits] >> cpu % kWordBits & 1) cpus.push_back(static_cast<int>(cpu));
            }
            return cpus;
        }
        // The kernel's mask is longer than ours.
        if (errno != EINVAL) break;
    }
    throw std::system_error(errno, std::generic_category(), "cannot ask on which CPUs the process may run");
}

bool set_own_cpus(const std::vector<int>& cpus) {
    if (cpus.empty()) return false;
    const std::size_t last = static_cast<std::size_t>(*std::max_element(cpus.begin(), cpus.end()));
    std::vector<unsigned long> mask(last / kWordBits + 1);
    for (int cpu : cpus) mask[static_cast<std::size_t>(cpu) / kWordBits] |= 1ul << static_cast<std::size_t>(cpu) % kWordBits;
    return sched_setaffinity(0, mask.size() * sizeof(unsigned long), reinterpret_cast<cpu_set_t*>(mask.data())) == 0;
}

std::vector<int> by_step(const std::vector<int>& cpus, int step) {
    std::vector<int> order;
    const std::size_t stride = static_cast<std::size_t>(step);
    for (std::size_t first = 0; first < std::min(stride, cpus.size()); ++first) {
        for (std::size_t at = first; at < cpus.size(); at += stride) order.push_back(cpus[at]);
    }
    return order;
}

}  // namespace pi
