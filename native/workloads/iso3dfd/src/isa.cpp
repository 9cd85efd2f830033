#include "isa.hpp"

namespace iso3dfd {

std::vector<Isa> available_isas() {
    std::vector<Isa> isas;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) isas.push_back({"avx512", sweep_avx512});
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isas.push_back({"avx2", sweep_avx2});
#endif
    isas.push_back({"generic", sweep_generic});
    return isas;
}

std::optional<Isa> find_isa(std::string_view name) {
    for (const Isa& isa : available_isas()) {
        if (name == "auto" || name == isa.name) return isa;
    }
    return std::nullopt;
}

}  // namespace iso3dfd
