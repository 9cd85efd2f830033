//! Nanoseconds a load of our pointer chase, in turns with a plain C chase over the same ring: part of `scripts/bench-membench`.
//! The rings are those of latency without and with misses of the TLB: one line in four, in blocks of a huge page on huge pages,
//! anywhere on base pages.
//!
//! usage: kernel_chase LIBRARY [ROUNDS [MIB]]      LIBRARY is `native/membench-reference` as a shared object; 9 rounds, 1024 MiB

use std::alloc::Layout;
use std::ffi::CString;
use std::process::ExitCode;
use std::time::Instant;

use numawise_membench::kernels::{Line, chase};
use numawise_membench::ring::{self, Ring, RingShape};
use numawise_stats::{median, median_interval};

/// Loads in one turn at most: a tenth of a second or so.
const LOADS: u64 = 1 << 20;
/// A huge page of x86-64, which a TLB covers with one entry.
const BLOCK: usize = 2 << 20;

type Chase = unsafe extern "C" fn(*const Line, u64) -> *const Line;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |nth: usize, default| words.get(nth).map_or(Some(default), |word| word.parse().ok());
    let (Some(library), Some(rounds), Some(mib)) = (words.first(), number(1, 9), number(2, 1024)) else {
        eprintln!("usage: kernel_chase LIBRARY [ROUNDS [MIB]]");
        return ExitCode::from(2);
    };
    let plain = plain(library);
    let huge = (libc::MADV_HUGEPAGE, "blocks of 2 MiB on huge pages", Some(BLOCK / size_of::<Line>()));
    let base = (libc::MADV_NOHUGEPAGE, "anywhere on base pages", None);
    for (advice, name, block) in [huge, base] {
        let ring = ring::link(buffer(mib << 14, advice), RingShape { block, all_lines: false }, 1);
        let (ours, theirs) = in_turns(ring, plain, rounds);
        let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect();
        let ratio = median_interval(&ratios, 0.95).map_or_else(
            |error| error.to_string(),
            |r| format!("{:.3} [{:.3}, {:.3}]", r.median, r.low, r.high),
        );
        let middle = |took: &[f64]| median(took).unwrap_or(f64::NAN);
        println!(
            "chase, {name}: {:.1} ns, plain C {:.1} ns, ratio {ratio} (promised: within 3 %)",
            middle(&ours),
            middle(&theirs)
        );
    }
    ExitCode::SUCCESS
}

/// Nanoseconds a load in each round, of ours and of theirs, which go on from where the other stopped.
fn in_turns(ring: Ring, plain: Chase, rounds: usize) -> (Vec<f64>, Vec<f64>) {
    let loads = (ring.lap / 2).min(LOADS);
    let (mut at, mut ours, mut theirs) = (ring.start(), Vec::new(), Vec::new());
    for round in 0..rounds {
        // As the engine does it: what is visited of 1 GiB, one line in four, fits into a large cache.
        // SAFETY: the ring's lines are never given back.
        unsafe { ring.evict() };
        // Each is first in every second round.
        for turn in [round % 2, 1 - round % 2] {
            let begin = Instant::now();
            // SAFETY: a line of the ring, whose lines are never given back; both only read it.
            at = unsafe { if turn == 0 { chase::run(at, loads) } else { plain(at, loads) } };
            let took = begin.elapsed().as_secs_f64() * 1e9 / loads as f64;
            if turn == 0 { &mut ours } else { &mut theirs }.push(took);
        }
    }
    (ours, theirs)
}

/// Lines of our own, never given back.
fn buffer(count: usize, advice: libc::c_int) -> &'static mut [Line] {
    let layout =
        Layout::array::<Line>(count).and_then(|lines| lines.align_to(BLOCK)).expect("a size that fits");
    // SAFETY: the size is not zero, the memory is nobody else's, and every line is written before it is read.
    unsafe {
        let start = std::alloc::alloc(layout).cast::<Line>();
        assert!(!start.is_null(), "no memory for {} bytes", layout.size());
        libc::madvise(start.cast(), layout.size(), advice);
        (0..count).for_each(|nth| start.add(nth).write(Line([0; 8])));
        std::slice::from_raw_parts_mut(start, count)
    }
}

fn plain(library: &str) -> Chase {
    let path = CString::new(library).expect("no zero in the path");
    // SAFETY: the library runs nothing when it is loaded, and its function has this type.
    unsafe {
        let loaded = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        assert!(!loaded.is_null(), "'{library}' cannot be loaded");
        let function = libc::dlsym(loaded, c"reference_chase".as_ptr());
        assert!(!function.is_null(), "no reference_chase in '{library}'");
        std::mem::transmute::<*mut libc::c_void, Chase>(function)
    }
}
