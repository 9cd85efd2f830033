// Memory on nodes for C++17: an allocator, resources of <memory_resource>, vectors that are touched first where they are used, and where pages lie.
//
//     #include <numawise/memory.hpp>                        c++ -std=c++17 ... -lnumawise
//
//     std::vector<double, numawise::allocator<double>> a(n, numawise::on(numawise::kind::hbm).or_else(numawise::interleaved()));
//     std::pmr::vector<int> b(&numawise::resource_on_node(1));
//     numawise::first_touch_vector<float> u(n);
//     auto where = numawise::pages(u.data(), u.size());
//
// What fails throws: std::bad_alloc where there is no memory, numawise::error else. All of it may be used from several threads, as the
// allocators of the standard library are.
#ifndef NUMAWISE_MEMORY_HPP
#define NUMAWISE_MEMORY_HPP

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "error.hpp"
#include "numawise.h"

namespace numawise {

enum class kind { dram = NUMAWISE_DRAM, hbm = NUMAWISE_HBM, cxl = NUMAWISE_CXL, gpu = NUMAWISE_GPU };

namespace detail {

inline std::string list(std::initializer_list<unsigned> nodes) {
    std::string text;
    for (unsigned node : nodes) text += (text.empty() ? "" : ",") + std::to_string(node);
    return text;
}

}  // namespace detail

// Where memory is to come from; with or_else also where from when that has no room.
class policy {
public:
    // As `numawise run --memory` takes it: "hbm", "bind:0,1", "interleave", ...
    explicit policy(std::string text) : ways_{std::move(text)} {}

    policy or_else(const policy &other) const {
        policy both = *this;
        both.ways_.insert(both.ways_.end(), other.ways_.begin(), other.ways_.end());
        return both;
    }
    // In their order.
    const std::vector<std::string> &ways() const noexcept { return ways_; }
    friend bool operator==(const policy &one, const policy &other) { return one.ways_ == other.ways_; }
    friend bool operator!=(const policy &one, const policy &other) { return !(one == other); }
    friend bool operator<(const policy &one, const policy &other) { return one.ways_ < other.ways_; }

private:
    std::vector<std::string> ways_;
};

// On this node and no other.
inline policy on_node(unsigned node) { return policy("bind:" + std::to_string(node)); }
// On the nodes of a kind; of high-bandwidth memory those that are nearest to the CPUs that this process may use.
inline policy on(kind of) {
    switch (of) {
    case kind::hbm: return policy("hbm");
    case kind::cxl: return policy("kind:cxl");
    case kind::gpu: return policy("kind:gpu");
    default: return policy("kind:dram");
    }
}
// Page by page on all nodes of ordinary memory, or on these.
inline policy interleaved() { return policy("interleave"); }
inline policy interleaved(std::initializer_list<unsigned> nodes) { return policy("interleave:" + detail::list(nodes)); }
// The same, by their bandwidth.
inline policy weighted() { return policy("weighted"); }
// Where the thread runs that touches it first.
inline policy local() { return policy("local"); }

namespace detail {

// New memory under the first way of a policy that has room; the caller gives it back with the same length.
inline void *map(const policy &asked, std::size_t bytes) {
    const auto &ways = asked.ways();
    int status = NUMAWISE_OK;
    for (std::size_t way = 0; way < ways.size(); ++way) {
        std::uint64_t room = 0;
        status = numawise_room(machine(), ways[way].c_str(), &room);
        if (status == NUMAWISE_OK && room < bytes) status = NUMAWISE_NO_MEMORY;
        void *memory = nullptr;
        if (status == NUMAWISE_OK) status = numawise_alloc(machine(), bytes, ways[way].c_str(), &memory);
        if (status == NUMAWISE_OK) return memory;
    }
    check(status);
    throw std::bad_alloc();
}

// Blocks of one policy. Small ones are parts of chunks, and all but the largest are kept for the next who wants as many bytes: each thread has
// some, the others are behind a lock. It stays until the process ends.
class pool {
public:
    explicit pool(policy of) : policy_(std::move(of)) {
        for (const std::string &way : policy_.ways()) is_local_ = is_local_ || way == "local";
    }
    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;

    void *allocate(std::size_t bytes) {
        if (bytes > largest) return map(policy_, bytes);
        const unsigned size = size_class(bytes);
        lists *own = lists_of_thread();
        if (own != nullptr)
            if (block *taken = own->of_size[size].first) return own->take(size, taken);
        return from_all(size, own);
    }

    void deallocate(void *memory, std::size_t bytes) noexcept {
        if (bytes > largest) {
            numawise_free(memory, bytes);
            return;
        }
        const unsigned size = size_class(bytes);
        lists *own = lists_of_thread();
        if (own == nullptr) {
            free_last(size, memory);
            return;
        }
        own->add(size, memory);
        if (own->of_size[size].room < 0) to_all(size, *own, (most_of_thread(size) + 1) / 2 + 1);
    }

    // Blocks are aligned to 16 bytes; larger alignments take that much more, and have the place of the block in front of them.
    void *allocate(std::size_t bytes, std::size_t alignment) {
        if (alignment <= step) return allocate(bytes);
        if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
        void *taken = allocate(with(bytes, alignment));
        const auto place = (reinterpret_cast<std::uintptr_t>(taken) + sizeof taken + alignment - 1) / alignment * alignment;
        std::memcpy(reinterpret_cast<void *>(place - sizeof taken), &taken, sizeof taken);
        return reinterpret_cast<void *>(place);
    }
    void deallocate(void *memory, std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment <= step) return deallocate(memory, bytes);
        void *taken = nullptr;
        std::memcpy(&taken, static_cast<char *>(memory) - sizeof taken, sizeof taken);
        deallocate(taken, with(bytes, alignment));
    }

    const policy &of() const noexcept { return policy_; }

private:
    static std::size_t with(std::size_t bytes, std::size_t alignment) { return bytes + alignment + sizeof(void *); }
    struct block {
        block *next;
    };
    // 16, 32, ..., 1024, and from there on four sizes for each power of two.
    static constexpr unsigned linear = 65, steps = 4;
    static constexpr std::size_t step = 16, largest = std::size_t{32} << 20, chunk = std::size_t{2} << 20;
    static constexpr unsigned sizes = linear + steps * 15;
    // Larger ones are mapped one by one, and go back to the system where more than so many bytes of them are free.
    static constexpr std::size_t part_of_chunk = chunk / 4, most_kept = std::size_t{128} << 20;
    // A thread keeps so many bytes of a size.
    static constexpr std::size_t kept_by_thread = std::size_t{256} << 10;

    static unsigned log2(std::size_t bytes) {
        return static_cast<unsigned>(sizeof(unsigned long) * CHAR_BIT - 1) - static_cast<unsigned>(__builtin_clzl(bytes));
    }
    static unsigned size_class(std::size_t bytes) {
        if (bytes <= (linear - 1) * step) return static_cast<unsigned>((bytes + step - 1) / step);
        const unsigned power = log2(bytes - 1);
        return linear + (power - 10) * steps + static_cast<unsigned>((bytes - 1) >> (power - 2) & 3);
    }
    static std::size_t size_of(unsigned size) {
        if (size < linear) return size == 0 ? step : size * step;
        const unsigned power = (size - linear) / steps + 10;
        return (std::size_t{1} << power) + ((size - linear) % steps + 1) * (std::size_t{1} << (power - 2));
    }
    static int most_of_thread(unsigned size) {
        return static_cast<int>(kept_by_thread / size_of(size));
    }

    struct lists {
        explicit lists(pool *owner) : of(owner) {
            for (unsigned size = 0; size < sizes; ++size) of_size[size].room = most_of_thread(size);
        }
        lists(const lists &) = delete;
        lists &operator=(const lists &) = delete;
        ~lists() {
            for (unsigned size = 0; size < sizes; ++size) of->to_all(size, *this, INT_MAX);
        }
        void add(unsigned size, void *memory) noexcept {
            of_size[size].first = new (memory) block{of_size[size].first};
            --of_size[size].room;
        }
        block *take(unsigned size, block *taken) noexcept {
            of_size[size].first = taken->next;
            ++of_size[size].room;
            return taken;
        }
        pool *of;
        struct of_one_size {
            block *first = nullptr;
            int room = 0;
        };
        std::array<of_one_size, sizes> of_size{};
    };

    [[gnu::noinline]] void free_last(unsigned size, void *memory) noexcept {
        lists only(this);
        only.add(size, memory);
    }

    struct all_lists {
        std::map<pool *, std::unique_ptr<lists>> of_pool;
        ~all_lists() {
            last_used = nullptr;
            is_over = true;
        }
    };
    // The lists that the thread used last, nearly always the only ones.
    static inline thread_local lists *last_used = nullptr;
    // The thread ends, and what it had for itself is gone, but for what it frees last.
    static inline thread_local bool is_over = false;

    lists *lists_of_thread() {
        lists *const used = last_used;
        return __builtin_expect(used != nullptr && used->of == this, 1) ? used : other_lists_of_thread();
    }
    [[gnu::noinline]] lists *other_lists_of_thread() {
        if (is_over) return nullptr;
        static thread_local all_lists all;
        auto &found = all.of_pool[this];
        if (!found) found = std::make_unique<lists>(this);
        return last_used = found.get();
    }

    [[gnu::noinline]] void *from_all(unsigned size, lists *own) {
        const std::size_t bytes = size_of(size);
        std::lock_guard<std::mutex> locked(mutex_);
        if (block *taken = first_[size]) {
            first_[size] = taken->next;
            if (bytes > part_of_chunk) kept_ -= bytes;
            // Some more, so that the next do not wait for the lock.
            for (int k = most_of_thread(size) / 4; own != nullptr && k > 0 && first_[size] != nullptr; --k) {
                block *more = first_[size];
                first_[size] = more->next;
                own->add(size, more);
            }
            return taken;
        }
        if (bytes > part_of_chunk) return map(policy_, bytes);
        if (static_cast<std::size_t>(end_ - begin_) < bytes) {
            begin_ = static_cast<char *>(map(policy_, chunk));
            end_ = begin_ + chunk;
        }
        void *taken = begin_;
        begin_ += bytes;
        return taken;
    }

    // So many blocks of the thread's, if it has them.
    [[gnu::noinline]] void to_all(unsigned size, lists &own, int blocks) noexcept {
        std::lock_guard<std::mutex> locked(mutex_);
        for (block *given; blocks > 0 && (given = own.of_size[size].first) != nullptr; --blocks) {
            own.take(size, given);
            const std::size_t bytes = size_of(size);
            if (bytes > part_of_chunk) {
                // Pages of a block that is kept lie where they were touched, and the next who touches them may be elsewhere.
                if (is_local_ || kept_ + bytes > most_kept) {
                    numawise_free(given, bytes);
                    continue;
                }
                kept_ += bytes;
            }
            first_[size] = new (given) block{first_[size]};
        }
    }

    policy policy_;
    std::mutex mutex_;
    std::array<block *, sizes> first_{};
    char *begin_ = nullptr, *end_ = nullptr;
    std::size_t kept_ = 0;
    bool is_local_ = false;
};

// The one of its sort that there is for a policy, until the process ends.
template <class T>
T &of_policy(const policy &asked) {
    static std::mutex mutex;
    static auto *const all = new std::map<policy, std::unique_ptr<T>>;
    std::lock_guard<std::mutex> locked(mutex);
    auto &found = (*all)[asked];
    if (!found) found = std::make_unique<T>(asked);
    return *found;
}

}  // namespace detail

// For containers. Two are the same where their policies are.
template <class T>
class allocator {
public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    using is_always_equal = std::false_type;

    allocator() : allocator(local()) {}
    allocator(const policy &asked) : pool_(&detail::of_policy<detail::pool>(asked)) {}
    template <class U>
    allocator(const allocator<U> &other) noexcept : pool_(other.pool_) {}

    T *allocate(std::size_t count) {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T *>(pool_->allocate(count * sizeof(T), alignof(T)));
    }
    void deallocate(T *memory, std::size_t count) noexcept { pool_->deallocate(memory, count * sizeof(T), alignof(T)); }
    const policy &where() const noexcept { return pool_->of(); }

    template <class U>
    friend bool operator==(const allocator &one, const allocator<U> &other) noexcept {
        return one.pool_ == other.pool_;
    }
    template <class U>
    friend bool operator!=(const allocator &one, const allocator<U> &other) noexcept {
        return !(one == other);
    }

private:
    template <class U>
    friend class allocator;
    detail::pool *pool_;
};

// For std::pmr.
class resource final : public std::pmr::memory_resource {
public:
    explicit resource(const policy &asked) : pool_(&detail::of_policy<detail::pool>(asked)) {}

private:
    void *do_allocate(std::size_t bytes, std::size_t alignment) override { return pool_->allocate(bytes, alignment); }
    void do_deallocate(void *memory, std::size_t bytes, std::size_t alignment) override {
        pool_->deallocate(memory, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override {
        const auto *of = dynamic_cast<const resource *>(&other);
        return of != nullptr && of->pool_ == pool_;
    }
    detail::pool *pool_;
};

// That of a policy, there until the process ends.
inline resource &resource_of(const policy &asked) { return detail::of_policy<resource>(asked); }
inline resource &resource_on_node(unsigned node) { return resource_of(on_node(node)); }

// Elements that are all zero at first, of which each page lies where the thread runs that gets it in a parallel loop with a static schedule. With
// OpenMP it is touched by such a loop now, else by whoever uses it first.
template <class T>
class first_touch_vector {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>, "elements are bytes that are zero at first");

public:
    using value_type = T;
    using iterator = T *;
    using const_iterator = const T *;

    first_touch_vector() noexcept = default;
    explicit first_touch_vector(std::size_t count) : size_(count) {
        if (count == 0) return;
        if (count > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) throw std::bad_array_new_length();
        data_ = static_cast<T *>(detail::map(local(), count * sizeof(T)));
#ifdef _OPENMP
        T *const data = data_;
        const auto last = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for schedule(static)
        for (std::ptrdiff_t k = 0; k < last; ++k) std::memset(static_cast<void *>(data + k), 0, sizeof(T));
#endif
    }
    first_touch_vector(first_touch_vector &&other) noexcept { swap(other); }
    first_touch_vector &operator=(first_touch_vector &&other) noexcept {
        first_touch_vector(std::move(other)).swap(*this);
        return *this;
    }
    ~first_touch_vector() {
        if (data_ != nullptr) numawise_free(data_, size_ * sizeof(T));
    }
    void swap(first_touch_vector &other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    T *data() noexcept { return data_; }
    const T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T &operator[](std::size_t at) noexcept { return data_[at]; }
    const T &operator[](std::size_t at) const noexcept { return data_[at]; }
    iterator begin() noexcept { return data_; }
    iterator end() noexcept { return data_ + size_; }
    const_iterator begin() const noexcept { return data_; }
    const_iterator end() const noexcept { return data_ + size_; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

// Where the pages of a range lie.
struct residence {
    std::vector<numawise_node_bytes> nodes;
    // Of pages that nobody has touched.
    std::uint64_t absent = 0;

    std::uint64_t on(unsigned node) const noexcept {
        for (const numawise_node_bytes &of : nodes)
            if (of.node == node) return of.bytes;
        return 0;
    }
};

inline residence pages_of_bytes(const void *start, std::size_t bytes) {
    residence found;
    std::size_t count = 64;
    int status = NUMAWISE_TOO_SMALL;
    while (status == NUMAWISE_TOO_SMALL) {
        found.nodes.resize(count);
        status = numawise_pages(start, bytes, found.nodes.data(), &count, &found.absent);
    }
    detail::check(status);
    found.nodes.resize(count);
    return found;
}
template <class T>
residence pages(const T *start, std::size_t count) {
    return pages_of_bytes(start, count * sizeof(T));
}

}  // namespace numawise

#endif
