// A library that a program in C loads for itself, with the C++ library.
#include <cstdlib>
#include <new>
#include <stdexcept>

extern "C" int plugin(size_t bytes, void **block) {
  int thrown = 0;
  // Small ones first: the operator is not known yet, and no allocation is to be drawn.
  for (int k = 0; k < 3; k++) {
    void *volatile small = std::malloc(16);
    std::free(small);
    ::operator delete(::operator new(24 + k));
  }
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
