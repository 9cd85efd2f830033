//! The memory objects of a program that runs: what is allocated, who touches and uses it, and where its pages lie.
//!
//! An [`ObjectTracker`] is told what happens in the order of time ([`input`]): allocations, first accesses to pages, and interrupted threads.
//! From the registers of these and the code around them it finds the memory that they were waiting for (`numawise-operands`). It keeps sums
//! only, so that a long run needs no more memory than a short one. It asks the kernel where pages lie, and nothing else.

mod apart;
pub mod bandwidth;
mod blamed;
pub mod calibration;
mod copies;
mod estimate;
pub mod fault_period;
pub mod feed;
mod hot;
mod huge;
pub mod input;
mod lines;
mod live;
mod loads;
pub mod log;
mod paths;
mod places;
mod polling;
mod process;
mod ranks;
mod residence;
mod tally;
mod touches;
mod unknown;
pub mod watch;

use std::collections::HashMap;

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{
    AccessMethod, CodeSamples, FileAddress, MemoryObject, ObjectKind, ObjectThread, ProcessRank,
};
use numawise_facts::{RankSet, Reading};
use numawise_linux::calls::pages::page_size;
use numawise_operands::{Access, Blame, Direction};
use numawise_units::{Nanoseconds, Pid};

use blamed::memory_of;
use hot::HotCode;
use input::{
    Code, CodeMapping, FaultSample, LoadSample, LoadedVariable, MemoryChange, MemoryEvent, TimeSample,
};
use live::{Gone, Span};
use loads::Load;
use paths::CallPath;
use places::Places;
use polling::is_message_passing;
use process::Process;
use ranks::ProcessRanks;
use residence::{PageQuestion, Residence};
use tally::{Tally, Used, User};
use touches::{ThreadFaults, Touched, touching};
use unknown::UnknownAccesses;

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;

/// Begins the names of the files that are preloaded.
const OUR_LIBRARIES: &str = "libnumawise_";

/// Follows the objects of a program and of the processes that it starts. For one thread.
pub struct ObjectTracker {
    begin: Nanoseconds,
    method: AccessMethod,
    code: Box<dyn Code>,
    processes: HashMap<Pid, Process>,
    ranks: ProcessRanks,
    threads: Vec<ObjectThread>,
    by_thread: HashMap<(Pid, Pid), u32>,
    objects: Vec<Tally>,
    by_site: HashMap<Site, u32>,
    places: Places,
    unknown: UnknownAccesses,
    residence: Residence,
    thread_faults: ThreadFaults,
    counts: TrackedCounts,
    /// Of a survey of loops: nothing is said of memory then.
    hot: Option<HotCode>,
    /// Of these ranks alone.
    only: Option<RankSet>,
}

/// What makes allocations one object: their kind, and how the program came there. Of variables the name.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Site {
    process: Pid,
    kind: ObjectKind,
    path: CallPath,
    name: Option<String>,
}

/// Page faults of a thread, and what it was at when they had been taken.
#[derive(Clone, Copy)]
struct Counted {
    faults: u64,
    in_call: bool,
    access: Option<Access>,
}

/// How much was tracked.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TrackedCounts {
    pub events: u64,
    pub time_samples: u64,
    /// Of these, with memory that is known.
    pub with_memory: u64,
    pub unknown_address: u64,
    /// The thread spun until another one did something.
    pub spinning: u64,
    /// Of first accesses to pages.
    pub fault_samples: u64,
    pub faults: u64,
    /// Of page faults of pages that were there before.
    pub again_samples: u64,
    pub faults_again: u64,
    /// Page faults that threads took in system calls, where that is known; of no object.
    pub faults_in_calls: u64,
    pub without_stack: u64,
    /// Samples of the events by which the processor samples loads.
    pub load_interrupts: u64,
    /// Loads of the program among them.
    pub load_samples: u64,
    /// Of these, without an address.
    pub loads_without_address: u64,
}

/// What is left of a program that has ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrackedObjects {
    pub threads: Vec<ObjectThread>,
    pub places: Vec<CodePlace>,
    pub objects: Vec<MemoryObject>,
    pub ranks: Vec<ProcessRank>,
    pub counts: TrackedCounts,
    /// Of a survey.
    pub code: Option<CodeSamples>,
}

impl ObjectTracker {
    /// For a run that begins now, by the monotonic clock.
    pub fn new(begin: Nanoseconds, method: AccessMethod, code: Box<dyn Code>) -> ObjectTracker {
        ObjectTracker {
            begin,
            method,
            code,
            processes: HashMap::new(),
            ranks: ProcessRanks::default(),
            threads: Vec::new(),
            by_thread: HashMap::new(),
            objects: Vec::new(),
            by_site: HashMap::new(),
            places: Places::default(),
            unknown: UnknownAccesses::default(),
            residence: Residence::default(),
            thread_faults: ThreadFaults::default(),
            counts: TrackedCounts::default(),
            hot: None,
            only: None,
        }
    }

    /// Finds the loops in which threads are, in place of the memory that they wait for. `offered`: bits of the widest vectors of the CPU;
    /// `period`: CPU time of a thread from sample to sample; `only`: the ranks that are looked at, without it all processes.
    pub fn surveying(
        self,
        offered: Reading<u32>,
        period: Nanoseconds,
        only: Option<RankSet>,
    ) -> ObjectTracker {
        ObjectTracker { hot: Some(HotCode::new(offered, period)), only, ..self }
    }

    /// A process that was forked has the memory of its parent.
    pub fn forked(&mut self, child: Pid, parent: Pid) {
        self.code.forked(child, parent);
        let inherited = self.processes.get(&parent).map(Process::fork).unwrap_or_default();
        self.processes.insert(child, inherited);
    }

    /// A process runs another program: nothing of its memory is left.
    pub fn replaced(&mut self, process: Pid, at: Nanoseconds) {
        self.forget_hot(process);
        self.code.replaced(process);
        self.ranks.ask(process);
        let old = self.processes.remove(&process).unwrap_or_default();
        for (begin, span) in old.live.all() {
            self.gone(&[Gone { object: span.object, bytes: span.end - begin, weight: span.weight }], at);
        }
        old.live.drawn.values().flatten().flatten().for_each(|gone| self.gone(&[*gone], at));
        self.places.forget(process);
    }

    /// The allocations of a process are logged.
    pub fn logs(&mut self, process: Pid) {
        self.processes.entry(process).or_default().is_logged = true;
        self.ranks.ask(process);
    }

    /// A thread was made.
    pub fn began(&mut self, process: Pid, thread: Pid) {
        self.thread(process, thread);
    }

    pub fn named(&mut self, process: Pid, thread: Pid, name: String) {
        let thread = self.thread(process, thread) as usize;
        self.threads[thread].name = Reading::Measured(name);
    }

    /// A file was mapped so that its code can run.
    pub fn mapped(&mut self, mapping: &CodeMapping) {
        self.forget_hot(mapping.process);
        self.code.mapped(mapping);
        self.places.forget(mapping.process);
        self.process(mapping.process).forget_code();
    }

    fn forget_hot(&mut self, process: Pid) {
        if let Some(hot) = &mut self.hot {
            hot.forget(process, &mut self.places, &mut *self.code);
        }
    }

    fn loaded(&mut self, process: Pid, variables: Vec<LoadedVariable>) {
        // They were there when nobody had asked yet.
        let at = self.begin;
        for variable in variables {
            let own = variable.defined.measured();
            let own = own.map(|place| FileAddress { file: place.file.clone(), address: place.address });
            let at_site: Vec<FileAddress> = own.into_iter().collect();
            let defined = variable.defined.map(|place| vec![self.places.number(place)]);
            let name = Some(variable.name.clone());
            let site = Site { process, kind: ObjectKind::Global, path: CallPath::default(), name };
            let new = || {
                let name = Reading::Measured(variable.name);
                Tally::new(ObjectKind::Global, process, name, defined).at_site(at_site)
            };
            let object = object(&mut self.objects, &mut self.by_site, site, new);
            let gone =
                self.process(process).live.globals.insert(variable.address, variable.bytes, (object, 1));
            self.gone(&gone, at);
            self.objects[object as usize].begin(variable.bytes, 1, at);
        }
    }

    pub fn memory(&mut self, event: &MemoryEvent) {
        self.counts.events += 1;
        let (process, at) = (event.process, event.at);
        self.thread(process, event.thread);
        match event.change {
            MemoryChange::Allocated { address, bytes, stack, weight } => {
                let object = self.of_stack(process, stack, ObjectKind::Heap);
                let gone = self.process(process).live.allocate(address, bytes, (object, weight));
                self.gone(&gone, at);
                self.objects[object as usize].begin(bytes, weight, at);
            }
            MemoryChange::Mapped { address, bytes, stack, kind } => {
                let object = self.of_stack(process, stack, kind);
                let gone = self.process(process).live.mapped.insert(address, bytes, (object, 1));
                self.gone(&gone, at);
                self.objects[object as usize].begin(bytes, 1, at);
            }
            MemoryChange::Drawn { address, weight, stack } => {
                self.drawn(process, at, (address, weight), stack);
            }
            MemoryChange::Freed { address } => {
                let live = &mut self.process(process).live;
                let (gone, drawn) = (live.free(address), live.drawn.remove(&address));
                self.gone(gone.as_slice(), at);
                drawn.iter().flatten().flatten().for_each(|gone| self.gone(&[*gone], at));
            }
            MemoryChange::Unmapped { address, bytes } => {
                let live = &mut self.process(process).live;
                let gone = live.mapped.cut(address, address.saturating_add(bytes));
                self.gone(&gone, at);
            }
        }
    }

    /// A small allocation counts among all small ones, and among those of its call stack where that is known.
    fn drawn(&mut self, process: Pid, at: Nanoseconds, (address, weight): (u64, u64), stack: Option<u32>) {
        let path = stack.and_then(|stack| self.processes.get(&process)?.stacks.get(&stack)).cloned();
        let path = path.filter(|path| !path.is_empty());
        self.counts.without_stack += u64::from(path.is_none());
        let all = self.of_kind(process, ObjectKind::Small);
        let of_stack = path.map(|path| self.of_path(process, ObjectKind::Small, path));
        let objects = [Some(all), of_stack];
        for object in objects.into_iter().flatten() {
            self.objects[object as usize].begin(weight, 1, at);
        }
        let gone = objects.map(|object| object.map(|object| Gone { object, bytes: weight, weight: 1 }));
        let before = self.process(process).live.drawn.insert(address, gone);
        before.iter().flatten().flatten().for_each(|gone| self.gone(&[*gone], at));
    }

    /// All memory of a process that is of a kind without places.
    fn of_kind(&mut self, process: Pid, kind: ObjectKind) -> u32 {
        let site = Site { process, kind, path: CallPath::default(), name: None };
        let none = "it is the sum of all memory of this kind";
        object(&mut self.objects, &mut self.by_site, site, || {
            Tally::new(kind, process, Reading::unavailable(none), Reading::unavailable(none))
        })
    }

    fn gone(&mut self, gone: &[Gone], at: Nanoseconds) {
        for one in gone {
            self.objects[one.object as usize].end(*one, at);
        }
    }

    pub fn fault(&mut self, sample: &FaultSample<'_>) {
        let process = sample.process;
        let thread = self.thread(process, sample.thread);
        self.process(process).seen_stack(sample.thread, sample.stack.sp);
        let (object, _) = self.object_at(process, sample.address);
        if !self.objects[object as usize].can_be_touched(sample.faults, sample.at, page_size().0) {
            self.counts.again_samples += 1;
            self.counts.faults_again += sample.faults;
            return;
        }
        self.counts.fault_samples += 1;
        self.counts.faults += sample.faults;
        let place = self.places.of_stack(process, &sample.stack, &mut *self.code);
        self.objects[object as usize].touch(thread, sample.cpu, place, sample.faults);
    }

    /// What is no load of a program that is followed counts as an interrupt only.
    pub fn load(&mut self, sample: &LoadSample) {
        self.counts.load_interrupts += 1;
        let is_own = self.processes.contains_key(&sample.process) && !is_of_kernel(sample.ip);
        let Some(load) = Load::of(sample.of).filter(|_| is_own) else { return };
        self.counts.load_samples += 1;
        if sample.address == 0 || is_of_kernel(sample.address) {
            self.counts.loads_without_address += 1;
            return;
        }
        let (object, _) = self.object_at(sample.process, sample.address);
        self.objects[object as usize].loaded(&load);
    }

    /// A sample tells nothing where no access to memory is near its instruction.
    pub fn time(&mut self, sample: &TimeSample<'_>) {
        self.counts.time_samples += 1;
        let process = sample.process;
        let thread = self.thread(process, sample.thread);
        if let Some(only) = &self.only
            && !self.ranks.is_among(process, only)
        {
            return;
        }
        if let Some(hot) = &mut self.hot {
            return hot.sample((process, &sample.registers), thread, &mut *self.code);
        }
        self.process(process).seen_stack(sample.thread, sample.stack.sp);
        let code = &mut self.code;
        let own = self.places.at(process, sample.registers.ip, &mut **code);
        let own = own.and_then(|place| self.places.get(place));
        let is_asking = own.is_some_and(|place| is_message_passing(&place.file));
        let faults =
            sample.faults.and_then(|faults| self.thread_faults.since(process, sample.thread, faults));
        let of = self.processes.entry(process).or_default();
        let listing = of.listing(&sample.registers, |ip| code.function(process, ip));
        let is_code = listing.is_some();
        let at_work = listing.filter(|listing| !is_asking && !listing.is_spinning(sample.registers.ip));
        let seen = at_work.map(|listing| {
            let blamed = memory_of(self.method, listing, sample);
            let counted = faults.map(|faults| Counted {
                faults,
                in_call: listing.is_after_system_call(sample.registers.ip),
                access: touching(listing, &sample.registers, &blamed),
            });
            (blamed, counted)
        });
        let unknown = faults.map(|faults| Counted { faults, in_call: false, access: None });
        if let Some(counted) = seen.as_ref().map_or(unknown, |(_, counted)| *counted) {
            self.counted(sample, thread, &counted);
        }
        let Some((blamed, _)) = seen else {
            self.counts.spinning += u64::from(is_code);
            return;
        };
        let user = User { thread, cpu: sample.cpu, node: None };
        match blamed {
            Blame::Nothing => {}
            Blame::Accesses(accesses) => {
                let place = self.place_of(sample);
                self.counts.with_memory += 1;
                self.accesses(process, user, place, &accesses);
            }
            Blame::Unknown { ip } => {
                let place = self.place_of(sample);
                self.unknown.wait((process, ip), user, place, Used { samples: 1.0, reads: 1.0 });
            }
        }
    }

    /// Page faults that a thread took since its last sample.
    fn counted(&mut self, sample: &TimeSample<'_>, thread: u32, counted: &Counted) {
        let process = sample.process;
        if counted.in_call {
            self.counts.faults_in_calls += counted.faults;
            return;
        }
        let now = counted.access.map(|access| {
            let place = self.place_of(sample);
            let (object, _) = self.object_at(process, access.address);
            Touched { object, thread, cpu: sample.cpu, place }
        });
        let (page, objects) = (page_size().0.max(1), &self.objects);
        let room = |object: u32| objects[object as usize].untouched(page);
        let parts = self.thread_faults.divide((process, sample.thread), counted.faults, now, room);
        for (Touched { object, thread, cpu, place }, faults) in parts {
            self.counts.fault_samples += 1;
            self.counts.faults += faults;
            self.objects[object as usize].touch(thread, cpu, place, faults);
        }
    }

    fn accesses(&mut self, process: Pid, user: User, place: Option<u32>, accesses: &[Access]) {
        let page = page_size().0;
        let found: Vec<_> = accesses.iter().map(|access| self.object_at(process, access.address)).collect();
        let kind = |object: u32| self.objects[object as usize].kind();
        let sizes = found.iter().map(|(object, span)| copies::size(kind(*object), span.as_ref()));
        let parts = copies::parts(accesses, &sizes.collect::<Vec<_>>());
        for ((access, (object, span)), part) in
            accesses.iter().zip(found).zip(parts).filter(|(_, part)| *part > 0.0)
        {
            let reads = match access.direction {
                Direction::Read => part,
                Direction::ReadAndWrite => 0.5 * part,
                Direction::Write => 0.0,
            };
            let used = Used { samples: part, reads };
            self.unknown.learn((process, access.ip), object, part);
            let tally = &mut self.objects[object as usize];
            tally.use_at(place, used);
            if let Some(span) = span {
                tally.use_part(user.thread, &span, (access.address, page), part);
            }
            self.residence.ask(PageQuestion { process, address: access.address, object, user, used });
        }
    }

    /// The object at an address; what is none is the stacks, small allocations, or other memory.
    fn object_at(&mut self, process: Pid, address: u64) -> (u32, Option<Span>) {
        let of = self.processes.entry(process).or_default();
        if let Some(span) = of.live.find(address) {
            return (span.object, Some(span));
        }
        let variables = self.code.variables_near(process, address);
        if !variables.is_empty() {
            self.loaded(process, variables);
            if let Some(span) = self.process(process).live.find(address) {
                return (span.object, Some(span));
            }
        }
        if let Some(span) = self.process(process).live.likely(address) {
            return (span.object, Some(span));
        }
        let of = self.processes.entry(process).or_default();
        let kind = of.kind_of_rest(process, address);
        (self.of_kind(process, kind), None)
    }

    /// Asks the kernel where the pages lie that were used since it was asked last, and from time to time where those of the objects lie.
    pub fn look(&mut self, now: Nanoseconds) {
        self.residence.answer(&mut self.objects);
        if self.residence.is_due(now, self.begin) {
            self.look_at_pages(now);
        }
    }

    /// What was seen then is taken over by [`ObjectTracker::confirm`], once all is told that happened before.
    pub fn looked(&self) -> Option<Nanoseconds> {
        self.residence.waits_for()
    }

    /// Takes over what was seen at [`ObjectTracker::looked`].
    pub fn confirm(&mut self) {
        let processes = &self.processes;
        let object_at = |process, address| Some(processes.get(&process)?.live.find(address)?.object);
        self.residence.confirm(object_at, &mut self.objects, self.begin);
    }

    fn look_at_pages(&mut self, now: Nanoseconds) {
        let spans = self.processes.iter().map(|(process, of)| (*process, of.live.all()));
        self.residence.look_at(spans, now);
    }

    fn process(&mut self, process: Pid) -> &mut Process {
        self.processes.entry(process).or_default()
    }

    fn thread(&mut self, process: Pid, thread: Pid) -> u32 {
        let (threads, by_thread) = (&mut self.threads, &mut self.by_thread);
        *by_thread.entry((process, thread)).or_insert_with(|| {
            let number = threads.iter().filter(|of| of.process == process).count() as u32;
            let name = Reading::unavailable("the kernel did not tell it");
            threads.push(ObjectThread { process, tid: thread, name, number });
            (threads.len() - 1) as u32
        })
    }

    /// What was seen up to now, with where the pages lie now.
    pub fn so_far(&mut self, now: Nanoseconds) -> TrackedObjects {
        self.look_at_pages(now);
        while self.looked().is_some() {
            self.confirm();
        }
        self.residence.answer(&mut self.objects);
        let (objects, unknown) = (self.objects.clone(), self.unknown.clone());
        self.tracked(objects, unknown)
    }

    /// What was seen, once nothing more will be.
    pub fn finish(mut self) -> TrackedObjects {
        self.residence.answer(&mut self.objects);
        let (objects, unknown) = (std::mem::take(&mut self.objects), std::mem::take(&mut self.unknown));
        self.tracked(objects, unknown)
    }

    fn tracked(&mut self, mut objects: Vec<Tally>, unknown: UnknownAccesses) -> TrackedObjects {
        let (guessed, unknown) = unknown.resolve();
        for one in &guessed {
            let tally = &mut objects[one.object as usize];
            tally.use_by(one.user, one.used);
            tally.use_at(one.place, one.used);
        }
        let found: f64 = guessed.iter().map(|one| one.used.samples).sum();
        let mut counts = self.counts;
        counts.with_memory += found.round() as u64;
        counts.unknown_address = unknown.round() as u64;
        apart::name_by_callers(&mut objects, &self.places, &mut *self.code);
        paths::part_sites(&mut objects);
        let seen = objects.into_iter().filter(Tally::is_seen);
        let hot = self.hot.as_mut();
        let code = hot.map(|hot| hot.finish(&mut self.places, &mut *self.code));
        TrackedObjects {
            objects: seen.map(|tally| tally.finish(self.begin)).collect(),
            threads: self.threads.clone(),
            ranks: self.ranks.found(),
            places: self.places.all().to_vec(),
            counts,
            code,
        }
    }
}

/// The upper half of all addresses is the kernel's.
fn is_of_kernel(address: u64) -> bool {
    address >> 63 != 0
}

fn object(
    objects: &mut Vec<Tally>,
    by_site: &mut HashMap<Site, u32>,
    site: Site,
    new: impl FnOnce() -> Tally,
) -> u32 {
    *by_site.entry(site).or_insert_with(|| {
        objects.push(new());
        (objects.len() - 1) as u32
    })
}
