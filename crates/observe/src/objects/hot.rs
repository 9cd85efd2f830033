//! Where the program's time goes: the loops of its functions in which threads are sampled.

use std::collections::{BTreeMap, HashMap};

use numawise_facts::Reading;
use numawise_facts::objects::{
    CodeObstacle, CodeSamples, FileAddress, LoopLine, LoopPassing, LoopWork, MachineLoop, OutsideLoops,
    ThreadSamples, UnknownCode,
};
use numawise_operands::{Architecture, Listing, Nest, Registers, VectorUse, Work, works};
use numawise_units::{Nanoseconds, Pid};

use super::input::{Code, LoadedVariable};
use super::places::Places;
use super::polling::is_message_passing;
use passing::Passing;

mod passing;

#[cfg(test)]
#[path = "hot_tests.rs"]
mod tests;

/// Functions of no known code that are kept: those that a runtime makes and names can be many.
const MOST_UNKNOWN: usize = 1000;

/// Samples by the instruction at which a thread was.
#[derive(Debug)]
pub struct HotCode {
    offered: Reading<u32>,
    /// CPU time of a thread from sample to sample.
    period: Nanoseconds,
    functions: Vec<Function>,
    by_begin: HashMap<FileAddress, u32>,
    /// What lies at an address in a process.
    known: HashMap<(Pid, u64), Lies>,
    without_code: BTreeMap<u32, u64>,
    unknown: HashMap<(Pid, u64), Unknown>,
    messages: BTreeMap<u32, u64>,
    /// How many samples each thread had.
    samples_of: Vec<u64>,
    /// Large variables of processes, as far as they were asked for.
    variables: HashMap<Pid, Vec<LoadedVariable>>,
}

/// Code of no known function.
#[derive(Debug)]
struct Unknown {
    why: CodeObstacle,
    file: Option<String>,
    samples: u64,
}

/// What an instruction is of.
#[derive(Debug, Clone, Copy)]
enum Lies {
    /// A function, and the number of the instruction in it.
    Function(u32, u32),
    /// A library that passes messages.
    Messages,
    Unknown,
}

/// A function, of whatever processes have it.
#[derive(Debug)]
struct Function {
    begin: FileAddress,
    /// Where it begins in a process that has it.
    process: Pid,
    at: u64,
    listing: Listing,
    nest: Nest,
    works: Vec<Option<Work>>,
    /// By instruction and thread.
    samples: BTreeMap<(u32, u32), u64>,
    /// Places of the instructions of loops that were sampled, as far as they were asked for.
    places: BTreeMap<u32, Option<u32>>,
    place: Option<u32>,
    /// Loops that were sampled, and how threads go through them.
    passing: BTreeMap<u32, Passing>,
}

impl HotCode {
    /// `offered`: bits of the widest vectors that the CPU has instructions for. `period`: CPU time of a thread from sample to sample.
    pub fn new(offered: Reading<u32>, period: Nanoseconds) -> HotCode {
        HotCode {
            offered,
            period,
            functions: Vec::new(),
            by_begin: HashMap::new(),
            known: HashMap::new(),
            without_code: BTreeMap::new(),
            unknown: HashMap::new(),
            messages: BTreeMap::new(),
            samples_of: Vec::new(),
            variables: HashMap::new(),
        }
    }

    /// A thread was at an instruction.
    pub fn sample(&mut self, (process, registers): (Pid, &Registers), thread: u32, code: &mut dyn Code) {
        let ip = registers.ip;
        self.samples_of.resize(self.samples_of.len().max(thread as usize + 1), 0);
        self.samples_of[thread as usize] += 1;
        let number = self.samples_of[thread as usize];
        let known = self.known.get(&(process, ip)).copied();
        let lies = known.unwrap_or_else(|| {
            let found = self.find(process, ip, code);
            self.known.insert((process, ip), found);
            found
        });
        let count = match lies {
            Lies::Function(function, step) => {
                let of = &mut self.functions[function as usize];
                of.passes(step as usize, (process, registers), (thread, number, self.period));
                of.samples.entry((step, thread)).or_default()
            }
            Lies::Messages => self.messages.entry(thread).or_default(),
            Lies::Unknown => {
                self.in_unknown((process, ip), code).samples += 1;
                self.without_code.entry(thread).or_default()
            }
        };
        *count += 1;
    }

    fn in_unknown(&mut self, (process, ip): (Pid, u64), code: &mut dyn Code) -> &mut Unknown {
        self.unknown.entry((process, ip)).or_insert_with(|| {
            let is_in_function = code.function(process, ip).is_some();
            let (why, file) = match is_in_function.then(|| code.in_file(process, ip)).flatten() {
                Some(of) => (CodeObstacle::WrittenOver, Some(of.file)),
                None => code.unknown(process, ip),
            };
            Unknown { why, file, samples: 0 }
        })
    }

    /// What is of one file and function, together; most samples first.
    fn unknown(&self, code: &mut dyn Code) -> Vec<UnknownCode> {
        let mut sums: BTreeMap<(CodeObstacle, Option<String>, Option<String>), u64> = BTreeMap::new();
        for ((process, ip), of) in &self.unknown {
            let is_made = matches!(of.why, CodeObstacle::JustInTime(_) | CodeObstacle::NoFile);
            let function = is_made.then(|| code.made_function(*process, *ip)).flatten();
            *sums.entry((of.why, of.file.clone(), function)).or_default() += of.samples;
        }
        let one = |((why, file, function), samples)| UnknownCode { why, file, function, samples };
        let mut all: Vec<UnknownCode> = sums.into_iter().map(one).collect();
        all.sort_by_key(|of| std::cmp::Reverse(of.samples));
        all.truncate(MOST_UNKNOWN);
        all
    }

    fn find(&mut self, process: Pid, ip: u64, code: &mut dyn Code) -> Lies {
        if code.in_file(process, ip).is_some_and(|of| is_message_passing(&of.file)) {
            return Lies::Messages;
        }
        let found = self.in_function(process, ip, code);
        found.map_or(Lies::Unknown, |(function, step)| Lies::Function(function, step))
    }

    /// The function around an instruction, and its number there.
    fn in_function(&mut self, process: Pid, ip: u64, code: &mut dyn Code) -> Option<(u32, u32)> {
        let architecture = Architecture::native()?;
        let (begin, bytes) = code.function(process, ip)?;
        let in_file = code.in_file(process, begin)?;
        let function = match self.by_begin.get(&in_file) {
            Some(known) => *known,
            None => {
                let listing = Listing::of(architecture, begin, &bytes);
                let works = works(architecture, &listing, begin, &bytes);
                let nest = Nest::of(&listing);
                let (samples, places) = (BTreeMap::new(), BTreeMap::new());
                let (at, place, passing) = (begin, None, BTreeMap::new());
                let begin = in_file.clone();
                self.functions.push(Function {
                    begin,
                    process,
                    at,
                    listing,
                    nest,
                    works,
                    samples,
                    places,
                    place,
                    passing,
                });
                let number = (self.functions.len() - 1) as u32;
                self.by_begin.insert(in_file, number);
                number
            }
        };
        let of = &self.functions[function as usize];
        // Other processes have it elsewhere.
        let step = of.listing.find(of.at.wrapping_add(ip.wrapping_sub(begin)))?;
        Some((function, step as u32))
    }

    /// What lies where in a process changes: what its code is made of is asked for before.
    pub fn forget(&mut self, process: Pid, places: &mut Places, code: &mut dyn Code) {
        self.name(Some(process), places, code);
        self.known.retain(|(of, _), _| *of != process);
    }

    fn name(&mut self, process: Option<Pid>, places: &mut Places, code: &mut dyn Code) {
        for of in self.functions.iter_mut().filter(|of| process.is_none_or(|process| of.process == process)) {
            of.name(places, code);
            let known = self.variables.entry(of.process).or_default();
            of.passing.values_mut().for_each(|passing| passing.name(of.process, code, known));
        }
    }

    /// All that was sampled.
    pub fn finish(&mut self, places: &mut Places, code: &mut dyn Code) -> CodeSamples {
        self.name(None, places, code);
        let mut all = CodeSamples {
            without_code: counted(&self.without_code),
            unknown: self.unknown(code),
            messages: counted(&self.messages),
            ..CodeSamples::none(self.offered.clone())
        };
        self.functions.iter().for_each(|of| of.tell(&mut all));
        all
    }
}

fn counted(samples: &BTreeMap<u32, u64>) -> Vec<ThreadSamples> {
    by_thread(samples.iter().map(|(thread, samples)| (*thread, *samples)))
}

fn by_thread(samples: impl Iterator<Item = (u32, u64)>) -> Vec<ThreadSamples> {
    let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
    samples.for_each(|(thread, samples)| *sums.entry(thread).or_default() += samples);
    sums.into_iter().map(|(thread, samples)| ThreadSamples { thread, samples }).collect()
}

impl Function {
    /// Notes what the registers of a thread say of the loop that it is in. Addresses in the code are those of one process: others say nothing.
    fn passes(
        &mut self,
        step: usize,
        (process, registers): (Pid, &Registers),
        when: (u32, u64, Nanoseconds),
    ) {
        let Some(of) = self.nest.around(step).filter(|_| self.listing.steps()[step].ip() == registers.ip)
        else {
            return;
        };
        let passing = self.passing.entry(of as u32);
        passing
            .or_insert_with(|| {
                Passing::of(registers.architecture(), (&self.listing, &self.works), &self.nest, of)
            })
            .sample(step, (process, registers), when);
    }

    /// Loops that were sampled, and those around them.
    fn sampled(&self) -> Vec<bool> {
        let mut is_sampled = vec![false; self.nest.loops.len()];
        for (step, _) in self.samples.keys() {
            let mut around = self.nest.around(*step as usize);
            while let Some(of) = around.filter(|of| !is_sampled[*of]) {
                is_sampled[of] = true;
                around = self.nest.loops[of].parent;
            }
        }
        is_sampled
    }

    fn name(&mut self, places: &mut Places, code: &mut dyn Code) {
        if self.place.is_none() {
            self.place = places.of_code(self.process, self.at, code);
        }
        let sampled = self.sampled();
        let loops = self.nest.loops.iter().zip(&sampled).filter(|(_, is_sampled)| **is_sampled);
        for step in loops.flat_map(|(of, _)| of.own_steps()) {
            let ip = self.listing.steps()[step].ip();
            self.places.entry(step as u32).or_insert_with(|| places.of_code(self.process, ip, code));
        }
    }

    fn tell(&self, all: &mut CodeSamples) {
        let Some(function) = self.place else {
            let samples = self.counts(|_| true).map(|(_, samples)| samples).sum();
            let file = Some(self.begin.file.clone());
            all.unknown.push(UnknownCode {
                why: CodeObstacle::UnreadableFile,
                file,
                function: None,
                samples,
            });
            return all.without_code.extend(by_thread(self.counts(|_| true)));
        };
        let outside = by_thread(self.counts(|step| self.nest.around(step).is_none()));
        if !outside.is_empty() {
            all.outside.push(OutsideLoops { function, samples: outside });
        }
        let mut numbers: Vec<Option<u32>> = vec![None; self.nest.loops.len()];
        for (of, _) in self.sampled().iter().enumerate().filter(|(_, is_sampled)| **is_sampled) {
            let machine = &self.nest.loops[of];
            numbers[of] = Some(all.loops.len() as u32);
            let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
            for place in machine.own_steps().filter_map(|step| *self.places.get(&(step as u32))?) {
                *lines.entry(place).or_default() += 1;
            }
            let head = self.listing.steps()[machine.head].ip().wrapping_sub(self.at);
            let unlooked = Passing::default();
            let passing = self.passing.get(&(of as u32)).unwrap_or(&unlooked);
            let at_step = |step: usize| self.counts(move |one| one == step).map(|(_, samples)| samples).sum();
            all.loops.push(MachineLoop {
                head: FileAddress { file: self.begin.file.clone(), address: self.begin.address + head },
                function,
                parent: machine.parent.and_then(|parent| numbers[parent]),
                depth: machine.depth,
                is_innermost: machine.is_innermost,
                lines: lines
                    .into_iter()
                    .map(|(place, instructions)| LoopLine { place, instructions })
                    .collect(),
                samples: by_thread(self.counts(|step| self.nest.around(step) == Some(of))),
                work: work(&VectorUse::of(&self.listing, &self.works, machine)),
                passing: LoopPassing {
                    pass: passing.pass(&at_step),
                    trips: passing.trips(),
                    speed: passing.speed(),
                    accesses: passing.accesses(|step| {
                        self.begin.address + self.listing.steps()[step].ip().wrapping_sub(self.at)
                    }),
                },
            });
        }
    }

    /// Samples by thread, of these instructions.
    fn counts(&self, is_meant: impl Fn(usize) -> bool) -> impl Iterator<Item = (u32, u64)> {
        let meant = self.samples.iter().filter(move |((step, _), _)| is_meant(*step as usize));
        meant.map(|((_, thread), samples)| (*thread, *samples))
    }
}

fn work(used: &VectorUse) -> LoopWork {
    LoopWork {
        instructions: used.instructions,
        scalar_elements: used.scalar_elements,
        packed_elements: used.packed_elements,
        scalar_moved: used.scalar_moved,
        packed_moved: used.packed_moved,
        vector_bits: used.bits,
        lanes: used.lanes,
        element_bits: used.element_bits(),
        floating: used.floating,
        masked: used.masked,
        gathers: used.gathers,
        scatters: used.scatters,
        divides: used.divides,
        square_roots: used.square_roots,
        converts: used.converts,
        shuffles: used.shuffles,
        spills: used.spills,
        calls: used.calls,
        pauses: used.pauses,
    }
}
