// algorithms [NAME...]: one array for each algorithm, used alone, for parts of the time that differ; with names only those. They were written when
// the decoder was finished, to try it on what it was not made for.
//
//     hashed    lookups in a table with open addressing: a loop of unknown length for each
//     sorted    std::lower_bound
//     bits      tests of single bits at random
//     tree      descents of a binary tree of which the nodes are records in one block
//     counts    atomic additions at random, by two threads
//     floats    std::inner_product of one array with itself, in order
//     points    the nearest of records with three coordinates, in order
//     shapes    virtual calls on objects in one block, in an order at random
//     text      memchr over a long text, in the C library
//     queue     a priority queue: sifts down
//     moved     records exchanged at random, 64 bytes at a time
//     stencil   a grid of floats read in seven places, summed
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "account.h"

namespace {

constexpr std::size_t bytes = std::size_t{1} << 26;

struct Random {
    std::uint64_t state;
    std::uint64_t next() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return state >> 24;
    }
};

struct Node {
    std::uint64_t key;
    std::uint32_t left, right;
    double value;
};

struct Point {
    double x, y, z;
    std::uint32_t number;
};

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square final : Shape {
    double side = 2;
    double padding[6] = {};
    double area() const override { return side * side; }
};
struct Circle final : Shape {
    double padding[5] = {};
    double radius = 1;
    double area() const override { return 3.14159 * radius * radius; }
};
static_assert(sizeof(Square) == 64 && sizeof(Circle) <= 64);

struct Record {
    std::uint64_t words[8];
};

constexpr std::size_t words = bytes / sizeof(std::uint64_t), nodes = bytes / sizeof(Node), points = bytes / sizeof(Point),
                      floats = bytes / sizeof(float), shapes_count = bytes / sizeof(Square), records = bytes / sizeof(Record);
constexpr std::size_t side = 256;
static_assert(side * side * side * sizeof(float) == bytes);

std::uint64_t hash(std::uint64_t key) { return (key * 0x9e3779b97f4a7c15u) >> 17; }

/* A number in which all bits depend on those of the given one, in few instructions. */
std::uint64_t mixed(std::uint64_t of) {
    const std::uint64_t product = of * 0x9e3779b97f4a7c15u;
    return product ^ product >> 29;
}

/* What fills arrays is optimised in each build: else it would wait for its own variables, and not for the arrays. */
[[gnu::noinline, gnu::optimize("O2")]] void fill_table(std::uint64_t *table) {
    for (std::uint64_t k = 0; k < words / 2; ++k)
        table[((2 * k + 1) * 0x9e3779b97f4a7c15u >> 17) & (words - 1)] = 2 * k + 1;
}
[[gnu::noinline, gnu::optimize("O2")]] void fill_sorted(std::uint64_t *sorted) {
    for (std::uint64_t k = 0; k < words; ++k)
        sorted[k] = 16 * k;
}
[[gnu::noinline, gnu::optimize("O2")]] void fill_bits(std::uint64_t *bits) {
    for (std::uint64_t k = 0; k < words; ++k)
        bits[k] = (k * 0x9e3779b97f4a7c15u) ^ (k * 0x9e3779b97f4a7c15u) >> 29;
}

[[gnu::noinline]] std::uint64_t look_up(const std::uint64_t *table, Random &random) {
    std::uint64_t found = 0;
    for (int k = 0; k < 5000; ++k) {
        const std::uint64_t key = random.next() | 1;
        std::size_t at = hash(key) & (words - 1);
        while (table[at] != 0 && table[at] != key)
            at = (at + 1) & (words - 1);
        found += table[at] == key;
    }
    return found;
}

[[gnu::noinline]] std::uint64_t search(const std::uint64_t *sorted, Random &random) {
    std::uint64_t sum = 0;
    for (int k = 0; k < 2000; ++k)
        sum += static_cast<std::uint64_t>(std::lower_bound(sorted, sorted + words, random.next() & (words * 16 - 1)) - sorted);
    return sum;
}

[[gnu::noinline]] std::uint64_t test_bits(const std::uint64_t *bits, Random &random) {
    std::uint64_t set = 0;
    for (int k = 0; k < 20000; ++k) {
        const std::uint64_t bit = random.next() & (words * 64 - 1);
        if (bits[bit / 64] >> (bit & 63) & 1)
            ++set;
    }
    return set;
}

[[gnu::noinline]] double descend(const Node *tree, Random &random) {
    double sum = 0;
    for (int k = 0; k < 2000; ++k) {
        const std::uint64_t key = random.next();
        std::uint32_t at = 1;
        // A way may come to where it was.
        for (int depth = 0; depth < 64 && at != 0 && tree[at].key != key; ++depth) {
            sum += tree[at].value;
            at = key >> (at & 31) & 1 ? tree[at].left : tree[at].right;
        }
    }
    return sum;
}

[[gnu::noinline]] void count(std::atomic<std::uint64_t> *counts, Random &random) {
    for (int k = 0; k < 10000; ++k)
        counts[random.next() & (words - 1)].fetch_add(1, std::memory_order_relaxed);
}

[[gnu::noinline]] double multiply(const float *of) { return std::inner_product(of, of + floats, of, 0.0); }

[[gnu::noinline]] std::uint32_t nearest(const Point *all, Random &random) {
    const double x = static_cast<double>(random.next() & 1023), y = 1023 - x;
    double least = 1e300;
    std::uint32_t best = 0;
    for (std::size_t k = 0; k < points; ++k) {
        const double away = (all[k].x - x) * (all[k].x - x) + (all[k].y - y) * (all[k].y - y) + all[k].z * all[k].z;
        if (away < least) {
            least = away;
            best = all[k].number;
        }
    }
    return best;
}

[[gnu::noinline]] double add_areas(const unsigned char *block, Random &random) {
    double sum = 0;
    for (int k = 0; k < 10000; ++k)
        sum += std::launder(reinterpret_cast<const Shape *>(block + (random.next() & (shapes_count - 1)) * 64))->area();
    return sum;
}

[[gnu::noinline]] std::size_t find_letter(const char *text) {
    return static_cast<std::size_t>(static_cast<const char *>(std::memchr(text, 'z', bytes)) - text);
}

// Puts a number in the place of the root, and lets it sink.
[[gnu::noinline]] void sink_down(std::uint64_t *queue, Random &random) {
    for (int k = 0; k < 2000; ++k) {
        const std::uint64_t key = random.next();
        std::size_t at = 0;
        for (;;) {
            std::size_t child = 2 * at + 1;
            if (child + 1 >= words)
                break;
            child += queue[child + 1] < queue[child];
            if (queue[child] >= key)
                break;
            queue[at] = queue[child];
            at = child;
        }
        queue[at] = key;
    }
}

[[gnu::noinline]] void exchange(Record *of, Random &random) {
    for (int k = 0; k < 10000; ++k)
        std::swap(of[random.next() & (records - 1)], of[random.next() & (records - 1)]);
}

[[gnu::noinline]] float add_neighbours(const float *grid) {
    constexpr std::size_t row = side, plane = side * side;
    float sum = 0;
    for (std::size_t z = 1; z + 1 < side; ++z)
        for (std::size_t y = 1; y + 1 < side; ++y)
            for (std::size_t x = 1; x + 1 < side; ++x) {
                const float *at = grid + z * plane + y * row + x;
                sum += at[0] * 0.5f + at[1] + at[-1] + at[row] + at[-static_cast<std::ptrdiff_t>(row)] + at[plane] +
                       at[-static_cast<std::ptrdiff_t>(plane)];
            }
    return sum;
}

struct Asked {
    int count;
    char **names;
    bool has(const char *name) const {
        return count == 0 || std::any_of(names, names + count, [&](const char *of) { return std::strcmp(of, name) == 0; });
    }
};

/* Fills an object, whose time counts as writes. Its pages are there before: what the kernel takes for them is no time of the program's with
 * its memory. */
template <typename Fill>
void fill(int object, void *memory, Fill &&all) {
    constexpr std::size_t page = 4096;
    for (std::size_t at = 0; at < bytes; at += page)
        static_cast<volatile unsigned char *>(memory)[at] = 0;
    const double begun = account_clock();
    all();
    account_use(object, account_clock() - begun, 0);
}

volatile double kept;
void keep(double value) { kept = kept + value; }

}  // namespace

int main(int argc, char **argv) {
    static const char *const known[] = {"hashed", "sorted", "bits",  "tree",  "counts", "floats",
                                        "points", "shapes", "text", "queue", "moved",  "stencil"};
    for (int k = 1; k < argc; ++k)
        if (std::none_of(std::begin(known), std::end(known), [&](const char *of) { return std::strcmp(of, argv[k]) == 0; })) {
            std::fprintf(stderr, "algorithms: expected some of: hashed sorted bits tree counts floats points shapes text queue moved stencil\n");
            return 2;
        }
    const Asked asked{argc - 1, argv + 1};
    account_begin();
    Random random{7};

    auto *hashed = static_cast<std::uint64_t *>(std::calloc(words, sizeof(std::uint64_t))); const int of_hashed = HERE_OBJECT("hashed", "heap");
    if (asked.has("hashed")) fill(of_hashed, hashed, [&] { fill_table(hashed); });
    auto *sorted = new std::uint64_t[words]; const int of_sorted = HERE_OBJECT("sorted", "heap");
    if (asked.has("sorted")) fill(of_sorted, sorted, [&] { fill_sorted(sorted); });
    std::unique_ptr<std::uint64_t[]> bits(::new std::uint64_t[words]); const int of_bits = HERE_OBJECT("bits", "heap");
    if (asked.has("bits")) fill(of_bits, bits.get(), [&] { fill_bits(bits.get()); });
    std::vector<Node> tree(nodes); const int of_tree = HERE_OBJECT("tree", "heap");
    if (asked.has("tree")) fill(of_tree, tree.data(), [&] {
        for (std::size_t k = 1; k < nodes; ++k) {
            const std::uint64_t key = mixed(k);
            const std::uint32_t child = static_cast<std::uint32_t>(key % nodes), other = static_cast<std::uint32_t>((key >> 32) % nodes);
            // An eighth of the ways ends.
            tree[k] = {key, child % 8 == 0 ? 0 : child, other % 8 == 0 ? 0 : other, 1.0};
        }
    });
    auto counts = std::make_unique<std::atomic<std::uint64_t>[]>(words); const int of_counts = HERE_OBJECT("counts", "heap");
    auto *factors = new float[floats]; const int of_floats = HERE_OBJECT("factors", "heap");
    if (asked.has("floats")) fill(of_floats, factors, [&] { std::fill(factors, factors + floats, 0.5f); });
    std::vector<Point> cloud(points); const int of_points = HERE_OBJECT("cloud", "heap");
    if (asked.has("points")) fill(of_points, cloud.data(), [&] {
        for (std::size_t k = 0; k < points; ++k)
            cloud[k] = {static_cast<double>(mixed(k) & 1023), static_cast<double>(mixed(k) >> 10 & 1023), 1.0, static_cast<std::uint32_t>(k)};
    });
    auto *shapes = static_cast<unsigned char *>(::operator new(bytes, std::align_val_t{64})); const int of_shapes = HERE_OBJECT("shapes", "heap");
    if (asked.has("shapes")) fill(of_shapes, shapes, [&] {
        for (std::size_t k = 0; k < shapes_count; ++k)
            if (mixed(k) & 1)
                new (shapes + 64 * k) Square;
            else
                new (shapes + 64 * k) Circle;
    });
    std::string text(bytes, 'a'); const int of_text = HERE_OBJECT("text", "heap");
    text.back() = 'z';
    auto *queue = new std::uint64_t[words]; const int of_queue = HERE_OBJECT("queue", "heap");
    if (asked.has("queue")) fill(of_queue, queue, [&] {
        for (std::size_t k = 0; k < words; ++k)
            queue[k] = k << 12;
    });
    std::vector<Record> moved(records); const int of_moved = HERE_OBJECT("moved", "heap");
    auto *grid = static_cast<float *>(std::malloc(bytes)); const int of_grid = HERE_OBJECT("grid", "heap");
    if (asked.has("stencil")) fill(of_grid, grid, [&] { std::fill(grid, grid + floats, 1.0f); });

    const double seconds = account_seconds();
    for (int turn = 0; turn < 4; ++turn) {
        const auto part = [&](double of) { return of * seconds / 4; };
        if (asked.has("hashed")) USE_FOR(of_hashed, part(0.14), 1, keep(static_cast<double>(look_up(hashed, random))));
        if (asked.has("sorted")) USE_FOR(of_sorted, part(0.06), 1, keep(static_cast<double>(search(sorted, random))));
        if (asked.has("bits")) USE_FOR(of_bits, part(0.10), 1, keep(static_cast<double>(test_bits(bits.get(), random))));
        if (asked.has("tree")) USE_FOR(of_tree, part(0.13), 1, keep(descend(tree.data(), random)));
        if (asked.has("counts")) USE_FOR(of_counts, part(0.05), 0.5, count(counts.get(), random));
        if (asked.has("floats")) USE_FOR(of_floats, part(0.07), 1, keep(multiply(factors)));
        if (asked.has("points")) USE_FOR(of_points, part(0.08), 1, keep(nearest(cloud.data(), random)));
        if (asked.has("shapes")) USE_FOR(of_shapes, part(0.11), 1, keep(add_areas(shapes, random)));
        if (asked.has("text")) USE_FOR(of_text, part(0.06), 1, keep(static_cast<double>(find_letter(text.data()))));
        if (asked.has("queue")) USE_FOR(of_queue, part(0.08), 1, sink_down(queue, random));
        // Loads wait for lines, and stores where their buffer is full: a fifth of the time at most, on some processors none.
        if (asked.has("moved")) USE_FOR(of_moved, part(0.06), 0.9, exchange(moved.data(), random));
        if (asked.has("stencil")) USE_FOR(of_grid, part(0.06), 1, keep(add_neighbours(grid)));
    }
    if (asked.has("counts")) {
        std::thread other([&] {
            account_thread(1);
            Random own{11};
            USE_FOR(of_counts, 0.05 * seconds, 0.5, count(counts.get(), own));
        });
        other.join();
    }
    account_print("separable");
    return kept < 0 ? 1 : 0;
}
