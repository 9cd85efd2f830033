//! Compilers' code against an emulated processor: `testdata/operands` holds what registers hold at each instruction of some loops, as
//! `testdata/operands/record` wrote it down.

use crate::registers::Registers;
use crate::step::{Direction, Flow, Step};
use crate::{Access, Architecture, Blame, Listing, StackCopy, blame, effect};

/// A loop, and what was recorded of it.
struct Recording {
    arrays: Vec<Array>,
    listings: Vec<Listing>,
    steps: Vec<Registers>,
}

struct Array {
    addresses: std::ops::Range<u64>,
    uses: &'static str,
}

/// How much was found.
#[derive(Debug, Default)]
struct Tally {
    instructions: u32,
    /// General registers that an instruction writes, and of how many the value is known then, and was known before.
    written: u32,
    known_after: u32,
    known_before: u32,
    /// Accesses, at addresses that are known.
    accesses: u32,
    known_accesses: u32,
    in_arrays: u32,
    /// Times that the instruction before is blamed, and how often at the address that it had.
    blamed: u32,
    blamed_there: u32,
    blamed_unknown: u32,
}

const MOST: usize = 32;

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

fn read(text: &'static str) -> Vec<Recording> {
    let mut lines = text.lines();
    let architecture = match lines.next() {
        Some("architecture aarch64") => Architecture::Aarch64,
        Some("architecture x86-64") => Architecture::X86_64,
        other => panic!("which architecture is {other:?}?"),
    };
    let mut recordings: Vec<Recording> = Vec::new();
    let mut general = [0; MOST];
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "loop" {
            recordings.push(Recording { arrays: Vec::new(), listings: Vec::new(), steps: Vec::new() });
            continue;
        }
        let recording = recordings.last_mut().unwrap();
        match words[..] {
            ["array", _, begin, bytes, _, uses] => {
                let begin = hex(begin);
                recording
                    .arrays
                    .push(Array { addresses: begin..begin + bytes.parse::<u64>().unwrap(), uses });
            }
            ["code", begin, bytes] => {
                let bytes: Vec<u8> =
                    (0..bytes.len() / 2).map(|k| hex(&bytes[2 * k..2 * k + 2]) as u8).collect();
                recording.listings.push(Listing::of(architecture, hex(begin), &bytes));
            }
            ["step", ip, ref changed @ ..] => {
                for one in changed {
                    let (number, value) = one.split_once('=').unwrap();
                    general[number.parse::<usize>().unwrap()] = hex(value);
                }
                recording.steps.push(match architecture {
                    Architecture::X86_64 => {
                        Registers::new(hex(ip), std::array::from_fn::<u64, 16, _>(|k| general[k]))
                    }
                    Architecture::Aarch64 => Registers::new(hex(ip), general),
                });
            }
            _ => panic!("what does '{line}' mean?"),
        }
    }
    recordings
}

impl Recording {
    fn compare(&self, tally: &mut Tally) {
        for pair in self.steps.windows(2) {
            let find = |listing: &'_ &Listing| listing.find(pair[0].ip).is_some();
            let Some(listing) = self.listings.iter().find(find) else { continue };
            let step = &listing.steps()[listing.find(pair[0].ip).unwrap()];
            tally.instructions += 1;
            effects(step, &pair[0], &pair[1], tally);
            let accesses = step.accesses(&pair[0]);
            if step.accesses_memory() {
                tally.accesses += 1;
                tally.known_accesses += u32::from(accesses.is_some());
            }
            for access in accesses.iter().flatten() {
                tally.in_arrays += u32::from(self.check(access, &pair[0]));
            }
            self.blame(listing, step, accesses.as_deref(), &pair[1], tally);
        }
    }

    /// Whether it is of an array; else it has to be of the stack or of constants.
    fn check(&self, access: &Access, registers: &Registers) -> bool {
        // Programs without PIE begin there.
        const PROGRAM: std::ops::Range<u64> = 0x40_0000..0x100_0000;
        let letters = match access.direction {
            Direction::Read => "r",
            Direction::Write => "w",
            Direction::ReadAndWrite => "rw",
        };
        let of = self.arrays.iter().find(|array| array.addresses.contains(&access.address));
        let stack = registers.stack_pointer().unwrap();
        match of {
            Some(array) => {
                assert!(array.uses.contains(letters), "{access:x?} of an array that is {}", array.uses)
            }
            None => assert!(
                PROGRAM.contains(&access.address) || access.address.wrapping_sub(stack - 256) < 4096,
                "{access:x?} is nowhere"
            ),
        }
        of.is_some()
    }

    /// When it was this one, and its address can be had back, it is the one that it had; or one of the same array.
    fn blame(
        &self,
        listing: &Listing,
        step: &Step,
        truth: Option<&[Access]>,
        behind: &Registers,
        tally: &mut Tally,
    ) {
        let found = match blame(listing, behind, &StackCopy::default()) {
            Blame::Accesses(found) => found,
            Blame::Unknown { ip } => {
                tally.blamed_unknown += u32::from(ip == step.ip);
                return;
            }
            Blame::Nothing => return,
        };
        let Some(truth) = truth.filter(|truth| found[0].ip == step.ip && !truth.is_empty()) else { return };
        tally.blamed += 1;
        tally.blamed_there += u32::from(found == truth);
        let of = |access: &Access| {
            self.arrays.iter().position(|array| {
                // The next element may lie behind the last one.
                array.addresses.contains(&access.address) || array.addresses.end == access.address
            })
        };
        assert_eq!(of(&found[0]), of(&truth[0]), "{found:x?} instead of {truth:x?}");
    }
}

fn effects(step: &Step, before: &Registers, behind: &Registers, tally: &mut Tally) {
    let mut forwards = before.clone();
    effect::after(step, &mut forwards);
    let mut back = behind.clone();
    effect::before(step, &mut back);
    for number in 0..MOST as u8 {
        let (was, is) = (before.whole(number), behind.whole(number));
        let (after, back) = (forwards.whole(number), back.whole(number));
        let shown = || format!("register {number} of {step:x?}");
        assert!(after.is_none() || after == is, "{}: {after:x?}, is {is:x?}", shown());
        assert!(back.is_none() || back == was, "{}: {back:x?}, was {was:x?}", shown());
        if was != is {
            assert!(step.writes.has(number), "{} is written", shown());
            tally.written += 1;
            tally.known_after += u32::from(after.is_some());
            tally.known_before += u32::from(back.is_some());
        }
        assert!(was.is_none() || step.writes.has(number) || after.is_some(), "{} is kept", shown());
    }
    let goes_on = match step.flow {
        Flow::Next => behind.ip == step.next_ip() || step.repeats,
        Flow::Jump(to) => behind.ip == to,
        Flow::Branch(to) => behind.ip == to || behind.ip == step.next_ip(),
        Flow::Call | Flow::Away => true,
    };
    assert!(goes_on, "{step:x?} goes on at {:x}", behind.ip);
}

fn tally(text: &'static str) -> Tally {
    let mut tally = Tally::default();
    let recordings = read(text);
    assert_eq!(recordings.len(), 18, "loops that were recorded");
    recordings.iter().for_each(|recording| recording.compare(&mut tally));
    tally
}

macro_rules! recorded {
    ($($name:ident, $file:literal;)*) => {$(
        #[test]
        fn $name() {
            let tally = tally(include_str!(concat!("../../../testdata/operands/", $file)));
            assert!(tally.instructions > 500, "{tally:?}");
            assert!(tally.in_arrays > 50, "{tally:?}");
            let share = |part: u32, all: u32| f64::from(part) / f64::from(all);
            assert!(share(tally.known_accesses, tally.accesses) > 0.95, "{tally:?}");
            assert!(share(tally.known_after, tally.written) > 0.6, "{tally:?}");
            assert!(share(tally.blamed_there, tally.blamed) > 0.9, "{tally:?}");
        }
    )*};
}

recorded! {
    scalar_code_of_aarch64_does_what_the_processor_does, "aarch64-gcc-O1.txt";
    vector_code_of_aarch64_does_what_the_processor_does, "aarch64-gcc-O3.txt";
    scalable_code_of_aarch64_does_what_the_processor_does, "aarch64-gcc-O3-sve.txt";
    code_of_aarch64_by_clang_does_what_the_processor_does, "aarch64-clang-O2.txt";
    code_of_x86_64_does_what_the_processor_does, "x86-64-gcc-O2.txt";
    vector_code_of_x86_64_by_clang_does_what_the_processor_does, "x86-64-clang-O3-avx2.txt";
}
