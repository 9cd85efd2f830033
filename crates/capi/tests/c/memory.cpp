// Containers on nodes, as one of a user's programs has them. Prints what is wrong; its status is how much.
#include "check.hpp"

#include <numawise/memory.hpp>

#include <atomic>
#include <cstdio>
#include <list>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

unsigned first_node() {
    std::vector<unsigned> nodes(1024);
    std::size_t count = nodes.size();
    CHECK(numawise_nodes(numawise::detail::machine(), nodes.data(), &count) == NUMAWISE_OK);
    return nodes[0];
}

void containers(unsigned node) {
    std::vector<double, numawise::allocator<double>> a(1 << 20, 1.5, numawise::on_node(node));
    const auto where = numawise::pages(a.data(), a.size());
    CHECK(where.on(node) + where.absent >= a.size() * sizeof(double) && where.nodes.size() == 1);
    a.resize(3 << 20);
    CHECK(a[(1 << 20) - 1] == 1.5 && a.get_allocator().where() == numawise::on_node(node));
    auto b = a;
    CHECK(b == a && b.get_allocator() == a.get_allocator());
    std::vector<double, numawise::allocator<double>> c(numawise::interleaved());
    CHECK(c.get_allocator() != a.get_allocator());
    c = std::move(b);
    CHECK(c.size() == a.size() && c.get_allocator() == a.get_allocator());
    std::list<int, numawise::allocator<int>> list(numawise::on_node(node));
    std::map<int, std::string, std::less<int>, numawise::allocator<std::pair<const int, std::string>>> map{
        numawise::allocator<std::pair<const int, std::string>>{numawise::interleaved()}};
    for (int k = 0; k < 20000; ++k) {
        list.push_back(k);
        map[k] = std::to_string(k);
    }
    CHECK(list.size() == 20000 && map[777] == "777");
    std::pmr::vector<int> d(&numawise::resource_on_node(node));
    for (int k = 0; k < 100000; ++k) d.push_back(k);
    CHECK(d[99999] == 99999 && &numawise::resource_on_node(node) == &numawise::resource_on_node(node));
    struct alignas(64) line {
        double of[8];
    };
    std::vector<line, numawise::allocator<line>> lines(1000, numawise::on_node(node));
    for (int k = 0; k < 3; ++k) {
        lines.resize(lines.size() * 3);
        CHECK(reinterpret_cast<std::uintptr_t>(lines.data()) % 64 == 0);
        lines.back().of[7] = 1;
    }
    void *aligned = numawise::resource_on_node(node).allocate(100, 4096);
    CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 4096 == 0);
    numawise::resource_on_node(node).deallocate(aligned, 100, 4096);
}

void ways_that_are_not_there(unsigned node) {
    try {
        std::vector<int, numawise::allocator<int>> none(10, numawise::on_node(900));
        CHECK(!"no such node");
    } catch (const numawise::error &failed) {
        CHECK(failed.status() == NUMAWISE_NOT_THERE && std::string(failed.what()).find("900") != std::string::npos);
    }
    std::vector<int, numawise::allocator<int>> other(10, numawise::on_node(900).or_else(numawise::on_node(node)));
    CHECK(other.size() == 10);
    std::vector<int, numawise::allocator<int>> fast(1000, numawise::on(numawise::kind::hbm).or_else(numawise::interleaved()));
    CHECK(fast.size() == 1000);
    std::vector<int, numawise::allocator<int>> gpu(1000, numawise::on(numawise::kind::gpu).or_else(numawise::local()));
    CHECK(gpu.size() == 1000);
    numawise::allocator<char> all(numawise::on_node(node));
    try {
        // More than the node has: refused now, instead of a process that is killed when it touches it.
        char *memory = all.allocate(std::size_t{1} << 45);
        all.deallocate(memory, std::size_t{1} << 45);
        CHECK(!"so much memory");
    } catch (const std::bad_alloc &) {
    }
    try {
        numawise::allocator<double>().allocate(SIZE_MAX / 2);
        CHECK(!"so many elements");
    } catch (const std::bad_array_new_length &) {
    }
}

void first_touch() {
    numawise::first_touch_vector<float> u(1 << 20);
    bool is_zero = true;
    for (float x : u) is_zero = is_zero && x == 0;
    CHECK(is_zero && u.size() == 1 << 20 && !u.empty());
    u[5] = 7;
    numawise::first_touch_vector<float> v = std::move(u);
    CHECK(v[5] == 7 && u.empty() && u.data() == nullptr);
    CHECK(numawise::first_touch_vector<int>(0).begin() == nullptr);
#ifdef _OPENMP
    numawise::first_touch_vector<double> w(1 << 20);
    CHECK(numawise::pages(w.data(), w.size()).absent == 0);
#endif
}

// Blocks of all sizes, each with what its owner wrote, freed by other threads than those that took them.
void threads(unsigned node) {
    struct taken {
        unsigned char *memory;
        std::size_t bytes;
        unsigned char mark;
    };
    constexpr int count = 4, turns = 3000;
    std::mutex mutex;
    std::vector<taken> left;
    const auto work = [&](int number) {
        numawise::allocator<unsigned char> from(numawise::on_node(node));
        std::mt19937 random(static_cast<unsigned>(number));
        for (int turn = 0; turn < turns; ++turn) {
            const std::size_t bytes = std::size_t{1} << random() % (turn % 100 == 0 ? 23 : 14) | random() % 100;
            const auto mark = static_cast<unsigned char>(random());
            unsigned char *memory = from.allocate(bytes);
            std::memset(memory, mark, bytes);
            taken other{nullptr, 0, 0};
            {
                std::lock_guard<std::mutex> locked(mutex);
                left.push_back({memory, bytes, mark});
                if (left.size() > 64) {
                    std::swap(left[random() % left.size()], left.back());
                    other = left.back();
                    left.pop_back();
                }
            }
            if (other.memory == nullptr) continue;
            bool is_same = true;
            for (std::size_t k = 0; k < other.bytes; k += 1 + other.bytes / 50) is_same = is_same && other.memory[k] == other.mark;
            CHECK(is_same && other.memory[other.bytes - 1] == other.mark);
            from.deallocate(other.memory, other.bytes);
        }
    };
    std::vector<std::thread> all;
    for (int k = 0; k < count; ++k) all.emplace_back(work, k);
    for (std::thread &one : all) one.join();
    numawise::allocator<unsigned char> from(numawise::on_node(node));
    for (const taken &of : left) from.deallocate(of.memory, of.bytes);
}

// Frees when the thread's own lists are gone.
struct last_of_thread {
    int *memory = nullptr;
    ~last_of_thread() { numawise::allocator<int>().deallocate(memory, 100); }
};
void ends_of_threads() {
    std::thread([] {
        static thread_local last_of_thread late;
        late.memory = numawise::allocator<int>().allocate(100);
        *late.memory = 1;
    }).join();
}

}  // namespace

int main() {
    const unsigned node = first_node();
    containers(node);
    ways_that_are_not_there(node);
    first_touch();
    threads(node);
    ends_of_threads();
    return wrong;
}
