use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::objects::CodeRuntime;

use super::super::input::{CodeMapping, LoadedVariable, Stack};
use super::*;

const BEGIN: u64 = 0x40_0000;
/// From here on lies code that a runtime makes.
const MADE: u64 = 0x7000_0000;
const ONE: Pid = Pid(100);
const OTHER: Pid = Pid(101);

/// A function with a loop in a loop, at another address in each process.
struct Fake {
    bytes: Vec<u8>,
    file: &'static str,
    asked: usize,
}

impl Fake {
    fn base(process: Pid) -> u64 {
        BEGIN + (process.0 as u64 - 100) * 0x10_0000
    }
}

impl Code for Fake {
    fn mapped(&mut self, _: &CodeMapping) {}
    fn variables_near(&mut self, _: Pid, _: u64) -> Vec<LoadedVariable> {
        Vec::new()
    }
    fn forked(&mut self, _: Pid, _: Pid) {}
    fn replaced(&mut self, _: Pid) {}
    fn place(&mut self, process: Pid, address: u64) -> Option<CodePlace> {
        let offset = address - Fake::base(process);
        let source = SourcePlace {
            function: Reading::Measured("solve".to_owned()),
            file: Reading::Measured("solve.c".to_owned()),
            line: Reading::Measured(10 + offset as u32 / 8),
        };
        Some(CodePlace { file: "/a".to_owned(), address: offset, source })
    }
    fn in_file(&mut self, process: Pid, address: u64) -> Option<FileAddress> {
        Some(FileAddress { file: self.file.to_owned(), address: address.checked_sub(Fake::base(process))? })
    }
    fn function(&mut self, process: Pid, address: u64) -> Option<(u64, Vec<u8>)> {
        self.asked += 1;
        let base = Fake::base(process);
        (base..base + self.bytes.len() as u64).contains(&address).then(|| (base, self.bytes.clone()))
    }
    fn unknown(&mut self, _: Pid, address: u64) -> (CodeObstacle, Option<String>) {
        match address {
            MADE.. => (CodeObstacle::JustInTime(CodeRuntime::Julia), Some("/libjulia.so".to_owned())),
            _ => (CodeObstacle::Gone, None),
        }
    }
    fn made_function(&mut self, _: Pid, address: u64) -> Option<String> {
        (address >= MADE).then(|| format!("solve{}", (address - MADE) / 0x100))
    }
    fn callers(&mut self, _: Pid, _: &Stack<'_>) -> Vec<u64> {
        Vec::new()
    }
    fn variable(&mut self, _: &CodePlace) -> Reading<String> {
        Reading::unavailable("none")
    }
    fn variables_of_calls(&mut self, _: &FileAddress) -> Vec<String> {
        Vec::new()
    }
}

/// Begins of its instructions, as offsets: outside, outer, inner, inner, inner, outer, outer, outside.
fn code() -> (Fake, Vec<u64>) {
    // xor eax, eax; xor ecx, ecx; addpd xmm0, xmm1; add rcx, 1; jne; add rax, 1; jne; ret
    let bytes = vec![
        0x31, 0xc0, 0x31, 0xc9, 0x66, 0x0f, 0x58, 0xc1, 0x48, 0x83, 0xc1, 0x01, 0x75, 0xf6, 0x48, 0x83, 0xc0,
        0x01, 0x75, 0xee, 0xc3,
    ];
    let listing = Listing::of(Architecture::X86_64, BEGIN, &bytes);
    let begins = listing.steps().iter().map(|step| step.ip() - BEGIN).collect();
    (Fake { bytes, file: "/a", asked: 0 }, begins)
}

fn sample(hot: &mut HotCode, (process, ip): (Pid, u64), thread: u32, code: &mut Fake) {
    hot.sample((process, &Registers::new(ip, [0; 16])), thread, code);
}

fn samples(of: &[ThreadSamples]) -> Vec<(u32, u64)> {
    of.iter().map(|of| (of.thread, of.samples)).collect()
}

#[test]
fn samples_belong_to_the_innermost_loop_around_them() {
    let (mut fake, at) = code();
    let (mut hot, mut places) =
        (HotCode::new(Reading::Measured(256), Nanoseconds(1_000_000)), Places::default());
    for (offset, thread) in
        [(at[0], 0), (at[1], 0), (at[2], 0), (at[2], 1), (at[4], 1), (at[6], 0), (at[7], 0)]
    {
        sample(&mut hot, (ONE, BEGIN + offset), thread, &mut fake);
    }
    sample(&mut hot, (ONE, 0x99), 2, &mut fake);
    let found = hot.finish(&mut places, &mut fake);
    let [outer, inner] = found.loops.as_slice() else { panic!("{:?}", found.loops) };
    assert_eq!((samples(&outer.samples), outer.depth, outer.is_innermost), (vec![(0, 2)], 1, false));
    assert_eq!((samples(&inner.samples), inner.parent), (vec![(0, 1), (1, 2)], Some(0)));
    assert_eq!((inner.head.address, inner.work.packed_elements, inner.work.vector_bits), (at[2], 2, 128));
    assert_eq!(samples(&found.outside[0].samples), [(0, 2)]);
    assert_eq!(samples(&found.without_code), [(2, 1)]);
    assert_eq!(inner.lines.iter().map(|line| line.instructions).sum::<u32>(), 3);
}

#[test]
fn processes_with_the_same_file_have_the_same_loops() {
    let (mut fake, at) = code();
    let (mut hot, mut places) =
        (HotCode::new(Reading::Measured(256), Nanoseconds(1_000_000)), Places::default());
    for _ in 0..100 {
        sample(&mut hot, (ONE, Fake::base(ONE) + at[2]), 0, &mut fake);
        sample(&mut hot, (OTHER, Fake::base(OTHER) + at[3]), 1, &mut fake);
    }
    assert_eq!(fake.asked, 2, "an instruction of a process is looked up once");
    let found = hot.finish(&mut places, &mut fake);
    let inner: Vec<_> = found.loops.iter().filter(|of| of.is_innermost).collect();
    assert_eq!(inner.len(), 1);
    assert_eq!(samples(&inner[0].samples), [(0, 100), (1, 100)]);
}

#[test]
fn a_loop_around_a_sampled_one_is_there_without_samples() {
    let (mut fake, at) = code();
    let (mut hot, mut places) =
        (HotCode::new(Reading::Measured(256), Nanoseconds(1_000_000)), Places::default());
    sample(&mut hot, (ONE, BEGIN + at[3]), 0, &mut fake);
    hot.forget(ONE, &mut places, &mut fake);
    let found = hot.finish(&mut places, &mut fake);
    assert_eq!(found.loops.iter().map(|of| of.samples.len()).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn what_lies_in_a_library_of_message_passing_is_counted_apart_and_not_looked_up() {
    let (mut fake, at) = code();
    fake.file = "/usr/lib/libmpi.so.40";
    let (mut hot, mut places) =
        (HotCode::new(Reading::Measured(256), Nanoseconds(1_000_000)), Places::default());
    for thread in [0, 0, 1] {
        sample(&mut hot, (ONE, BEGIN + at[2]), thread, &mut fake);
    }
    let found = hot.finish(&mut places, &mut fake);
    assert_eq!((samples(&found.messages), fake.asked), (vec![(0, 2), (1, 1)], 0));
    assert!(found.loops.is_empty() && found.without_code.is_empty() && places.all().is_empty());
}

#[test]
fn code_of_no_known_function_says_what_it_is() {
    let (mut fake, at) = code();
    let (mut hot, mut places) =
        (HotCode::new(Reading::Measured(256), Nanoseconds(1_000_000)), Places::default());
    // Two functions that a runtime makes, an address of which nothing is known, and a place between two instructions of the file.
    for ip in [MADE, MADE + 8, MADE + 8, MADE + 0x100, 0x99, BEGIN + at[2] + 1, BEGIN + at[2] + 1] {
        sample(&mut hot, (ONE, ip), 0, &mut fake);
    }
    let found = hot.finish(&mut places, &mut fake);
    let told =
        |of: &UnknownCode| (of.why, of.file.clone().unwrap_or_default(), of.function.clone(), of.samples);
    let julia = |name: &str, samples| {
        let why = CodeObstacle::JustInTime(CodeRuntime::Julia);
        (why, "/libjulia.so".to_owned(), Some(name.to_owned()), samples)
    };
    assert_eq!(
        found.unknown.iter().map(told).collect::<Vec<_>>(),
        [
            julia("solve0", 3),
            (CodeObstacle::WrittenOver, "/a".to_owned(), None, 2),
            julia("solve1", 1),
            (CodeObstacle::Gone, String::new(), None, 1),
        ]
    );
    assert_eq!(samples(&found.without_code), [(0, 7)]);
}
