#include "pinning.hpp"

#include <system_error>

#include "affinity.hpp"

namespace pi {

PinningObserver::PinningObserver(tbb::task_arena& arena, int slots, int step)
    : tbb::task_scheduler_observer(arena), order_(by_step(own_cpus(), step)), before_(static_cast<std::size_t>(slots)) {}

PinningObserver::~PinningObserver() {
    // Must be done before the members go: a thread may be about to call.
    observe(false);
}

void PinningObserver::on_scheduler_entry(bool) {
    const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (slot >= before_.size()) return;
    try {
        std::vector<int> before = own_cpus();
        if (set_own_cpus({order_[slot % order_.size()]})) {
            before_[slot] = std::move(before);
            ++pinned_;
            return;
        }
    } catch (const std::system_error&) {
        // Counted below: no exception may leave a callback of oneTBB.
    }
    ++refused_;
}

void PinningObserver::on_scheduler_exit(bool) {
    const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (slot >= before_.size() || before_[slot].empty()) return;
    if (!set_own_cpus(before_[slot])) ++refused_;
    before_[slot].clear();
    --pinned_;
}

}  // namespace pi
