//! GB/s of the loops for one mix, in turns with plain C and with likwid-bench: what `scripts/bench-membench` shows.
//!
//! usage: kernel_bench MIX THREADS [ROUNDS [LIBRARY]]
//! MIX as in the profile, or `every-MIX` for all our loops beside each other, those included that are no candidates. ROUNDS is 7. With
//! LIBRARY, which is `native/membench-reference` as a shared object, the plain loop and likwid-bench's take their turns.
//!
//! The best of ours and the best of theirs are chosen in rounds that are not counted, both in the same way: who is the best of several by the
//! very figures that are then compared has luck on its side. Rates differ with the pages by some percent: the plain loop has the very memory of ours,
//! and each round has new memory, as each run of likwid-bench has.

use std::alloc::Layout;
use std::ffi::CString;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use numawise_facts::{LoopPath, MemoryLoop, Mix};
use numawise_membench::kernels::{Kernel, Line, Streams, available, fill};
use numawise_stats::{median, median_interval};

/// Lines of a thread in one turn, shared among the streams: 384 MiB, beyond any cache that a core can reach, and as much as likwid-bench goes
/// over in one of its passes: what the first milliseconds cost counts for both alike.
const LINES: usize = 6 << 20;
/// Turns of each contender in a round.
const TURNS: usize = 8;
/// Of so many turns likwid-bench takes one, a run of its own, which takes a second.
const TURNS_OF_A_RUN: usize = 4;
/// Rounds in which the best are chosen.
const CHOICE: usize = 3;
/// The streams' starts are moved against each other by so many lines, so that they do not meet in the same sets of caches.
const SKEW: usize = 21;

type Plain = unsafe extern "C" fn(*mut Line, *mut Line, *mut Line, usize) -> u64;

enum Contender {
    Ours(Kernel),
    Plain(Plain),
    Likwid(&'static str),
}

/// A thread's lines, in huge pages where they are to be had.
struct Buffer {
    start: *mut Line,
    count: usize,
}

// SAFETY: a thread uses its own buffer only.
unsafe impl Send for Buffer {}

impl Buffer {
    const LAYOUT: Layout = match Layout::from_size_align((LINES + 3 * SKEW) * size_of::<Line>(), 1 << 21) {
        Ok(layout) => layout,
        Err(_) => panic!("a size that fits"),
    };

    /// `count` streams.
    fn new(count: usize) -> Buffer {
        // SAFETY: the size is not zero; every line is filled before one is read.
        let start = unsafe { std::alloc::alloc(Self::LAYOUT) }.cast::<Line>();
        assert!(!start.is_null(), "no memory for {} bytes", Self::LAYOUT.size());
        // SAFETY: memory of our own that nobody uses yet; a refusal leaves small pages.
        unsafe { libc::madvise(start.cast(), Self::LAYOUT.size(), libc::MADV_HUGEPAGE) };
        Buffer { start, count }
    }

    /// Puts there what the loops of this contender expect.
    fn fill(&self, contender: &Contender) {
        let (streams, lines) = self.streams();
        for &stream in &streams[..self.count] {
            // SAFETY: lines of this buffer's own, of which any content is a valid one.
            let stream = unsafe { std::slice::from_raw_parts_mut(stream, lines) };
            match contender {
                Contender::Ours(_) => fill(stream),
                _ => stream.fill(Line([1.0f64.to_bits(); 8])),
            }
        }
    }

    /// The streams, and the lines of each.
    fn streams(&self) -> (Streams, usize) {
        let lines = LINES / self.count;
        // SAFETY: the memory holds the streams and the skew between them.
        let start = |nth: usize| unsafe { self.start.add((nth % self.count) * (lines + SKEW)) };
        ([start(0), start(1), start(2)], lines)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nobody uses it any more.
        unsafe { std::alloc::dealloc(self.start.cast(), Self::LAYOUT) };
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((mix, every, threads, rounds)) = asked(&words) else {
        eprintln!("usage: kernel_bench [every-]MIX THREADS [ROUNDS [LIBRARY]]");
        return ExitCode::from(2);
    };
    let mut contenders =
        if !every { Kernel::candidates(mix).into_iter().map(Contender::Ours).collect() } else { ours(mix) };
    if let Some(library) = words.get(3) {
        contenders.push(Contender::Plain(plain(mix, library)));
        if Command::new("likwid-bench").arg("-h").output().is_ok() {
            contenders.extend(likwid(mix).iter().map(|test| Contender::Likwid(test)));
        }
    }
    let choice = rates(mix, &contenders, threads, if every { rounds } else { CHOICE });
    show(&contenders, &choice);
    if every {
        return ExitCode::SUCCESS;
    }
    let best = |of_ours: bool| {
        let mine = |nth: &usize| matches!(contenders[*nth], Contender::Ours(_)) == of_ours;
        let middle = |nth: usize| median(&choice[nth]).unwrap_or(f64::NAN);
        (0..contenders.len()).filter(mine).max_by(|a, b| middle(*a).total_cmp(&middle(*b)))
    };
    let (Some(ours), Some(theirs)) = (best(true), best(false)) else { return ExitCode::SUCCESS };
    let chosen = [contenders.swap_remove(ours.max(theirs)), contenders.swap_remove(ours.min(theirs))];
    let rates = rates(mix, &chosen, threads, rounds);
    let (ours, theirs) = if ours > theirs { (0, 1) } else { (1, 0) };
    println!(
        "{mix}, {threads} threads: {} / best of theirs ({}) {}",
        name(&chosen[ours]),
        name(&chosen[theirs]),
        beside(&rates[ours], &rates[theirs])
    );
    ExitCode::SUCCESS
}

/// GB/s of each contender in each round.
fn rates(mix: Mix, contenders: &[Contender], threads: usize, rounds: usize) -> Vec<Vec<f64>> {
    let streams = Kernel::candidates(mix)[0].streams();
    let mut rates = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        let mut buffers: Vec<Buffer> = (0..threads).map(|_| Buffer::new(streams)).collect();
        for (figures, figure) in rates.iter_mut().zip(round(mix, contenders, &mut buffers)) {
            figures.push(figure);
        }
    }
    rates
}

/// The median of the ratios of the rounds, with its interval.
fn beside(ours: &[f64], others: &[f64]) -> String {
    let ratios: Vec<f64> = ours.iter().zip(others).map(|(ours, other)| ours / other).collect();
    median_interval(&ratios, 0.95)
        .map_or_else(|error| error.to_string(), |r| format!("{:.3} [{:.3}, {:.3}]", r.median, r.low, r.high))
}

/// A row for each contender: the median.
fn show(contenders: &[Contender], rates: &[Vec<f64>]) {
    for (contender, rates) in contenders.iter().zip(rates) {
        println!("  {:34} {:7.2} GB/s", name(contender), median(rates).unwrap_or(f64::NAN));
    }
}

fn asked(words: &[String]) -> Option<(Mix, bool, usize, usize)> {
    let (mix, threads) = (words.first()?, words.get(1)?.parse().ok()?);
    let rounds = words.get(2).map_or(Ok(7), |text| text.parse()).ok()?;
    let every = mix.strip_prefix("every-");
    Some((every.unwrap_or(mix).parse().ok()?, every.is_some(), threads, rounds))
}

fn name(contender: &Contender) -> String {
    match contender {
        Contender::Ours(kernel) => format!("numawise {}", kernel.which),
        Contender::Plain(_) => "plain C, gcc -O3 -march=native".to_owned(),
        Contender::Likwid(test) => format!("likwid-bench {test}"),
    }
}

fn ours(mix: Mix) -> Vec<Contender> {
    let paths = [LoopPath::Tuned, LoopPath::Straight];
    let all = available().into_iter().flat_map(|vectors| paths.map(|path| MemoryLoop { vectors, path }));
    all.filter_map(|which| Kernel::new(mix, which)).map(Contender::Ours).collect()
}

fn plain(mix: Mix, library: &str) -> Plain {
    let symbol = match mix {
        Mix::Read => c"reference_read",
        Mix::Read3Write1 => c"reference_3_1",
        Mix::Read2Write1 => c"reference_2_1",
        Mix::Read1Write1 => c"reference_1_1",
        Mix::Triad => c"reference_triad",
        Mix::NonTemporalWrite => c"reference_write",
    };
    let path = CString::new(library).expect("no zero in the path");
    // SAFETY: the library runs nothing when it is loaded, and its functions have this type.
    unsafe {
        let loaded = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        assert!(!loaded.is_null(), "'{library}' cannot be loaded");
        let function = libc::dlsym(loaded, symbol.as_ptr());
        assert!(!function.is_null(), "no {symbol:?} in the library");
        std::mem::transmute::<*mut libc::c_void, Plain>(function)
    }
}

/// likwid-bench's tests that move the same bytes; it has none for 3:1 and 2:1.
fn likwid(mix: Mix) -> &'static [&'static str] {
    match mix {
        Mix::Read => &["load_avx512", "load_avx", "load_sse"],
        Mix::Read3Write1 | Mix::Read2Write1 => &[],
        Mix::Read1Write1 => &["update_avx512", "update_avx", "update_sse"],
        Mix::Triad => &["stream_mem_avx512", "stream_mem_avx_fma", "stream_mem_sse"],
        Mix::NonTemporalWrite => &["store_mem_avx512", "store_mem_avx", "store_mem_sse"],
    }
}

/// GB/s of each contender: the median over turns that they take one after the other.
fn round(mix: Mix, contenders: &[Contender], buffers: &mut [Buffer]) -> Vec<f64> {
    let kernel = Kernel::candidates(mix)[0];
    let (read, written) = kernel.bytes(LINES / kernel.streams());
    let bytes = (read + written) as f64 * buffers.len() as f64;
    let mut rates = vec![Vec::new(); contenders.len()];
    for turn in 0..TURNS {
        for nth in 0..contenders.len() {
            // In another order each time: who comes after whom must not matter.
            let who = (nth * if turn % 2 == 0 { 1 } else { contenders.len() - 1 } + turn) % contenders.len();
            match contenders[who] {
                Contender::Likwid(test) if turn % TURNS_OF_A_RUN == 0 => {
                    rates[who].push(likwid_rate(test, buffers.len()));
                }
                Contender::Likwid(_) => (),
                _ => rates[who].push(rate(&contenders[who], bytes, buffers)),
            }
        }
    }
    rates.iter().map(|rates| median(rates).unwrap_or(f64::NAN)).collect()
}

/// GB/s of one turn: the bytes of all threads, from when the first begins until the last ends.
fn rate(contender: &Contender, bytes: f64, buffers: &mut [Buffer]) -> f64 {
    let (threads, ready) = (buffers.len(), AtomicUsize::new(0));
    let times: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
        let started: Vec<_> = buffers
            .iter_mut()
            .enumerate()
            .map(|(cpu, buffer)| {
                let ready = &ready;
                scope.spawn(move || {
                    pin(cpu);
                    buffer.fill(contender);
                    pass(contender, buffer, 0); // what the fill left in caches is gone then
                    ready.fetch_add(1, Ordering::SeqCst);
                    while ready.load(Ordering::SeqCst) < threads {
                        std::hint::spin_loop();
                    }
                    let begin = Instant::now();
                    pass(contender, buffer, 1);
                    (begin, Instant::now())
                })
            })
            .collect();
        started.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    let begin = times.iter().map(|(begin, _)| *begin).min().expect("a thread");
    let took: Duration = times.iter().map(|(_, end)| *end - begin).max().expect("a thread");
    bytes / took.as_secs_f64() / 1e9
}

/// One pass over the buffer, after so many others.
fn pass(contender: &Contender, buffer: &Buffer, passes: u64) {
    let (streams, lines) = buffer.streams();
    match contender {
        Contender::Ours(kernel) => {
            // SAFETY: the buffer's own streams.
            let sum = unsafe { kernel.run(streams, lines) };
            assert_eq!(sum, kernel.expected(lines, passes), "{kernel:?} did not read what is there");
        }
        Contender::Plain(plain) => {
            let [a, b, c] = streams;
            // SAFETY: the buffer's own streams, of eight words a line.
            std::hint::black_box(unsafe { plain(a, b, c, lines * 8) });
        }
        Contender::Likwid(_) => (),
    }
}

/// Its pages are as huge as ours if glibc is asked for that.
fn likwid_rate(test: &str, threads: usize) -> f64 {
    let bytes = threads * LINES * size_of::<Line>() / 1_000_000;
    let output = Command::new("likwid-bench")
        .args(["-t", test, "-w", &format!("S0:{bytes}MB:{threads}"), "-i", "2"])
        .env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
        .output();
    let output =
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let line = output.lines().find_map(|line| line.strip_prefix("MByte/s:"));
    line.and_then(|rest| rest.trim().parse::<f64>().ok()).map_or(f64::NAN, |rate| rate / 1000.0)
}

fn pin(cpu: usize) {
    // SAFETY: a set of CPUs of our own, of the size that is given; refused, the thread runs where it may.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}
