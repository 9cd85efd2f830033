//! x86-64: AVX-512, AVX2 and SSE2.

use std::arch::x86_64::*;

use super::Line;

/// One vector type of the instruction set as a [`Held`](super::walk::Held) line of `$count` vectors.
macro_rules! held {
    ($held:ident, $vector:ty, $count:literal, $splat:ident, $load:ident, $store:ident, $stream:ident, $add:ident, $settled:path) => {
        #[derive(Clone, Copy)]
        pub(in crate::kernels) struct $held([$vector; $count]);

        impl super::super::walk::Held for $held {
            const SUMS: usize = if $count < 4 { 2 } else { 1 };
            const AHEAD: bool = true;

            #[inline(always)]
            unsafe fn splat(word: u64) -> Self {
                // SAFETY: the CPU has the instructions, as the caller promises.
                $held(unsafe { [$splat(word as i64); $count] })
            }

            #[inline(always)]
            unsafe fn load(from: *const Line) -> Self {
                // SAFETY: the caller's promises; a line is aligned for every vector.
                $held(std::array::from_fn(|nth| unsafe { $load(from.cast::<$vector>().add(nth)) }))
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut Line) {
                for (nth, vector) in self.0.into_iter().enumerate() {
                    // SAFETY: as for `load`.
                    unsafe { $store(to.cast::<$vector>().add(nth), vector) };
                }
            }

            #[inline(always)]
            unsafe fn stream(self, to: *mut Line) {
                for (nth, vector) in self.0.into_iter().enumerate() {
                    // SAFETY: as for `load`; `fence` comes before the end of every loop that streams.
                    unsafe { $stream(to.cast::<$vector>().add(nth), vector) };
                }
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the CPU has the instructions, as the caller promises.
                $held(std::array::from_fn(|nth| unsafe { $add(self.0[nth], other.0[nth]) }))
            }

            #[inline(always)]
            unsafe fn settled(self) -> Self {
                $held(self.0.map($settled))
            }

            #[inline(always)]
            unsafe fn total(self) -> u64 {
                // SAFETY: a vector is nothing but its words, and these are a line's.
                let line = unsafe { std::mem::transmute::<Self, Line>(self) };
                line.0.into_iter().fold(0, u64::wrapping_add)
            }

            #[inline(always)]
            unsafe fn prefetch(line: *const Line) {
                // SAFETY: SSE, which every x86-64 has; no address is a wrong one.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
            }

            #[inline(always)]
            unsafe fn fence() {
                // SAFETY: SSE, which every x86-64 has.
                unsafe { _mm_sfence() }
            }
        }
    };
}

pub(super) mod avx512 {
    use super::*;

    held!(
        Held512,
        __m512i,
        1,
        _mm512_set1_epi64,
        _mm512_load_si512,
        _mm512_store_si512,
        _mm512_stream_si512,
        _mm512_add_epi64,
        std::convert::identity
    );
    super::super::walk::loops!(super::Held512, "avx512f");
}

pub(super) mod avx2 {
    use super::*;

    held!(
        Held256,
        __m256i,
        2,
        _mm256_set1_epi64x,
        _mm256_load_si256,
        _mm256_store_si256,
        _mm256_stream_si256,
        _mm256_add_epi64,
        std::convert::identity
    );
    super::super::walk::loops!(super::Held256, "avx2");
}

pub(super) mod sse2 {
    use super::*;

    held!(
        Held128,
        __m128i,
        4,
        _mm_set1_epi64x,
        _mm_load_si128,
        _mm_store_si128,
        _mm_stream_si128,
        _mm_add_epi64,
        seen
    );
    super::super::walk::loops!(super::Held128, "sse2");

    /// The same vector, which the compiler must have at hand here: there are only sixteen registers.
    #[inline(always)]
    fn seen(mut vector: __m128i) -> __m128i {
        // SAFETY: no instruction at all.
        unsafe {
            std::arch::asm!("/* {0} */", inout(xmm_reg) vector, options(nomem, nostack, preserves_flags))
        };
        vector
    }
}
