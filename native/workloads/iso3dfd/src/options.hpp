// The command line: what was typed, checked.
#pragma once

#include <stdexcept>
#include <string>

#include "blocks.hpp"
#include "grid.hpp"
#include "wave.hpp"

namespace iso3dfd {

struct Options {
    int n1 = 0, n2 = 0, n3 = 0;
    int iterations = 0;
    int n1_block = 0, n2_block = 0, n3_block = 0;
    int threads = 0;  // 0: as OpenMP decides, so OMP_NUM_THREADS or all CPUs
    Schedule schedule = Schedule::fixed;
    Fields first_touch;  // those that the computing threads initialise
    bool check = false;
    bool help = false;
    Pages pages = Pages::system;
    std::string isa = "auto";
};

// The text says what was found and what was expected.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

Options parse_options(int argc, const char* const* argv);

extern const char kUsage[];

}  // namespace iso3dfd
