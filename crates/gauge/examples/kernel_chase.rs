//! Nanoseconds a load of our pointer chase, in turns with a plain C chase over the same ring: part of `scripts/bench-gauge`.
//!
//! usage: kernel_chase LIBRARY [ROUNDS [MIB]]      LIBRARY is `native/gauge-reference` as a shared object; 9 rounds, 1024 MiB

use std::alloc::Layout;
use std::ffi::CString;
use std::process::ExitCode;
use std::time::Instant;

use numawise_gauge::kernels::Line;
use numawise_gauge::kernels::chase::{self, Order};
use numawise_stats::{median, median_interval};

/// Loads in one turn: a tenth of a second or so.
const LOADS: u64 = 1 << 20;

type Chase = unsafe extern "C" fn(*const Line, u64) -> *const Line;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |nth: usize, default| words.get(nth).map_or(Some(default), |word| word.parse().ok());
    let (Some(library), Some(rounds), Some(mib)) = (words.first(), number(1, 9), number(2, 1024)) else {
        eprintln!("usage: kernel_chase LIBRARY [ROUNDS [MIB]]");
        return ExitCode::from(2);
    };
    let plain = plain(library);
    for (advice, pages) in [(libc::MADV_HUGEPAGE, "huge pages"), (libc::MADV_NOHUGEPAGE, "small pages")] {
        let lines = buffer(mib << 14, advice);
        for order in [Order::WithinBlocks(2 << 20), Order::Anywhere] {
            chase::link(lines, order, 1);
            let (mut at, mut ours, mut theirs) = (lines.as_ptr(), Vec::new(), Vec::new());
            for round in 0..2 * rounds {
                let begin = Instant::now();
                // SAFETY: a line of the ring that was linked over these lines; both only read it.
                at = unsafe { if round % 2 == 0 { chase::run(at, LOADS) } else { plain(at, LOADS) } };
                let took = begin.elapsed().as_secs_f64() * 1e9 / LOADS as f64;
                if round % 2 == 0 { &mut ours } else { &mut theirs }.push(took);
            }
            let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect();
            let ratio = median_interval(&ratios, 0.95, 1).map_or_else(
                |error| error.to_string(),
                |r| format!("{:.3} [{:.3}, {:.3}]", r.median, r.low, r.high),
            );
            let middle = |took: &[f64]| median(took).unwrap_or(f64::NAN);
            println!(
                "chase, {pages}, {order:?}: {:.1} ns, plain C {:.1} ns, ratio {ratio} (promised: within 3 %)",
                middle(&ours),
                middle(&theirs)
            );
        }
    }
    ExitCode::SUCCESS
}

/// Lines of our own, never given back.
fn buffer(count: usize, advice: libc::c_int) -> &'static mut [Line] {
    let layout =
        Layout::array::<Line>(count).and_then(|lines| lines.align_to(2 << 20)).expect("a size that fits");
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
