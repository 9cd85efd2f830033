// The CPUs on which the kernel lets a thread run, however many the machine has.
#pragma once

#include <vector>

namespace pi {

// The mask of the calling thread, as CPU numbers in ascending order. Throws std::system_error.
std::vector<int> own_cpus();

// Lets the calling thread run on these CPUs only; false where the kernel refuses.
bool set_own_cpus(const std::vector<int>& cpus);

// The same CPUs in the order in which threads take them: every step-th from the first on, then every step-th from the second on,
// and so on. Each occurs once.
std::vector<int> by_step(const std::vector<int>& cpus, int step);

}  // namespace pi
