//! Memory objects of a run.

use numawise_facts::ObjectRun;
use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{
    MemoryObject, ObjectPages, ObjectRunHeader, ObjectThread, ObjectWatching, PARTS, SITE_FRAMES,
};
use numawise_units::{Bytes, Id};

use super::run::{OfRun, run};
use super::watched::CountedSoFar;
use super::{MOST, Sound, bytes, count, ensure, first_again, moment, name, span, text};

/// More than 57 bits of virtual addresses reach, the most of any processor: much of it may be reserved and not there.
const MOST_RESERVED: Bytes = Bytes(1 << 57);
/// No call stack is followed for longer.
const MOST_FRAMES: usize = 4096;
/// An object is looked at again and again; so many moments of it nobody reads.
const MOST_MOMENTS: usize = 65_536;
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
        for number in [log.processes, log.events, log.dropped, log.without_stack] {
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
        for number in [faults.samples, faults.faults, faults.lost] {
            count(number, place("faults"))?;
        }
    }
    moment(of.cost.measured().copied().unwrap_or_default(), place("cost"))
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
}

impl ObjectSums {
    pub fn of(run: &ObjectRun) -> ObjectSums {
        ObjectSums {
            threads: run.threads.len(),
            places: run.places.len(),
            counted: CountedSoFar::default(),
            bytes: Bytes(0),
            samples: 0.0,
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
        ensure(moments.len() <= MOST_MOMENTS, place("pages"), moments.len(), "at most 65536 moments")?;
        moments.iter().try_for_each(|moment| residence(moment, number))?;
        self.touches(of, number)?;
        self.uses(of, number)
    }

    fn touches(&mut self, of: &MemoryObject, number: usize) -> Sound {
        let place = |part: &'static str| move || format!("first_touches: object {number}, {part}");
        for touch in &of.first_touch {
            self.known_thread(touch.thread, place("thread"))?;
            self.counted.add(touch.samples, place("samples"))?;
            self.counted.add(touch.faults, place("faults"))?;
        }
        let place = |part: &'static str| move || format!("touch_places: object {number}, {part}");
        for at in &of.touch_places {
            self.known_place(at.place, place("place"))?;
            self.counted.add(at.faults, place("faults"))?;
        }
        Ok(())
    }

    fn uses(&mut self, of: &MemoryObject, number: usize) -> Sound {
        let place = |part: &'static str| move || format!("uses: object {number}, {part}");
        for one in &of.uses {
            self.known_thread(one.thread, place("thread"))?;
            samples(one.samples, one.reads, place("samples"))?;
            self.samples += one.samples;
        }
        let place = |part: &'static str| move || format!("parts: object {number}, {part}");
        for one in &of.parts {
            self.known_thread(one.thread, place("thread"))?;
            ensure(one.part < PARTS, place("part"), one.part, "a part from 0 to 63")?;
            samples(one.samples, 0.0, place("samples"))?;
        }
        let place = |part: &'static str| move || format!("use_places: object {number}, {part}");
        for one in &of.use_places {
            self.known_place(one.place, place("place"))?;
            samples(one.samples, one.reads, place("samples"))?;
        }
        Ok(())
    }

    /// After the last object: the samples of all objects are a part of those that were taken.
    pub fn together(&self, watching: &ObjectWatching) -> Sound {
        let all = watching.time.measured().map_or(0, |time| time.with_memory) as f64;
        let is_part = watching.time.measured().is_none() || self.samples <= all * (1.0 + ROUNDING) + 1.0;
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

/// Samples, some of them of reads.
fn samples(all: f64, reads: f64, place: impl FnOnce() -> String) -> Sound {
    let found = format_args!("{all}, of reads {reads}");
    let holds = (0.0..=9_007_199_254_740_992.0).contains(&all)
        && (0.0..=all * (1.0 + ROUNDING) + ROUNDING).contains(&reads);
    ensure(holds, place, found, "a number from 0 to 2^53, of which those of reads are a part")
}
