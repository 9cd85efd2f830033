// The shape of the grid and the memory of one field on it.
#pragma once

#include <cstddef>
#include <utility>

#include "kernel.hpp"

namespace iso3dfd {

// Interior points along each axis, x fastest, and the strides of a field that has the halo around them.
class Grid {
public:
    Grid(int n1, int n2, int n3);

    int n1() const { return n1_; }
    int n2() const { return n2_; }
    int n3() const { return n3_; }
    std::ptrdiff_t row() const { return row_; }
    std::ptrdiff_t plane() const { return plane_; }
    double points() const { return static_cast<double>(n1_) * n2_ * n3_; }
    // All floats of a field: halo, alignment and what a vector may read past the end.
    std::size_t floats() const { return floats_; }
    // Where the interior point (x, y, z) lies; halo points have coordinates from -kHalo to n + kHalo - 1.
    std::size_t index(int x, int y, int z) const {
        return static_cast<std::size_t>(origin_ + x + y * row_ + z * plane_);
    }

private:
    int n1_, n2_, n3_;
    std::ptrdiff_t row_, plane_, origin_;
    std::size_t floats_;
};

enum class Pages { system, small, huge };

// The memory of one field. It is mapped but not touched: the kernel places each page where the first thread that writes
// to it runs. (The system may use huge pages by itself, then by 2 MiB at a time; Pages::small forbids that.)
class Field {
public:
    // Throws std::system_error when the memory cannot be had.
    Field(std::size_t floats, Pages pages);
    Field(Field&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
    Field& operator=(Field&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Field();

    float* data() { return data_; }
    const float* data() const { return data_; }

private:
    float* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace iso3dfd
