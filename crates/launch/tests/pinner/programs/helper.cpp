// A library with a thread of its own, compiled under names of helpers.
#include <pthread.h>

#include <thread>

#include "mask.h"

static void* body(void* who) {
  tell(static_cast<const char*>(who), 0);
  return nullptr;
}

extern "C" void helper_pthread() {
  pthread_t thread;
  pthread_create(&thread, nullptr, body, const_cast<char*>("helper"));
  pthread_join(thread, nullptr);
}

extern "C" void helper_std_thread() {
  std::thread([] { tell("helper", 1); }).join();
}
