use super::*;

const COUNTS: [usize; 12] = [0, 1, 2, 3, 5, 7, 8, 63, 64, 65, 129, 1000];

fn kernels() -> Vec<Kernel> {
    let mut all = Vec::new();
    for vectors in available() {
        for path in [LoopPath::Straight, LoopPath::Tuned] {
            let which = MemoryLoop { vectors, path };
            all.extend(Mix::ALL.into_iter().filter_map(|mix| Kernel::new(mix, which)));
        }
    }
    all
}

/// Three streams with a line before and after each that no kernel may touch.
struct Buffers([Vec<Line>; 3]);

const GUARD: Line = Line([0xdead_beef; 8]);

impl Buffers {
    fn new(lines: usize, word: impl Fn(usize, u64) -> u64) -> Buffers {
        Buffers(std::array::from_fn(|stream| {
            let mut words = 0..;
            let mut next = || word(stream, words.next().unwrap_or(0));
            let inner = (0..lines).map(|_| Line(std::array::from_fn(|_| next())));
            [GUARD].into_iter().chain(inner).chain([GUARD]).collect()
        }))
    }

    fn filled(lines: usize) -> Buffers {
        let mut all = Buffers::new(lines, |_, _| 0);
        all.0.iter_mut().for_each(|stream| fill(&mut stream[1..=lines]));
        all
    }

    fn streams(&mut self) -> Streams {
        self.0.each_mut().map(|stream| stream[1..].as_mut_ptr())
    }

    fn check_guards(&self) {
        for stream in &self.0 {
            assert_eq!((stream.first(), stream.last()), (Some(&GUARD), Some(&GUARD)));
        }
    }
}

#[test]
fn every_mix_has_a_loop_for_all_vectors_available() {
    assert_eq!(kernels().len(), 2 * Mix::ALL.len() * available().len());
    assert_eq!(available().last(), Some(&Vectors::Portable));
}

#[test]
fn every_width_in_every_path_is_a_candidate() {
    let own: Vec<Vectors> = available().into_iter().filter(|v| *v != Vectors::Portable).collect();
    for mix in Mix::ALL {
        let candidates: Vec<MemoryLoop> =
            Kernel::candidates(mix).into_iter().map(|kernel| kernel.which).collect();
        assert_eq!(candidates[0], MemoryLoop { vectors: available()[0], path: LoopPath::Tuned });
        for (&vectors, path) in own.iter().flat_map(|v| [(v, LoopPath::Tuned), (v, LoopPath::Straight)]) {
            assert!(candidates.contains(&MemoryLoop { vectors, path }), "{mix}: {candidates:?}");
        }
        // Its stores go through the caches: it does less than it is said to do, and would win where that is faster.
        assert!(own.is_empty() || candidates.iter().all(|which| which.vectors != Vectors::Portable));
        assert!(Kernel::candidates_for_short_blocks(mix).iter().all(|k| k.which.path == LoopPath::Straight));
    }
}

#[test]
fn vectors_of_another_kind_of_cpu_are_refused() {
    let other = if cfg!(target_arch = "x86_64") { Vectors::Neon } else { Vectors::Avx512 };
    assert!(!available().contains(&other));
    let which = MemoryLoop { vectors: other, path: LoopPath::Tuned };
    assert!(Kernel::new(Mix::Read, which).is_none());
}

#[test]
fn sums_and_memory_are_those_expected() {
    for kernel in kernels() {
        for lines in COUNTS {
            let mut buffers = Buffers::filled(lines);
            let streams = buffers.streams();
            for pass in 0..3 {
                // SAFETY: three streams of that many lines, ours alone.
                let sum = unsafe { kernel.run(streams, lines) };
                assert_eq!(sum, kernel.expected(lines, pass), "{kernel:?} {lines} {pass}");
                // SAFETY: the same.
                assert_eq!(unsafe { kernel.verify(streams, lines, pass + 1) }, Ok(()));
            }
            buffers.check_guards();
        }
    }
}

/// With streams that all differ, so that none can stand for another; beside the plainest words for what a mix is.
#[test]
fn every_kernel_does_what_its_mix_says() {
    let word = |stream: usize, nth: u64| (nth + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 << stream);
    for kernel in kernels() {
        for lines in COUNTS {
            let mut buffers = Buffers::new(lines, word);
            // SAFETY: three streams of that many lines, ours alone.
            let sum = unsafe { kernel.run(buffers.streams(), lines) };
            let mut expected = 0u64;
            let words = (0u64..).zip(buffers.0[0][1..=lines].iter().flat_map(|line| line.0));
            for (nth, left) in words {
                let [a, b, c] = [0, 1, 2].map(|stream| word(stream, nth));
                let triad = b.wrapping_add(c).wrapping_add(c);
                let (added, leaves) = match kernel.mix {
                    Mix::Read => (a, a),
                    Mix::Read1Write1 => (a, a.wrapping_add(1)),
                    Mix::Read2Write1 => (a.wrapping_add(b), a.wrapping_add(1)),
                    Mix::Read3Write1 => (a.wrapping_add(b).wrapping_add(c), a.wrapping_add(1)),
                    Mix::Triad => (triad, triad),
                    Mix::NonTemporalWrite => (0, 0x0102_0304_0506_0708),
                };
                assert_eq!(left, leaves, "{kernel:?} {lines} word {nth}");
                expected = expected.wrapping_add(added);
            }
            assert_eq!(sum, expected, "{kernel:?} {lines}");
            let untouched = Buffers::new(lines, word);
            assert_eq!(buffers.0[1..], untouched.0[1..], "{kernel:?} writes its first stream only");
            buffers.check_guards();
        }
    }
}

#[test]
fn calls_over_parts_add_up_to_one_over_all() {
    for kernel in kernels() {
        let mut buffers = Buffers::filled(100);
        let streams = buffers.streams();
        let sum = [(0, 33), (33, 1), (34, 66)].into_iter().fold(0u64, |sum, (from, lines)| {
            // SAFETY: parts of streams of a hundred lines.
            sum.wrapping_add(unsafe { kernel.run(streams.map(|stream| stream.add(from)), lines) })
        });
        assert_eq!(sum, kernel.expected(100, 0), "{kernel:?}");
    }
}

#[test]
fn what_is_wrong_in_memory_is_found_and_told() {
    for kernel in kernels() {
        for (stream, line, word) in [(0, 0, 0), (0, 6, 7), (kernel.streams() - 1, 3, 4)] {
            let mut buffers = Buffers::filled(7);
            let streams = buffers.streams();
            // SAFETY: three streams of seven lines, ours alone.
            unsafe { kernel.run(streams, 7) };
            buffers.0[stream][1 + line].0[word] ^= 1 << 40;
            let streams = buffers.streams();
            // SAFETY: the same.
            let told = unsafe { kernel.verify(streams, 7, 1) }.expect_err("a word is wrong").to_string();
            assert!(told.contains(&format!("word {word} of line {line} of stream {stream} is 0x")), "{told}");
        }
    }
}

#[test]
fn a_pass_too_few_or_too_many_is_found() {
    for kernel in kernels().into_iter().filter(|kernel| kernel.mix != Mix::Read) {
        let mut buffers = Buffers::filled(9);
        let streams = buffers.streams();
        // SAFETY: three streams of nine lines, ours alone.
        assert!(unsafe { kernel.verify(streams, 9, 1) }.is_err(), "{kernel:?} has stored nothing yet");
        if matches!(kernel.mix, Mix::Read1Write1 | Mix::Read2Write1 | Mix::Read3Write1) {
            // SAFETY: the same.
            unsafe { kernel.run(streams, 9) };
            // SAFETY: the same.
            assert!(unsafe { kernel.verify(streams, 9, 2) }.is_err(), "{kernel:?} has stored once");
            assert_ne!(kernel.expected(9, 0), kernel.expected(9, 1));
        }
    }
}

#[test]
fn bytes_are_those_of_the_lines_moved() {
    let moved = |mix| Kernel::candidates(mix)[0].bytes(10);
    assert_eq!(moved(Mix::Read), (640, 0));
    assert_eq!(moved(Mix::Read3Write1), (1920, 640));
    assert_eq!(moved(Mix::Triad), (1280, 640));
    assert_eq!(moved(Mix::NonTemporalWrite), (0, 640));
}

#[test]
fn waiting_ends() {
    [0, 1, 2, 1000].into_iter().for_each(spin);
}
