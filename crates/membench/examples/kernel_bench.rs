//! GB/s of the loops for one mix, in turns with plain C and with likwid-bench: what `scripts/bench-membench` shows.
//!
//! usage: kernel_bench MIX THREADS [ROUNDS [LIBRARY]]
//! MIX as in the profile: the loop of ours that a trial chooses comes first, as in a measurement; or `every-MIX` for all our loops
//! beside each other, those included that are no candidates. ROUNDS is 7. With LIBRARY, which is
//! `native/membench-reference` as a shared object, the plain loop and likwid-bench's take their turns in each round.

use std::alloc::Layout;
use std::ffi::CString;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use numawise_facts::{LoopPath, MemoryLoop, Mix};
use numawise_membench::kernels::{Kernel, Line, Streams, available, fill};
use numawise_stats::{median, median_interval};

/// Lines of a thread in one turn, shared among the streams: 192 MiB, a hundredth of a second or so.
const LINES: usize = 3 << 20;
/// As many turns go by before the same lines come again: 1.5 GiB, beyond any cache that we know of.
const PIECES: usize = 8;
/// The streams' starts are moved against each other by so many lines, so that they do not meet in the same sets of caches.
const SKEW: usize = 21;

type Plain = unsafe extern "C" fn(*mut Line, *mut Line, *mut Line, usize) -> u64;

enum Contender {
    Ours(Kernel),
    Plain(Plain),
    Likwid(&'static str),
}

/// A thread's lines, in huge pages where they are to be had, in pieces of which each turn takes one.
struct Buffer {
    start: *mut Line,
    count: usize,
    /// How many of the kernels' passes went over each piece.
    passes: [u64; PIECES],
    turn: usize,
}

// SAFETY: a thread uses its own buffer only.
unsafe impl Send for Buffer {}

impl Buffer {
    const PIECE: usize = LINES + 3 * SKEW;

    /// Pieces of `count` streams, filled.
    fn new(count: usize, plain: bool) -> Buffer {
        let layout = Layout::array::<Line>(PIECES * Self::PIECE).and_then(|lines| lines.align_to(1 << 21));
        let layout = layout.expect("a size that fits");
        // SAFETY: the size is not zero; every line is filled below before one is read.
        let start = unsafe { std::alloc::alloc(layout) }.cast::<Line>();
        assert!(!start.is_null(), "no memory for {} bytes", layout.size());
        // SAFETY: memory of our own that nobody uses yet; a refusal leaves small pages.
        unsafe { libc::madvise(start.cast(), layout.size(), libc::MADV_HUGEPAGE) };
        let mut buffer = Buffer { start, count, passes: [0; PIECES], turn: 0 };
        for _ in 0..PIECES {
            let (streams, lines, _) = buffer.next();
            for &stream in &streams[..count] {
                // SAFETY: lines of this buffer's own.
                let stream = unsafe { std::slice::from_raw_parts_mut(stream, lines) };
                if plain { stream.fill(Line([1.0f64.to_bits(); 8])) } else { fill(stream) }
            }
        }
        buffer
    }

    /// The streams of the next piece, the lines of each, and where its passes are counted.
    fn next(&mut self) -> (Streams, usize, &mut u64) {
        let (piece, lines) = (self.turn % PIECES, LINES / self.count);
        self.turn += 1;
        let start = |nth: usize| {
            let skewed = piece * Self::PIECE + (nth % self.count) * (lines + SKEW);
            // SAFETY: a piece holds the streams and the skew between them.
            unsafe { self.start.add(skewed) }
        };
        ([start(0), start(1), start(2)], lines, &mut self.passes[piece])
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
    let streams = Kernel::candidates(mix)[0].streams();
    let pair = || [Buffer::new(streams, false), Buffer::new(streams, true)];
    let mut buffers: Vec<[Buffer; 2]> = (0..threads).map(|_| pair()).collect();
    if !every {
        choose(mix, &mut contenders, &mut buffers);
    }
    let mut rates = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for (figures, figure) in rates.iter_mut().zip(round(mix, &contenders, &mut buffers)) {
            figures.push(figure);
        }
    }
    show(mix, threads, &contenders, &rates);
    ExitCode::SUCCESS
}

/// Puts that of ours first which a trial chooses, as the memory benchmark does before it takes a figure: by the median of some
/// turns, which are not shown.
fn choose(mix: Mix, contenders: &mut [Contender], buffers: &mut [[Buffer; 2]]) {
    let (ours, _) = contenders.split_at_mut(Kernel::candidates(mix).len());
    let middle = round(mix, ours, buffers);
    let best = (0..ours.len()).max_by(|a, b| middle[*a].total_cmp(&middle[*b])).unwrap_or(0);
    ours.swap(0, best);
}

/// A row for each contender: the median, and the first one's rate as a multiple of it, with the interval over the rounds. At
/// the end the first of ours, and the best of ours, beside the best of the others.
fn show(mix: Mix, threads: usize, contenders: &[Contender], rates: &[Vec<f64>]) {
    let middle = |rates: &Vec<f64>| median(rates).unwrap_or(f64::NAN);
    let beside = |ours: usize, other: usize| {
        let ratios: Vec<f64> =
            rates[ours].iter().zip(&rates[other]).map(|(ours, other)| ours / other).collect();
        median_interval(&ratios, 0.95, 1).map_or_else(
            |error| error.to_string(),
            |r| format!("{:.3} [{:.3}, {:.3}]", r.median, r.low, r.high),
        )
    };
    for (nth, contender) in contenders.iter().enumerate() {
        let rate = middle(&rates[nth]);
        println!("  {:34} {rate:7.2} GB/s   {}", name(contender), beside(0, nth));
    }
    let best = |ours: bool| {
        let mine = |nth: &usize| matches!(contenders[*nth], Contender::Ours(_)) == ours;
        (0..contenders.len()).filter(mine).max_by(|a, b| middle(&rates[*a]).total_cmp(&middle(&rates[*b])))
    };
    if let (Some(ours), Some(other)) = (best(true), best(false)) {
        println!(
            "{mix}, {threads} threads: {} / best of theirs ({}) {}; best of ours ({}) {}",
            name(&contenders[0]),
            name(&contenders[other]),
            beside(0, other),
            name(&contenders[ours]),
            beside(ours, other)
        );
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

/// GB/s of each contender: the median over turns that they take one after the other; likwid-bench has one long one.
fn round(mix: Mix, contenders: &[Contender], buffers: &mut [[Buffer; 2]]) -> Vec<f64> {
    let kernel = Kernel::candidates(mix)[0];
    let (read, written) = kernel.bytes(LINES / kernel.streams());
    let bytes = (read + written) as f64 * buffers.len() as f64;
    let mut rates = vec![Vec::new(); contenders.len()];
    for turn in 0..2 * PIECES {
        for nth in 0..contenders.len() {
            // In another order each time: who comes after whom must not matter.
            let who = (nth * if turn % 2 == 0 { 1 } else { contenders.len() - 1 } + turn) % contenders.len();
            match contenders[who] {
                Contender::Likwid(test) if turn == 0 => rates[who].push(likwid_rate(test, buffers.len())),
                Contender::Likwid(_) => (),
                _ => rates[who].push(rate(&contenders[who], bytes, buffers)),
            }
        }
    }
    rates.iter().map(|rates| median(rates).unwrap_or(f64::NAN)).collect()
}

/// GB/s of one turn: the bytes of all threads, from when the first begins until the last ends.
fn rate(contender: &Contender, bytes: f64, buffers: &mut [[Buffer; 2]]) -> f64 {
    let (threads, ready) = (buffers.len(), AtomicUsize::new(0));
    let times: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
        let started: Vec<_> = buffers
            .iter_mut()
            .enumerate()
            .map(|(cpu, [ours, others])| {
                let ready = &ready;
                scope.spawn(move || {
                    pin(cpu);
                    ready.fetch_add(1, Ordering::SeqCst);
                    while ready.load(Ordering::SeqCst) < threads {
                        std::hint::spin_loop();
                    }
                    let begin = Instant::now();
                    match contender {
                        Contender::Ours(kernel) => pass(kernel, ours),
                        Contender::Plain(plain) => pass_plain(*plain, others),
                        Contender::Likwid(_) => (),
                    }
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
fn pass(kernel: &Kernel, buffer: &mut Buffer) {
    let (streams, lines, passes) = buffer.next();
    // SAFETY: the buffer's own streams.
    let sum = unsafe { kernel.run(streams, lines) };
    assert_eq!(sum, kernel.expected(lines, *passes), "{kernel:?} did not read what is there");
    *passes += 1;
}

fn pass_plain(plain: Plain, buffer: &mut Buffer) {
    let ([a, b, c], lines, _) = buffer.next();
    // SAFETY: the buffer's own streams, of eight words a line.
    std::hint::black_box(unsafe { plain(a, b, c, lines * 8) });
}

/// Its pages are as huge as ours if glibc is asked for that.
fn likwid_rate(test: &str, threads: usize) -> f64 {
    let bytes = threads * PIECES * LINES * size_of::<Line>() / 1_000_000;
    let output = Command::new("likwid-bench")
        .args(["-t", test, "-w", &format!("S0:{bytes}MB:{threads}"), "-i", "3"])
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
