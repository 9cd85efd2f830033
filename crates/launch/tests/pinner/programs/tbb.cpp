// Workers of oneTBB: the CPUs that each slot of the arena was seen on.
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "mask.h"

int main() {
  std::mutex mutex;
  std::map<int, bool> told;
  tbb::parallel_for(0, 400, [&](int) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      int slot = tbb::this_task_arena::current_thread_index();
      if (!told[slot]) tell("slot", slot);
      told[slot] = true;
    }
    usleep(1000);
  });
}
