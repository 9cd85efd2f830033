// Whether all threads of an arena work at the same time.
#pragma once

#include <chrono>

namespace pi {

// Gives each of `threads` threads of the current arena a task that ends when all of them have one: starting threads takes time,
// which is no part of what is measured. Returns how many came before the patience ended; all tasks have ended then.
int gather_threads(int threads, std::chrono::steady_clock::duration patience);

}  // namespace pi
