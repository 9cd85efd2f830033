// Which instruction sets this CPU has and the kernel for each. Knows nothing of grids or threads.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernel.hpp"

namespace iso3dfd {

struct Isa {
    std::string_view name;
    Kernel kernel;
};

// The instruction sets this CPU can run, best first; `generic` is always the last.
std::vector<Isa> available_isas();

// The one named, or the best one for "auto"; nothing when this CPU or this build does not have it.
std::optional<Isa> find_isa(std::string_view name);

}  // namespace iso3dfd
