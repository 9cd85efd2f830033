// Allocates by all operators of C++, throws through them, and lets vectors grow.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

struct alignas(64) Wide {
  char bytes[100032];
};

static void note(const char *form, void *address, size_t bytes) { std::fprintf(stderr, "%s %p %zu\n", form, address, bytes); }

int main() {
  void *block;
  note("new", block = ::operator new(100001), 100001);
  ::operator delete(block);
  note("new[]", block = ::operator new[](100002), 100002);
  ::operator delete[](block);
  note("nothrow", block = ::operator new(100003, std::nothrow), 100003);
  ::operator delete(block, std::nothrow);
  note("sized", block = ::operator new(100005), 100005);
  ::operator delete(block, size_t(100005));
  note("aligned", block = ::operator new(100032, std::align_val_t(64)), 100032);
  ::operator delete(block, std::align_val_t(64));
  Wide *wide = new Wide;
  note("wide", wide, sizeof *wide);
  delete wide;
  int thrown = 0;
  for (int k = 0; k < 3; k++) {
    try {
      volatile size_t much = size_t(1) << 60;
      block = ::operator new(much);
      std::fprintf(stderr, "%p\n", block);
    } catch (const std::bad_alloc &) {
      thrown++;
    }
  }
  std::vector<double> values;
  for (int k = 0; k < 100000; k++) values.push_back(k);
  std::printf("%d thrown, %zu values\n", thrown, values.size());
}
