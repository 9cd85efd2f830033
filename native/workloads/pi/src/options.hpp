// The command line: what was typed, checked.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace pi {

struct Options {
    int threads = 0;  // 0: one for each CPU that the process may use
    std::int64_t steps = 1000000000;
    int repeat = 1;
    bool pin = false;
    int pin_step = 1;
    bool help = false;
};

// The text says what was found and what was expected.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

Options parse_options(int argc, const char* const* argv);

extern const char kUsage[];

}  // namespace pi
