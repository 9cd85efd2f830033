// What the memory of this machine can deliver, by the plainest loops there are.
#pragma once

#include <string_view>
#include <vector>

#include "grid.hpp"

namespace iso3dfd::bench {

// Three arrays, each far larger than any L3 (262 MiB), touched by the threads that will use them.
class Bandwidth {
public:
    Bandwidth(int threads, Pages pages);

    // The loops; bytes are those that really cross the memory bus.
    //   read    4 bytes an element, one array
    //   copy    8, stored past the caches
    //   triad  12, two arrays read, one stored past the caches
    //   update 16, two arrays read, one read and written: the traffic of the wave equation without its arithmetic
    static constexpr std::string_view kNames[] = {"read", "copy", "triad", "update"};
    static constexpr int kCount = 4;

    // Runs loop `which` once over its arrays, which moves this many bytes.
    void sweep(int which);
    static double bytes(int which);

private:
    void pass(int which, std::size_t from, std::size_t to);

    int threads_;
    Field a_, b_, c_;
};

}  // namespace iso3dfd::bench
