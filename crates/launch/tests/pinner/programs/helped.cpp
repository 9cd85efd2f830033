// Threads of std::thread between those of a helper.
#include <thread>

#include "mask.h"

extern "C" void helper_pthread();
extern "C" void helper_std_thread();

int main() {
  helper_pthread();
  tell("main", 0);
  std::thread([] { tell("thread", 1); }).join();
  helper_pthread();
  helper_std_thread();
  std::thread([](long number) { tell("thread", number); }, 2L).join();
  tell("main", 9);
}
