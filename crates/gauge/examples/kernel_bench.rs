//! GB/s of the loops for one mix, in turns with plain C and with likwid-bench: what `scripts/bench-gauge` shows.
//!
//! usage: kernel_bench MIX THREADS [ROUNDS [LIBRARY]]
//! MIX as in the profile, or `every-MIX` for all our loops for it beside each other; ROUNDS is 7. With LIBRARY, which is
//! `native/gauge-reference` as a shared object, the plain loop and likwid-bench's take their turns in each round.

use std::alloc::Layout;
use std::ffi::CString;
use std::process::{Command, ExitCode};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use numawise_facts::Mix;
use numawise_gauge::kernels::{Kernel, Line, Shape, Streams, Vectors, fill};
use numawise_stats::{median, median_interval};

/// Lines for each thread, shared among the streams: 1.5 GiB, beyond any cache that we know of.
const LINES: usize = 3 << 23;
/// The streams' starts are moved against each other by so many lines, so that they do not meet in the same sets of caches.
const SKEW: usize = 21;
/// Passes in one turn.
const PASSES: u64 = 2;

type Plain = unsafe extern "C" fn(*mut Line, *mut Line, *mut Line, usize) -> u64;

enum Contender {
    Ours(Kernel),
    Plain(Plain),
    Likwid(&'static str),
}

/// A thread's lines, in huge pages where they are to be had.
struct Buffer {
    start: *mut Line,
    passes: u64,
}

// SAFETY: a thread uses its own buffer only.
unsafe impl Send for Buffer {}

impl Buffer {
    fn new() -> Buffer {
        let layout = Layout::array::<Line>(LINES + 3 * SKEW).and_then(|lines| lines.align_to(1 << 21));
        let layout = layout.expect("a size that fits");
        // SAFETY: the size is not zero; `fill` writes every line before one is read.
        let start = unsafe { std::alloc::alloc(layout) }.cast::<Line>();
        assert!(!start.is_null(), "no memory for {} bytes", layout.size());
        // SAFETY: memory of our own that nobody uses yet; a refusal leaves small pages.
        unsafe { libc::madvise(start.cast(), layout.size(), libc::MADV_HUGEPAGE) };
        Buffer { start, passes: 0 }
    }

    fn streams(&self, count: usize) -> (Streams, usize) {
        let lines = LINES / count;
        // SAFETY: three streams of a third each, or fewer and longer ones, and the skew between them.
        let start = |nth: usize| unsafe { self.start.add((nth % count) * (lines + SKEW)) };
        ([start(0), start(1), start(2)], lines)
    }

    fn fill(&self, count: usize, plain: bool) {
        let (streams, lines) = self.streams(count);
        for &stream in &streams[..count] {
            // SAFETY: the buffer's own lines.
            let stream = unsafe { std::slice::from_raw_parts_mut(stream, lines) };
            match plain {
                true => stream.fill(Line([1.0f64.to_bits(); 8])),
                false => fill(stream),
            }
        }
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((mix, every, threads, rounds)) = asked(&words) else {
        eprintln!("usage: kernel_bench [every-]MIX THREADS [ROUNDS [LIBRARY]]");
        return ExitCode::from(2);
    };
    let mut contenders = match every {
        false => vec![Contender::Ours(Kernel::best(mix))],
        true => ours(mix),
    };
    if let Some(library) = words.get(3) {
        contenders.push(Contender::Plain(plain(mix, library)));
        if Command::new("likwid-bench").arg("-h").output().is_ok() {
            contenders.extend(likwid(mix).iter().map(|test| Contender::Likwid(test)));
        }
    }
    let streams = Kernel::best(mix).streams();
    let mut buffers: Vec<[Buffer; 2]> = (0..threads).map(|_| [Buffer::new(), Buffer::new()]).collect();
    for [ours, others] in &buffers {
        ours.fill(streams, false);
        if words.len() > 3 {
            others.fill(streams, true);
        }
    }
    let mut rates = vec![Vec::new(); contenders.len()];
    for round in 0..rounds {
        for turn in 0..contenders.len() {
            let who = (turn + round) % contenders.len();
            rates[who].push(rate(&contenders[who], mix, &mut buffers));
        }
    }
    show(mix, threads, &contenders, &rates);
    ExitCode::SUCCESS
}

/// A row for each contender: the median, and the first one's rate as a multiple of it, with the interval over the rounds.
fn show(mix: Mix, threads: usize, contenders: &[Contender], rates: &[Vec<f64>]) {
    for (contender, theirs) in contenders.iter().zip(rates) {
        let ratios: Vec<f64> = rates[0].iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        let beside = median_interval(&ratios, 0.95, 1)
            .map(|ratio| format!("{:.3} [{:.3}, {:.3}]", ratio.median, ratio.low, ratio.high));
        println!(
            "{mix:9} {threads} {:34} {:7.2} GB/s   {}",
            name(contender),
            median(theirs).unwrap_or(f64::NAN),
            beside.unwrap_or_default()
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
        Contender::Ours(kernel) => format!("numawise {} {:?}", kernel.vectors.name(), kernel.shape),
        Contender::Plain(_) => "plain C, gcc -O3 -march=native".to_owned(),
        Contender::Likwid(test) => format!("likwid-bench {test}"),
    }
}

fn ours(mix: Mix) -> Vec<Contender> {
    let shapes = [Shape::Parted, Shape::Straight];
    let all = Vectors::available().into_iter().flat_map(|vectors| shapes.map(|shape| (vectors, shape)));
    all.filter_map(|(vectors, shape)| Kernel::shaped(mix, vectors, shape)).map(Contender::Ours).collect()
}

fn plain(mix: Mix, library_name: &str) -> Plain {
    let symbol = match mix {
        Mix::Read => c"reference_read",
        Mix::Read3Write1 => c"reference_3_1",
        Mix::Read2Write1 => c"reference_2_1",
        Mix::Read1Write1 => c"reference_1_1",
        Mix::Triad => c"reference_triad",
        Mix::NonTemporalWrite => c"reference_write",
    };
    let path = CString::new(library_name).expect("no zero in the path");
    // SAFETY: the library runs nothing when it is loaded, and its functions have this type.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        assert!(!library.is_null(), "'{}' cannot be loaded", library_name);
        let function = libc::dlsym(library, symbol.as_ptr());
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

/// GB/s of one turn.
fn rate(contender: &Contender, mix: Mix, buffers: &mut [[Buffer; 2]]) -> f64 {
    if let Contender::Likwid(test) = contender {
        return likwid_rate(test, buffers.len());
    }
    let (threads, barrier) = (buffers.len(), Barrier::new(buffers.len()));
    let times: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
        let started: Vec<_> = buffers
            .iter_mut()
            .enumerate()
            .map(|(cpu, [ours, others])| {
                let barrier = &barrier;
                scope.spawn(move || {
                    pin(cpu);
                    barrier.wait();
                    let begin = Instant::now();
                    for _ in 0..PASSES {
                        match contender {
                            Contender::Ours(kernel) => pass(kernel, ours),
                            Contender::Plain(plain) => pass_plain(*plain, mix, others),
                            Contender::Likwid(_) => (),
                        }
                    }
                    (begin, Instant::now())
                })
            })
            .collect();
        started.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    let begin = times.iter().map(|(begin, _)| *begin).min().expect("a thread");
    let took: Duration = times.iter().map(|(_, end)| *end - begin).max().expect("a thread");
    let kernel = Kernel::best(mix);
    let (read, written) = kernel.bytes(LINES / kernel.streams());
    (read + written) as f64 * (PASSES * threads as u64) as f64 / took.as_secs_f64() / 1e9
}

fn pass(kernel: &Kernel, buffer: &mut Buffer) {
    let (streams, lines) = buffer.streams(kernel.streams());
    // SAFETY: the buffer's own streams.
    let sum = unsafe { kernel.run(streams, lines) };
    assert_eq!(sum, kernel.expected(lines, buffer.passes), "{kernel:?} did not read what is there");
    buffer.passes += 1;
}

fn pass_plain(plain: Plain, mix: Mix, buffer: &Buffer) {
    let ([a, b, c], lines) = buffer.streams(Kernel::best(mix).streams());
    // SAFETY: the buffer's own streams, of eight words a line.
    std::hint::black_box(unsafe { plain(a, b, c, lines * 8) });
}

/// Its pages are as huge as ours if glibc is asked for that.
fn likwid_rate(test: &str, threads: usize) -> f64 {
    let bytes = threads * LINES * size_of::<Line>() / 1_000_000;
    let output = Command::new("likwid-bench")
        .args(["-t", test, "-w", &format!("S0:{bytes}MB:{threads}"), "-i", &PASSES.to_string()])
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
