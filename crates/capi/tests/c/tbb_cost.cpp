// What the observer costs beside an empty one: nanoseconds of an entry with its exit, medians of rounds that take turns.
#include <numawise/tbb.hpp>

#include <algorithm>
#include <cstdio>
#include <thread>

namespace {

using clock_type = std::chrono::steady_clock;

class empty_observer : public tbb::task_scheduler_observer {
public:
    explicit empty_observer(tbb::task_arena &arena) : tbb::task_scheduler_observer(arena) { observe(true); }
    ~empty_observer() override { observe(false); }
    void on_scheduler_entry(bool) override {}
    void on_scheduler_exit(bool) override {}
};

double nanoseconds(tbb::task_arena &arena, int times) {
    const auto begin = clock_type::now();
    for (int k = 0; k < times; ++k) arena.execute([] {});
    return std::chrono::duration<double, std::nano>(clock_type::now() - begin).count() / times;
}

double median(std::vector<double> of) {
    std::nth_element(of.begin(), of.begin() + of.size() / 2, of.end());
    return of[of.size() / 2];
}

void later(const char *name, numawise::tbb::leaving leaves) {
    tbb::task_arena ours(1), theirs(1);
    numawise::tbb::pinning_observer pin{ours, {}, leaves};
    empty_observer empty{theirs};
    std::vector<double> one, other, more;
    nanoseconds(ours, 100), nanoseconds(theirs, 100);
    for (int k = 0; k < 101; ++k) {
        one.push_back(nanoseconds(ours, 2000));
        other.push_back(nanoseconds(theirs, 2000));
        more.push_back(one.back() - other.back());
    }
    std::printf("%-34s %12.1f %12.1f %8.1f\n", name, median(one), median(other), median(more));
}

// A thread's first entry, until it is in the arena: in a thread of its own, whose arena is warm.
void first() {
    tbb::task_arena ours(2, 2), theirs(2, 2);
    std::vector<double> one, other, more;
    empty_observer empty{theirs};
    numawise::tbb::pinning_observer pin{ours};
    nanoseconds(ours, 10), nanoseconds(theirs, 10);
    for (int k = 0; k < 201; ++k) {
        const auto in_a_thread = [](tbb::task_arena &arena) {
            double took = 0;
            std::thread([&] {
                // The thread is known to oneTBB by then, so that what is measured is the entry.
                tbb::task_arena(1).execute([] {});
                const auto begin = clock_type::now();
                arena.execute([&] { took = std::chrono::duration<double, std::nano>(clock_type::now() - begin).count(); });
            }).join();
            return took;
        };
        one.push_back(in_a_thread(ours));
        other.push_back(in_a_thread(theirs));
        more.push_back(one.back() - other.back());
    }
    std::printf("%-34s %12.1f %12.1f %8.1f\n", "a thread's first entry", median(one), median(other), median(more));
}

}  // namespace

int main() {
    std::printf("%-34s %12s %12s %8s\n", "oneTBB, entry and exit", "ours, ns", "empty, ns", "more, ns");
    first();
    later("later ones, the mask put back", numawise::tbb::leaving::puts_back);
    later("later ones, threads stay bound", numawise::tbb::leaving::stays_bound);
}
