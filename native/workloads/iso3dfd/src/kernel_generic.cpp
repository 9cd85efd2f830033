// The sweep for every other CPU: 4 points at a time in the compilers' own vectors, which become SSE2 on any x86-64 and
// NEON on any AArch64.
#include <cstring>

#include "kernel_body.hpp"

namespace iso3dfd {
namespace {

struct Generic {
    typedef float Reg __attribute__((vector_size(16)));
    using Lanes = int;  // how many, from the first
    static constexpr int kWidth = 4;
    static constexpr int kColumn = 4;

    struct Window;

    static Reg load(const float* p) {
        Reg v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    static Reg load(const float* p, Lanes lanes) {
        Reg v = {};
        for (int i = 0; i < lanes; ++i) v[i] = p[i];
        return v;
    }
    static void store(float* p, Reg v) { std::memcpy(p, &v, sizeof v); }
    static void store(float* p, Reg v, Lanes lanes) {
        for (int i = 0; i < lanes; ++i) p[i] = v[i];
    }
    static Reg broadcast(float value) { return Reg{value, value, value, value}; }
    static Reg add(Reg a, Reg b) { return a + b; }
    static Reg mul(Reg a, Reg b) { return a * b; }
    static Reg fma(Reg a, Reg b, Reg c) { return a * b + c; }
    static Reg fms(Reg a, Reg b, Reg c) { return a * b - c; }
    static Lanes lanes(int count) { return count; }
};

struct Generic::Window {
    explicit Window(const float*) {}
    Reg advance(const float* p) { return load(p); }
    template <int k>
    Reg pair(const float* p) const {
        return load(p - k) + load(p + k);
    }
};

}  // namespace

void sweep_generic(const Sweep& sweep, const Box& box) { sweep_box<Generic>(sweep, box); }

}  // namespace iso3dfd
