#include "grid.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace iso3dfd {
namespace {

constexpr std::ptrdiff_t kLine = 16;       // floats in a cache line, and in the widest vector
constexpr std::ptrdiff_t kReach = 2 * kLine;  // what a vector at the end of a row may read past it

constexpr std::ptrdiff_t round_up(std::ptrdiff_t value, std::ptrdiff_t step) { return (value + step - 1) / step * step; }

}  // namespace

// Interior rows start on a cache line. The stride of planes is an odd number of lines: with a power of two the same
// point of all planes would compete for one cache set.
Grid::Grid(int n1, int n2, int n3) : n1_(n1), n2_(n2), n3_(n3) {
    row_ = round_up(n1 + 2 * kHalo, kLine);
    plane_ = row_ * (n2 + 2 * kHalo);
    if (plane_ / kLine % 2 == 0) plane_ += kLine;
    origin_ = kLine + kHalo * row_ + kHalo * plane_;
    floats_ = static_cast<std::size_t>(plane_ * (n3 + 2 * kHalo) + kLine + kReach);
}

Field::Field(std::size_t floats, Pages pages) {
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    bytes_ = floats * sizeof(float);
    if (pages == Pages::huge) bytes_ = (bytes_ + kHugePage - 1) / kHugePage * kHugePage;
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category());
    data_ = static_cast<float*>(memory);
    // Advice only: a kernel without huge pages answers EINVAL and goes on with small ones.
    if (pages == Pages::huge) madvise(memory, bytes_, MADV_HUGEPAGE);
    if (pages == Pages::small) madvise(memory, bytes_, MADV_NOHUGEPAGE);
}

Field::~Field() {
    if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace iso3dfd
