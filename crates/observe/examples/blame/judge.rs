//! What is blamed for recorded samples, against what was large.

use std::collections::BTreeMap;
use std::path::Path;

use numawise_operands::{Access, Architecture, Blame, Direction, Listing, Registers, StackCopy, blame};

/// A recording.
struct Recording {
    arrays: Vec<Array>,
    code: Vec<(u64, Vec<u8>)>,
    samples: Vec<Vec<u64>>,
    /// Nanoseconds of one call.
    call: f64,
}

struct Array {
    begin: u64,
    bytes: u64,
    is_large: bool,
    uses: String,
}

/// What was blamed: samples.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Verdicts {
    right: f64,
    other: f64,
    stack: f64,
    nowhere: f64,
    wrong_direction: f64,
    unknown: f64,
    nothing: f64,
}

impl Verdicts {
    fn all(&self) -> f64 {
        self.right
            + self.other
            + self.stack
            + self.nowhere
            + self.wrong_direction
            + self.unknown
            + self.nothing
    }

    fn add(&mut self, other: &Verdicts) {
        self.right += other.right;
        self.other += other.other;
        self.stack += other.stack;
        self.nowhere += other.nowhere;
        self.wrong_direction += other.wrong_direction;
        self.unknown += other.unknown;
        self.nothing += other.nothing;
    }
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap_or_else(|_| panic!("'{text}' is no number"))
}

fn read(text: &str) -> Recording {
    let mut recording =
        Recording { arrays: Vec::new(), code: Vec::new(), samples: Vec::new(), call: f64::NAN };
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["array", _, begin, bytes, size, uses] => recording.arrays.push(Array {
                begin: hex(begin),
                bytes: bytes.parse().expect("bytes of an array"),
                is_large: size == "large",
                uses: uses.to_owned(),
            }),
            ["code", begin, bytes] => {
                let bytes = (0..bytes.len() / 2).map(|k| hex(&bytes[2 * k..2 * k + 2]) as u8).collect();
                recording.code.push((hex(begin), bytes));
            }
            ["call", time] => recording.call = time.parse().expect("a time"),
            ["sample", ref registers @ ..] => {
                recording.samples.push(registers.iter().map(|word| hex(word)).collect());
            }
            _ => panic!("what does '{line}' mean?"),
        }
    }
    recording
}

impl Recording {
    fn judge(&self, access: &Access, stack: u64, verdict: &mut Verdicts, part: f64) {
        let of = |array: &&Array| (array.begin..array.begin + array.bytes).contains(&access.address);
        let letter = match access.direction {
            Direction::Read => "r",
            Direction::Write => "w",
            Direction::ReadAndWrite => "rw",
        };
        match self.arrays.iter().find(of) {
            None if (stack - 4096..stack + 65536).contains(&access.address) => verdict.stack += part,
            None => verdict.nowhere += part,
            Some(array) if !array.uses.contains(letter) => verdict.wrong_direction += part,
            Some(array) if array.is_large => verdict.right += part,
            Some(_) => verdict.other += part,
        }
    }
}

/// Of all samples in the code; and for each instruction, if that is asked for.
fn judge(recording: &Recording, print: bool) -> Verdicts {
    let listings: Vec<(u64, u64, Listing)> = recording
        .code
        .iter()
        .map(|(begin, code)| {
            (*begin, begin + code.len() as u64, Listing::of(Architecture::X86_64, *begin, code))
        })
        .collect();
    let mut by_ip: BTreeMap<u64, Verdicts> = BTreeMap::new();
    for sample in &recording.samples {
        let ip = sample[0];
        let Some((.., listing)) = listings.iter().find(|(begin, end, _)| (*begin..*end).contains(&ip)) else {
            continue;
        };
        let registers = Registers::new(ip, std::array::from_fn::<u64, 16, _>(|k| sample[1 + k]));
        let verdict = by_ip.entry(ip).or_default();
        match blame(listing, &registers, &StackCopy::default()) {
            Blame::Unknown { .. } => verdict.unknown += 1.0,
            Blame::Nothing => verdict.nothing += 1.0,
            Blame::Accesses(accesses) => {
                // Which of several it was is not known.
                let part = 1.0 / accesses.len() as f64;
                for access in &accesses {
                    recording.judge(access, sample[1 + 4], verdict, part);
                }
            }
        }
    }
    let mut all = Verdicts::default();
    for (ip, verdict) in by_ip {
        all.add(&verdict);
        if print {
            println!("    {ip:x} {verdict:?}");
        }
    }
    all
}

pub fn all(folder: &Path, only: Option<&str>) {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder of samples")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".txt") && only.is_none_or(|only| name.contains(only)))
        .collect();
    names.sort();
    let recordings: BTreeMap<String, Recording> = names
        .iter()
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(name)).expect("a recording");
            (name.trim_end_matches(".txt").to_owned(), read(&text))
        })
        .collect();
    println!(
        "{:<32} samples  waits  right  other  stack  nowhere  direction  unknown  nothing",
        "loop.large.compiler"
    );
    let mut sums: BTreeMap<String, (Verdicts, f64)> = BTreeMap::new();
    for (name, recording) in &recordings {
        let parts: Vec<&str> = name.splitn(3, '.').collect();
        let small = recordings.get(&format!("{}.0.{}", parts[0], parts[2])).map(|small| small.call);
        let waits = small.map_or(f64::NAN, |small| 1.0 - small / recording.call);
        let verdicts = judge(recording, only.is_some());
        print(name, &verdicts, waits);
        let is_small = parts[1] == "0";
        for group in [format!("all {}", parts[0]), format!("all {}", parts[2]), "all".to_owned()] {
            let group = if is_small { format!("{group} (small)") } else { group };
            let sum = sums.entry(group).or_default();
            sum.0.add(&verdicts);
            sum.1 += waits * verdicts.all();
        }
    }
    for (name, (verdicts, waits)) in &sums {
        print(name, verdicts, waits / verdicts.all());
    }
}

/// `waits`: the share of the time that the small arrays do not explain.
fn print(name: &str, verdicts: &Verdicts, waits: f64) {
    let all = verdicts.all();
    let share = |part: f64| 100.0 * part / all;
    println!(
        "{name:<32} {all:>7.0} {:>6.1} {:>6.1} {:>6.1} {:>6.1} {:>8.1} {:>10.1} {:>8.1} {:>8.1}",
        100.0 * waits,
        share(verdicts.right),
        share(verdicts.other),
        share(verdicts.stack),
        share(verdicts.nowhere),
        share(verdicts.wrong_direction),
        share(verdicts.unknown),
        share(verdicts.nothing)
    );
}
