//! Memory objects of a run.

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{
    CodeSamples, CompilerRecords, HugePages, LINES, MemoryObject, ObjectPages, ObjectRunHeader, ObjectThread,
    ObjectWatching, OutputChange, PARTS, SITE_FRAMES, SampledLoads,
};
use numawise_facts::{Effect, ObjectRun, Reading};
use numawise_units::{Bytes, Id};

use super::run::{OfRun, run};
use super::watched::CountedSoFar;
use super::{MOST, Sound, bytes, count, ensure, first_again, moment, name, share, span, text};

/// More than 57 bits of virtual addresses reach, the most of any processor: much of it may be reserved and not there.
const MOST_RESERVED: Bytes = Bytes(1 << 57);
/// No call stack is followed for longer.
const MOST_FRAMES: usize = 4096;
/// Sums of fractions differ from the whole by their rounding.
const ROUNDING: f64 = 1e-6;

/// Before the first object.
pub fn object_header(header: &ObjectRunHeader) -> Sound {
    run(&OfRun {
        table: "object_run",
        tool_version: &header.tool_version,
        begun: header.begun,
        wall: header.wall,
        command: &header.command,
        machine: &header.machine,
        placement: header.placement.as_ref(),
        usage: &header.usage,
        notices: &header.notices,
    })
}

/// How the run was watched.
pub fn watching(of: &ObjectWatching) -> Sound {
    let place = |part: &'static str| move || format!("object_run.watching: {part}");
    bytes(of.least, place("least"))?;
    if let Some(log) = of.allocations.measured() {
        for number in [log.processes, log.events, log.dropped, log.without_stack, log.passed] {
            count(number, place("allocations"))?;
        }
    }
    if let Some(time) = of.time.measured() {
        span(time.period, place("time.period"))?;
        for number in [time.samples, time.unknown_address, time.lost, time.skid.samples] {
            count(number, place("time"))?;
        }
        let found = format_args!("{} of {}", time.with_memory, time.samples);
        ensure(time.with_memory <= time.samples, place("time.with_memory"), found, "a part of the samples")?;
        let found = format_args!("{} of {}", time.skid.one_after, time.skid.samples);
        let holds = time.skid.one_after <= time.skid.samples;
        ensure(holds, place("time.skid.one_after"), found, "a part of the samples")?;
    }
    if let Some(faults) = of.faults.measured() {
        let in_calls = faults.in_system_calls.measured().copied().unwrap_or_default();
        let again = faults.again.measured().copied().unwrap_or_default();
        for number in [faults.samples, faults.faults, faults.lost, in_calls, again] {
            count(number, place("faults"))?;
        }
    }
    if let Some(loads) = of.loads.measured() {
        count(loads.samples, place("loads"))?;
        let found = format_args!("{} of {}", loads.without_address, loads.samples);
        let holds = loads.without_address <= loads.samples;
        ensure(holds, place("loads.without_address"), found, "a part of the samples")?;
    }
    moment(of.cost.measured().copied().unwrap_or_default(), place("cost"))?;
    moment(of.own_time.measured().copied().unwrap_or_default(), place("own_time"))?;
    of.page_size.measured().map_or(Ok(()), |size| page_size(*size, place("page_size")))
}

/// Of any processor: 4 KiB to 64 KiB, and what a file may say.
fn page_size(size: Bytes, place: impl FnOnce() -> String) -> Sound {
    let is_one = size.0.is_power_of_two() && (1 << 9..=1 << 30).contains(&size.0);
    ensure(is_one, place, format_args!("{} bytes", size.0), "a power of two from 512 bytes to 1 GiB")
}

/// One thread.
pub fn object_thread(of: &ObjectThread, number: usize) -> Sound {
    let place = |part: &'static str| move || format!("threads: row {number}, {part}");
    ensure(of.process.0 >= 0, place("process"), of.process, "a number from 0")?;
    ensure(of.tid.0 >= 0, place("tid"), of.tid, "a number from 0")?;
    name(of.name.measured().map_or("", String::as_str), place("name"))
}

/// One place in the code. Names of templates are long.
pub fn code_place(of: &CodePlace, number: usize) -> Sound {
    let place = |part: &'static str| move || format!("places: row {number}, {part}");
    text(&of.file, place("file"))?;
    for (part, of) in [("function", &of.source.function), ("source", &of.source.file)] {
        text(of.measured().map_or("", String::as_str), place(part))?;
    }
    Ok(())
}

/// What objects speak of, and what of them is summed up.
pub struct ObjectSums {
    threads: usize,
    places: usize,
    counted: CountedSoFar,
    bytes: Bytes,
    samples: f64,
    loads: u64,
}

impl ObjectSums {
    pub fn of(run: &ObjectRun) -> ObjectSums {
        ObjectSums {
            threads: run.threads.len(),
            places: run.places.len(),
            counted: CountedSoFar::default(),
            bytes: Bytes(0),
            samples: 0.0,
            loads: 0,
        }
    }

    /// One object with its lists.
    pub fn object(&mut self, of: &MemoryObject, number: usize) -> Sound {
        let place = |part: &'static str| move || format!("objects: row {number}, {part}");
        ensure(of.process.0 >= 0, place("process"), of.process, "a number from 0")?;
        text(of.name.measured().map_or("", String::as_str), place("name"))?;
        let stack = of.allocated.measured().map_or(&[][..], Vec::as_slice);
        ensure(stack.len() <= MOST_FRAMES, place("allocated"), stack.len(), "at most 4096 frames")?;
        stack.iter().try_for_each(|frame| self.known_place(*frame, place("allocated")))?;
        let site = of.site.measured().map_or(&[][..], Vec::as_slice);
        ensure(site.len() <= SITE_FRAMES, place("site"), site.len(), "at most 12 frames")?;
        site.iter().try_for_each(|frame| text(&frame.file, place("site")))?;
        count(of.count, place("count"))?;
        self.bytes = self.bytes + of.bytes;
        let found = format_args!("{} bytes with those before", self.bytes.0);
        ensure(self.bytes <= MOST_RESERVED, place("bytes"), found, "at most 2^57 bytes together")?;
        let found = format_args!("{} bytes", of.total.0);
        ensure(of.total.0 <= MOST, place("total"), found, "at most 9223372036854775807 bytes")?;
        span(of.begun, place("begun"))?;
        span(of.ended.measured().copied().unwrap_or_default(), place("ended"))?;
        let moments = of.pages.measured().map_or(&[][..], Vec::as_slice);
        moments.iter().try_for_each(|moment| residence(moment, number))?;
        loads(&of.loads, place("loads"))?;
        self.loads = of.loads.iter().fold(self.loads, |sum, of| sum.saturating_add(of.samples));
        of.huge_pages.measured().map_or(Ok(()), |huge| huge_pages(huge, place("huge_pages")))?;
        self.touches(of, number)?;
        self.uses(of, number)
    }

    fn touches(&mut self, of: &MemoryObject, number: usize) -> Sound {
        let place = |part: &'static str| move || format!("first_touches: object {number}, {part}");
        for touch in &of.first_touch {
            self.known_thread(touch.thread, place("thread"))?;
            touch.place.map_or(Ok(()), |at| self.known_place(at, place("place")))?;
            self.counted.add(touch.samples, place("samples"))?;
            self.counted.add(touch.faults, place("faults"))?;
        }
        let place = |part: &'static str| move || format!("touch_places: object {number}, {part}");
        for at in &of.touch_places {
            self.known_place(at.place, place("place"))?;
            self.counted.add(at.faults, place("faults"))?;
        }
        // Their sums fit: the counts of all objects together do.
        let all: u64 = of.first_touch.iter().map(|touch| touch.faults).sum();
        let at_places: u64 = of.touch_places.iter().map(|at| at.faults).sum();
        let found = format_args!("{at_places} at places, {all} by threads");
        ensure(at_places <= all, place("faults"), found, "at places no more than by threads")
    }

    fn uses(&mut self, of: &MemoryObject, number: usize) -> Sound {
        let place = |part: &'static str| move || format!("uses: object {number}, {part}");
        let mut all = 0.0;
        for one in &of.uses {
            self.known_thread(one.thread, place("thread"))?;
            samples(one.samples, one.reads, place("samples"))?;
            all += one.samples;
        }
        self.samples += all;
        let place = |part: &'static str| move || format!("parts: object {number}, {part}");
        for one in &of.parts {
            self.known_thread(one.thread, place("thread"))?;
            ensure(one.part < PARTS, place("part"), one.part, "a part from 0 to 63")?;
            samples(one.samples, 0.0, place("samples"))?;
        }
        no_more(of.parts.iter().map(|one| one.samples), all, place("samples"))?;
        let place = |part: &'static str| move || format!("objects: row {number}, lines.{part}");
        for one in &of.lines {
            self.known_thread(one.thread, place("thread"))?;
            ensure(one.line < LINES, place("line"), one.line, "a line from 0 to 63")?;
            samples(one.samples, 0.0, place("samples"))?;
        }
        no_more(of.lines.iter().map(|one| one.samples), all, place("samples"))?;
        let place = |part: &'static str| move || format!("use_places: object {number}, {part}");
        for one in &of.use_places {
            self.known_place(one.place, place("place"))?;
            samples(one.samples, one.reads, place("samples"))?;
        }
        no_more(of.use_places.iter().map(|one| one.samples), all, place("samples"))
    }

    /// After the last object: the samples of all objects are a part of those that were taken.
    pub fn together(&self, watching: &ObjectWatching) -> Sound {
        let all = watching.time.measured().map_or(0, |time| time.with_memory) as f64;
        let is_part = watching.time.measured().is_none() || self.samples <= all * (1.0 + ROUNDING) + 1.0;
        let sampled = watching.loads.measured().map_or(0, |loads| loads.samples - loads.without_address);
        ensure(
            watching.loads.measured().is_none() || self.loads <= sampled,
            || "objects: loads".to_owned(),
            format_args!("{} samples together", self.loads),
            "no more than loads of object_run.watching with an address",
        )?;
        let found = format_args!("{} samples together", self.samples);
        ensure(
            is_part,
            || "uses: samples".to_owned(),
            found,
            "no more than with_memory of object_run.watching",
        )
    }

    fn known_thread(&self, thread: u32, place: impl FnOnce() -> String) -> Sound {
        ensure((thread as usize) < self.threads, place, thread, "the number of a thread of the run")
    }

    fn known_place(&self, at: u32, place: impl FnOnce() -> String) -> Sound {
        ensure((at as usize) < self.places, place, at, "the number of a place of the run")
    }
}

fn residence(of: &ObjectPages, number: usize) -> Sound {
    let place = |part: &'static str| move || format!("residence: object {number}, {part}");
    span(of.at, place("at_ns"))?;
    let found = format_args!("{} bytes", of.bytes.0);
    ensure(of.bytes <= MOST_RESERVED, place("bytes"), found, "at most 2^57 bytes")?;
    count(of.looked_at, place("looked_at"))?;
    let again = first_again(of.on_nodes.iter().map(|(node, _)| node));
    let again = again.map_or_else(String::new, |node| format!("node {} twice", node.index()));
    ensure(again.is_empty(), place("on_nodes"), again, "each node once")?;
    let pages = of.on_nodes.iter().fold(0u64, |sum, (_, pages)| sum.saturating_add(*pages));
    let found = format_args!("{pages} of {}", of.looked_at);
    ensure(pages <= of.looked_at, place("on_nodes"), found, "pages that were looked at")
}

/// Each source once, and no more of anything than samples.
fn loads(of: &[SampledLoads], place: impl Fn() -> String + Copy) -> Sound {
    let again = first_again(of.iter().map(|of| &of.from));
    let again = again.map_or_else(String::new, |from| format!("{from:?} twice"));
    ensure(again.is_empty(), place, again, "each source once")?;
    for one in of {
        count(one.samples, place)?;
        count(one.cycles.0, place)?;
        let found = format_args!("{} modified and {} timed of {}", one.modified, one.timed, one.samples);
        ensure(one.modified.max(one.timed) <= one.samples, place, found, "parts of the samples")?;
    }
    Ok(())
}

fn huge_pages(of: &HugePages, place: impl Fn() -> String) -> Sound {
    page_size(of.page, &place)?;
    bytes(of.resident, &place)?;
    let found = format_args!("{} of {} bytes", of.huge.0, of.resident.0);
    ensure(of.huge <= of.resident, place, found, "a part of what is resident")
}

/// What a run holds besides its objects, of which there are so many.
pub fn beyond_objects(run: &ObjectRun) -> Sound {
    let place = |part: &'static str| move || format!("object_run.beyond: {part}");
    let again = first_again(run.ranks.iter().map(|of| &of.process));
    let again = again.map_or_else(String::new, |process| format!("process {process} twice"));
    ensure(again.is_empty(), place("ranks"), again, "each process once")?;
    for source in &run.sources {
        text(&source.file, place("sources.file"))?;
        text(&source.text, place("sources.text"))?;
    }
    for moment in run.bandwidth.measured().into_iter().flat_map(|of| &of.moments) {
        span(moment.at, place("bandwidth.at"))?;
        let again = first_again(moment.by_node.iter().map(|(node, _)| node));
        let again = again.map_or_else(String::new, |node| format!("node {} twice", node.index()));
        ensure(again.is_empty(), place("bandwidth.by_node"), again, "each node once")?;
        for (_, rate) in moment.by_node.iter().chain(&moment.remote) {
            let sane = (0.0..=1e15).contains(&rate.0);
            ensure(sane, place("bandwidth.by_node"), rate.0, "from 0 to 10^15 bytes a second")?;
        }
    }
    if let Some(bound) = run.memory_bound.measured() {
        share(bound.share.0, place("memory_bound.share"))?;
    }
    for trial in &run.trials {
        let known = trial.object.is_none_or(|object| (object as usize) < run.objects.len());
        let found = trial.object.unwrap_or_default();
        ensure(known, place("trials.object"), found, "the number of an object of the run")?;
        text(&trial.command, place("trials.command"))?;
        trial.effect.measured().map_or(Ok(()), |effect| self::effect(effect, place("trials.effect")))?;
    }
    run.code.measured().map_or(Ok(()), |of| code(run, of))
}

/// What compilers said: of calls that are there.
fn records(of: &CompilerRecords, place: impl Fn() -> String) -> Sound {
    text(&of.command, &place)?;
    span(of.wall, &place)?;
    count(of.compiled, &place)?;
    let flags = of.units.iter().flat_map(|unit| unit.source.iter().chain(&unit.flags));
    flags.chain(&of.written).try_for_each(|one| text(one, &place))?;
    for remark in &of.remarks {
        let found = remark.unit;
        ensure((found as usize) < of.units.len(), &place, found, "the number of a compilation of the build")?;
        text(&remark.file, &place)?;
        let why = remark.obstacle.iter().flat_map(|why| why.about.iter().chain([&why.text]));
        why.into_iter().try_for_each(|one| text(one, &place))?;
    }
    Ok(())
}

/// The loops of a survey: what they name is there, and they have no more samples than were taken.
fn code(run: &ObjectRun, of: &CodeSamples) -> Sound {
    let place = |part: &'static str| move || format!("object_run.beyond: code.{part}");
    let is_place = |found: u32, part| {
        ensure((found as usize) < run.places.len(), place(part), found, "the number of a place of the run")
    };
    for (number, one) in of.loops.iter().enumerate() {
        text(&one.head.file, place("loops.head.file"))?;
        is_place(one.function, "loops.function")?;
        one.lines.iter().try_for_each(|line| is_place(line.place, "loops.lines"))?;
        let is_before = one.parent.is_none_or(|parent| (parent as usize) < number);
        let found = one.parent.unwrap_or_default();
        ensure(is_before, place("loops.parent"), found, "the number of a loop before it")?;
        let pass = one.passing.pass.measured().into_iter();
        let counts = pass.flat_map(|of| of.mean.measured().into_iter().chain([&of.least, &of.most]));
        let counts = counts.flat_map(|of| [of.moved(), of.operations(), of.instructions, of.fixed]);
        let trips = one.passing.trips.measured().into_iter().flat_map(|of| [of.mean, of.deviation]);
        let speed = one.passing.speed.measured().into_iter().flat_map(|of| [of.passes, of.low, of.high]);
        for found in counts.chain(trips).chain(speed) {
            ensure((0.0..1e20).contains(&found), place("loops.pass"), found, "at least 0 and below 10^20")?;
        }
    }
    of.outside.iter().try_for_each(|of| is_place(of.function, "outside.function"))?;
    if let Some(compiled) = of.compiled.as_ref().and_then(Reading::measured) {
        records(compiled, place("compiled"))?;
    }
    for tried in &of.tried {
        tried.effect.measured().map_or(Ok(()), |effect| self::effect(effect, place("tried.effect")))?;
        let output = tried.output.measured();
        if let Some(OutputChange::Numbers { largest, .. }) = output {
            let sane = (0.0..=2.0).contains(&largest.0);
            ensure(sane, place("tried.output"), largest.0, "a difference from 0 to 2")?;
        }
        if let Some(OutputChange::Numbers { before, after, .. } | OutputChange::Text { before, after }) =
            output
        {
            text(before, place("tried.output"))?;
            text(after, place("tried.output"))?;
        }
    }
    let loops = of.loops.iter().flat_map(|of| &of.samples);
    let outside = of.outside.iter().flat_map(|of| &of.samples);
    let mut sum = 0u64;
    for one in loops.chain(outside).chain(&of.without_code).chain(&of.messages) {
        let found = one.thread;
        let is_known = (found as usize) < run.threads.len();
        ensure(is_known, place("samples.thread"), found, "the number of a thread of the run")?;
        count(one.samples, place("samples"))?;
        sum = sum.saturating_add(one.samples);
    }
    let mut unknown = 0u64;
    for one in &of.unknown {
        one.file.iter().chain(&one.function).try_for_each(|word| text(word, place("unknown")))?;
        unknown = unknown.saturating_add(one.samples);
    }
    let without = of.without_code.iter().fold(0u64, |sum, one| sum.saturating_add(one.samples));
    let found = format_args!("{unknown} of {without}");
    ensure(unknown <= without, place("unknown.samples"), found, "a part of the samples without a function")?;
    let taken = run.watching.time.measured().map_or(0, |time| time.samples);
    ensure(sum <= taken, place("samples"), format_args!("{sum} of {taken}"), "a part of the samples")
}

/// A factor with its interval.
fn effect(of: &Effect, place: impl FnOnce() -> String) -> Sound {
    let [low, value, high] = [of.low.0, of.ratio.0, of.high.0];
    let found = format_args!("{value} from {low} to {high}");
    let sane = 0.0 < low && low <= value && value <= high && high <= 1e9;
    ensure(sane, place, found, "a factor within its interval, above 0 and at most 10^9")
}

/// Samples of an object by something that is not known of all of them.
fn no_more(of: impl Iterator<Item = f64>, all: f64, place: impl FnOnce() -> String) -> Sound {
    let sum = of.fold(0.0, |sum, one| sum + one);
    let found = format_args!("{sum} together, {all} in uses");
    ensure(sum <= all * (1.0 + ROUNDING) + ROUNDING, place, found, "no more samples than in uses")
}

/// Samples, some of them of reads.
fn samples(all: f64, reads: f64, place: impl FnOnce() -> String) -> Sound {
    let found = format_args!("{all}, of reads {reads}");
    let holds = (0.0..=9_007_199_254_740_992.0).contains(&all)
        && (0.0..=all * (1.0 + ROUNDING) + ROUNDING).contains(&reads);
    ensure(holds, place, found, "a number from 0 to 2^53, of which those of reads are a part")
}
