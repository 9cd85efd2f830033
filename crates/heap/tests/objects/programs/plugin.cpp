// A library that a program in C loads for itself, with the C++ library.
#include <new>
#include <stdexcept>

extern "C" int plugin(size_t bytes, void **block) {
  int thrown = 0;
  try {
    volatile size_t much = size_t(1) << 60;
    *block = ::operator new(much);
  } catch (const std::bad_alloc &) {
    thrown++;
  }
  *block = ::operator new(bytes);
  ::operator delete(*block);
  return thrown;
}
