// Calls that fail, in C++17: what the other headers throw.
#ifndef NUMAWISE_ERROR_HPP
#define NUMAWISE_ERROR_HPP

#include <new>
#include <stdexcept>

#include "numawise.h"

namespace numawise {

// A call of the library that failed; its text says what was found and what was expected.
class error : public std::runtime_error {
public:
    explicit error(int status) : std::runtime_error(numawise_error_text()), status_(status) {}
    int status() const noexcept { return status_; }

private:
    int status_;
};

namespace detail {

inline void check(int status) {
    if (status == NUMAWISE_NO_MEMORY) throw std::bad_alloc();
    if (status != NUMAWISE_OK) throw error(status);
}

// The machine as this process may use it, read once. It stays until the process ends: memory may be freed at any time.
inline const numawise_machine *machine() {
    static const numawise_machine *const opened = [] {
        numawise_machine *machine = nullptr;
        check(numawise_open(&machine));
        return machine;
    }();
    return opened;
}

}  // namespace detail
}  // namespace numawise

#endif
