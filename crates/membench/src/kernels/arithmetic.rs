//! Loops of arithmetic in registers alone: as many sums and products at once as a core can begin, none of which waits for another.
//!
//! With an addition to each product in one instruction (fused) there are 12 chains, without it 7 of products beside 7 of sums: cores begin up to
//! two of each in a cycle, and each takes up to 4 (Agner Fog, Instruction tables, 2024). All fits in the 16 registers that SSE and AVX have.

use numawise_facts::PeakKind;

#[cfg(test)]
#[path = "arithmetic_tests.rs"]
mod tests;

/// One loop.
#[derive(Debug, Clone, Copy)]
pub struct ArithmeticLoop {
    pub kind: PeakKind,
    run: unsafe fn(u64),
    /// Instructions of a pass, on all lanes.
    instructions: u64,
}

impl ArithmeticLoop {
    /// Those that this CPU can run.
    pub fn available() -> Vec<ArithmeticLoop> {
        all().into_iter().filter(|(_, has)| *has).map(|(of, _)| of).collect()
    }

    /// Floating-point operations of a pass.
    pub fn operations(&self) -> u64 {
        let PeakKind { bits, element_bits, is_fused } = self.kind;
        self.instructions * u64::from(bits / element_bits) * if is_fused { 2 } else { 1 }
    }

    /// So many passes.
    pub fn run(&self, passes: u64) {
        // SAFETY: the CPU has the instructions, as `available` made sure.
        unsafe { (self.run)(passes.max(1)) }
    }
}

fn of(bits: u32, element_bits: u32, is_fused: bool, run: unsafe fn(u64)) -> ArithmeticLoop {
    let instructions = if is_fused { FUSED } else { APART };
    ArithmeticLoop { kind: PeakKind { bits, element_bits, is_fused }, run, instructions }
}

const FUSED: u64 = 12;
const APART: u64 = 14;

/// A loop of these instructions; all numbers in it are 1 and their sums.
#[cfg(target_arch = "x86_64")]
macro_rules! looped {
    ($name:ident, $one:expr, $begin:expr, $lines:expr, $end:expr) => {
        unsafe fn $name(passes: u64) {
            // SAFETY: registers that are named are given up; no memory is touched.
            unsafe {
                std::arch::asm!(
                    concat!($begin, "2:\n", $lines, "sub {n}, 1\njnz 2b\n", $end),
                    n = inout(reg) passes => _,
                    one = in(reg) $one,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nomem, nostack)
                );
            }
        }
    };
}

/// Lines of an instruction on registers: on each and number 15, on each twice and 15, on each and 15 twice.
#[cfg(target_arch = "x86_64")]
macro_rules! lines {
    (once $op:literal, $r:literal; $($k:literal)*) => { concat!($($op, " ", $r, $k, ", ", $r, "15\n"),*) };
    (own $op:literal, $r:literal; $($k:literal)*) => {
        concat!($($op, " ", $r, $k, ", ", $r, $k, ", ", $r, "15\n"),*)
    };
    (twice $op:literal, $r:literal; $($k:literal)*) => {
        concat!($($op, " ", $r, $k, ", ", $r, "15, ", $r, "15\n"),*)
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! of_sse {
    ($name:ident, $one:expr, $mul:literal, $add:literal) => {
        looped!(
            $name,
            $one,
            concat!(
                "movq xmm15, {one}\npunpcklqdq xmm15, xmm15\n",
                lines!(once "movaps", "xmm"; 0 1 2 3 4 5 6 7 8 9 10 11 12 13)
            ),
            concat!(
                lines!(once $mul, "xmm"; 0 2 4 6 8 10 12),
                lines!(once $add, "xmm"; 1 3 5 7 9 11 13)
            ),
            ""
        );
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! of_avx {
    ($name:ident, $one:expr, $r:literal, $lines:expr) => {
        looped!(
            $name,
            $one,
            concat!(
                "vmovq xmm15, {one}\nvpbroadcastq ",
                $r,
                "15, xmm15\n",
                lines!(once "vmovaps", $r; 0 1 2 3 4 5 6 7 8 9 10 11 12 13)
            ),
            $lines,
            "vzeroupper\n"
        );
    };
    ($name:ident, $one:expr, $r:literal, fused $op:literal) => {
        of_avx!($name, $one, $r, lines!(twice $op, $r; 0 1 2 3 4 5 6 7 8 9 10 11));
    };
    ($name:ident, $one:expr, $r:literal, apart $mul:literal $add:literal) => {
        of_avx!(
            $name,
            $one,
            $r,
            concat!(lines!(own $mul, $r; 0 2 4 6 8 10 12), lines!(own $add, $r; 1 3 5 7 9 11 13))
        );
    };
}

#[cfg(target_arch = "x86_64")]
mod loops {
    const ONE_DOUBLE: u64 = 1.0_f64.to_bits();
    /// Twice.
    const ONE_SINGLE: u64 = (1.0_f32.to_bits() as u64) << 32 | 1.0_f32.to_bits() as u64;

    of_sse!(scalar_double, ONE_DOUBLE, "mulsd", "addsd");
    of_sse!(scalar_single, ONE_SINGLE, "mulss", "addss");
    of_sse!(sse_double, ONE_DOUBLE, "mulpd", "addpd");
    of_sse!(sse_single, ONE_SINGLE, "mulps", "addps");
    of_avx!(avx_double, ONE_DOUBLE, "ymm", apart "vmulpd" "vaddpd");
    of_avx!(avx_single, ONE_SINGLE, "ymm", apart "vmulps" "vaddps");
    of_avx!(avx512_double, ONE_DOUBLE, "zmm", apart "vmulpd" "vaddpd");
    of_avx!(avx512_single, ONE_SINGLE, "zmm", apart "vmulps" "vaddps");
    of_avx!(scalar_double_fused, ONE_DOUBLE, "xmm", fused "vfmadd213sd");
    of_avx!(scalar_single_fused, ONE_SINGLE, "xmm", fused "vfmadd213ss");
    of_avx!(sse_double_fused, ONE_DOUBLE, "xmm", fused "vfmadd213pd");
    of_avx!(sse_single_fused, ONE_SINGLE, "xmm", fused "vfmadd213ps");
    of_avx!(avx_double_fused, ONE_DOUBLE, "ymm", fused "vfmadd213pd");
    of_avx!(avx_single_fused, ONE_SINGLE, "ymm", fused "vfmadd213ps");
    of_avx!(avx512_double_fused, ONE_DOUBLE, "zmm", fused "vfmadd213pd");
    of_avx!(avx512_single_fused, ONE_SINGLE, "zmm", fused "vfmadd213ps");

    /// All, and whether this CPU has the instructions.
    pub fn all() -> Vec<(super::ArithmeticLoop, bool)> {
        let avx = std::arch::is_x86_feature_detected!("avx2");
        let fma = avx && std::arch::is_x86_feature_detected!("fma");
        let avx512 = std::arch::is_x86_feature_detected!("avx512f");
        vec![
            (super::of(64, 64, false, scalar_double), true),
            (super::of(32, 32, false, scalar_single), true),
            (super::of(128, 64, false, sse_double), true),
            (super::of(128, 32, false, sse_single), true),
            (super::of(256, 64, false, avx_double), avx),
            (super::of(256, 32, false, avx_single), avx),
            (super::of(512, 64, false, avx512_double), avx512),
            (super::of(512, 32, false, avx512_single), avx512),
            (super::of(64, 64, true, scalar_double_fused), fma),
            (super::of(32, 32, true, scalar_single_fused), fma),
            (super::of(128, 64, true, sse_double_fused), fma),
            (super::of(128, 32, true, sse_single_fused), fma),
            (super::of(256, 64, true, avx_double_fused), fma),
            (super::of(256, 32, true, avx_single_fused), fma),
            (super::of(512, 64, true, avx512_double_fused), avx512),
            (super::of(512, 32, true, avx512_single_fused), avx512),
        ]
    }
}
#[cfg(target_arch = "x86_64")]
use loops::all;

/// None on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn all() -> Vec<(ArithmeticLoop, bool)> {
    Vec::new()
}
