// Memory and threads on a machine with several nodes: what was asked for against what the kernel says. Prints what is wrong; its status is how much.
#include "check.hpp"

#include <numawise/memory.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string>
#include <vector>

namespace {

constexpr std::size_t bytes = std::size_t{8} << 20;

const numawise_machine *machine() { return numawise::detail::machine(); }

std::vector<unsigned> nodes_of(int kind) {
    std::vector<unsigned> nodes(64);
    std::size_t count = nodes.size();
    CHECK_OF(numawise_nodes_of_kind(machine(), kind, nodes.data(), &count) == NUMAWISE_OK, count);
    nodes.resize(count);
    return nodes;
}

// Also those of which the kind is not known.
std::vector<unsigned> nodes_with_memory() {
    std::vector<unsigned> nodes(64), found;
    std::size_t count = nodes.size();
    CHECK_OF(numawise_nodes(machine(), nodes.data(), &count) == NUMAWISE_OK, count);
    for (std::size_t k = 0; k < count; ++k) {
        int allowed = 0;
        CHECK_OF(numawise_node_is_allowed(machine(), nodes[k], &allowed) == NUMAWISE_OK, nodes[k]);
        if (allowed) found.push_back(nodes[k]);
    }
    return found;
}

// As the kernel's own account of the mapping says, which is none of ours: pages on a node.
unsigned long long pages_in_numa_maps(const void *start, unsigned node) {
    std::ifstream maps("/proc/self/numa_maps");
    char wanted[32];
    std::snprintf(wanted, sizeof wanted, "%zx ", reinterpret_cast<std::size_t>(start));
    for (std::string line; std::getline(maps, line);) {
        if (line.rfind(wanted, 0) != 0 && line.rfind(std::string("00") + wanted, 0) != 0) continue;
        const auto at = line.find(" N" + std::to_string(node) + "=");
        return at == std::string::npos ? 0 : std::stoull(line.substr(line.find('=', at) + 1));
    }
    return 0;
}

void each_node(const std::vector<unsigned> &nodes) {
    for (unsigned node : nodes) {
        void *memory = nullptr;
        const std::string policy = "bind:" + std::to_string(node);
        CHECK_OF(numawise_alloc(machine(), bytes, policy.c_str(), &memory) == NUMAWISE_OK, node);
        std::memset(memory, 1, bytes);
        const auto found = numawise::pages_of_bytes(memory, bytes);
        CHECK_OF(found.on(node) == bytes && found.nodes.size() == 1 && found.absent == 0, found.on(node));
        CHECK_OF(pages_in_numa_maps(memory, node) * 4096 == bytes, pages_in_numa_maps(memory, node));
        // All of it to another node.
        const unsigned other = nodes[node == nodes[0] ? nodes.size() - 1 : 0];
        const std::string there = "bind:" + std::to_string(other);
        CHECK_OF(numawise_set_policy(machine(), memory, bytes, there.c_str(), 1) == NUMAWISE_OK, other);
        const auto moved = numawise::pages_of_bytes(memory, bytes);
        CHECK_OF(moved.on(other) == bytes, moved.on(other));
        numawise_free(memory, bytes);
        std::vector<char, numawise::allocator<char>> array(bytes, 1, numawise::on_node(node));
        CHECK_OF(numawise::pages(array.data(), array.size()).on(node) >= bytes, node);
    }
}

void interleaved(const std::vector<unsigned> &ordinary) {
    numawise::allocator<char> from(numawise::interleaved());
    char *memory = from.allocate(std::size_t{64} << 20);
    std::memset(memory, 1, bytes);
    const auto found = numawise::pages(memory, bytes);
    CHECK_OF(found.absent == 0, found.absent);
    for (unsigned node : ordinary) {
        if (ordinary.size() < 2) break;
        const auto share = static_cast<double>(found.on(node)) * ordinary.size() / bytes;
        CHECK_OF(share > 0.99 && share < 1.01, found.on(node));
    }
    from.deallocate(memory, std::size_t{64} << 20);
}

void threads() {
    numawise_request request;
    numawise_request_init(&request);
    request.strategy = "distributed";
    numawise_placement *placement = nullptr;
    CHECK_OF(numawise_plan(machine(), &request, &placement) == NUMAWISE_OK, 0);
    unsigned count = 0;
    CHECK_OF(numawise_placement_threads(placement, 0, &count) == NUMAWISE_OK && count > 1, count);
    cpu_set_t before, now;
    sched_getaffinity(0, sizeof before, &before);
    for (unsigned thread = 0; thread < 2 * count; ++thread) {
        unsigned char mask[sizeof now] = {};
        std::size_t length = sizeof mask;
        CHECK_OF(numawise_pin(placement, 0, thread, 0) == NUMAWISE_OK, thread);
        CHECK_OF(numawise_placement_cpus(placement, 0, thread, mask, &length) == NUMAWISE_OK, thread);
        sched_getaffinity(0, sizeof now, &now);
        CHECK_OF(std::memcmp(&now, mask, sizeof now) == 0 && CPU_COUNT(&now) == 1, thread);
    }
    sched_setaffinity(0, sizeof before, &before);
    numawise_placement_free(placement);
}

// Fast memory until it is full, and then what is to be taken instead.
void fast_memory(const std::vector<unsigned> &fast, const std::vector<unsigned> &ordinary) {
    constexpr std::size_t part = std::size_t{64} << 20;
    numawise::allocator<char> only(numawise::on(numawise::kind::hbm));
    numawise::allocator<char> from(numawise::on(numawise::kind::hbm).or_else(numawise::interleaved()));
    const auto on_fast = [&](const char *memory) {
        std::uint64_t sum = 0;
        for (unsigned node : fast) sum += numawise::pages(memory, part).on(node);
        return sum;
    };
    unsigned filled = 0;
    for (;; ++filled) {
        char *memory = from.allocate(part);
        std::memset(memory, 1, part);
        const std::uint64_t sum = on_fast(memory);
        if (sum == part) continue;
        CHECK_OF(sum == 0, sum);
        CHECK_OF(numawise::pages(memory, part).on(ordinary[0]) > 0, 0);
        break;
    }
    CHECK_OF(filled > 0, filled);
    try {
        only.allocate(part);
        CHECK_OF(!"there is no room", filled);
    } catch (const std::bad_alloc &) {
    }
    std::printf("%u parts of 64 MiB in fast memory\n", filled);
}

}  // namespace

int main() {
    const auto ordinary = nodes_of(NUMAWISE_DRAM), fast = nodes_of(NUMAWISE_HBM);
    const auto all = nodes_with_memory();
    CHECK_OF(all.size() > 1 && all.size() >= ordinary.size() + fast.size(), all.size());
    each_node(all);
    interleaved(ordinary);
    threads();
    if (!fast.empty()) fast_memory(fast, ordinary);
    std::printf("nodes: %zu of ordinary memory, %zu of fast memory, %d wrong\n", ordinary.size(), fast.size(), wrong.load());
    return wrong;
}
