//! A trace that is too large for half of the memory: its calls are read in slices.

use std::collections::HashMap;
use std::path::Path;

use numawise_analyse::{CallStreams, MEMORY_OF_AN_EVENT};
use numawise_facts::activity::ThreadTrace;
use numawise_facts::{Activity, WatchedRun};
use numawise_linux::Roots;
use numawise_linux::memory::MemoryInfo;
use numawise_record::{OpenPart, RecordError, StreamPart, TraceStreams};
use numawise_units::{Bytes, Pid};

use crate::edges::with_edges;
use crate::exit::Failure;

#[cfg(test)]
#[path = "slices_tests.rs"]
mod tests;

/// Memory that the analysis takes for a byte of packed calls: there an event has 4.3.
const ANALYSED: u64 = (10 * MEMORY_OF_AN_EVENT).div_ceil(43);
/// Memory that slices take for each call of one: calls that are read meanwhile, too (`/usr/bin/time`, 1e9 events).
const OF_A_CALL: u64 = 450;
/// Slices take no more, however much there is: larger ones are no faster.
const MOST: Bytes = Bytes(1600 << 20);

/// A run whose traces have calls at their edges only, and the streams of all.
pub struct Large {
    pub run: WatchedRun,
    pub streams: Streams,
    /// Of a slice.
    pub calls: usize,
}

/// What is still to be read of each thread.
pub struct Streams {
    of: TraceStreams,
    threads: HashMap<(String, Pid, i32), Thread>,
    failure: Option<RecordError>,
}

struct Thread {
    sites: usize,
    /// The last one first.
    left: Vec<StreamPart>,
    open: OpenPart,
}

/// Half of what programs can have.
pub fn half_of_memory() -> Bytes {
    MemoryInfo::available(&Roots::live()).map_or(Bytes(u64::MAX), |memory| Bytes(memory.0 / 2))
}

impl Large {
    /// Nothing where all of it finds room in `memory`, or its begin is missing: then how many messages are, too.
    pub fn open(path: &Path, memory: Bytes) -> Result<Option<Large>, Failure> {
        let is_large = |bytes: u64| bytes.saturating_mul(ANALYSED) > memory.0;
        if !std::fs::metadata(path).is_ok_and(|file| is_large(file.len())) {
            return Ok(None);
        }
        let (of, run) = TraceStreams::open_with_spans(path)?;
        let is_end = |process: &Activity| process.lost.trace.is_some_and(|loss| loss.until.is_some());
        if !is_large(of.size()?.0) || run.processes.iter().any(is_end) {
            return Ok(None);
        }
        let calls = (memory.0.min(MOST.0) / OF_A_CALL).max(1) as usize;
        Ok(Some(Large::of(of, run, calls)?))
    }

    /// A run without calls.
    fn of(of: TraceStreams, run: WatchedRun, calls: usize) -> Result<Large, RecordError> {
        let parts = of.parts()?;
        let mut threads = HashMap::new();
        let run = with_edges(run, &of, &parts, None)?;
        for part in parts.into_iter().rev() {
            let process = run.processes.get(part.process as usize);
            let threads_of = process.and_then(|process| process.threads.measured());
            let thread = threads_of.and_then(|threads| threads.get(part.thread as usize));
            let Some((process, thread)) = process.zip(thread) else { continue };
            let sites = thread.trace.as_ref().map_or(0, |trace| trace.sites.len());
            let none = Thread { sites, left: Vec::new(), open: OpenPart::default() };
            let of = threads.entry((process.host.clone(), process.pid, thread.tid.0));
            of.or_insert(none).left.push(part);
        }
        Ok(Large { run, streams: Streams { of, threads, failure: None }, calls })
    }
}

impl Streams {
    /// Why the trace could not be read to its end.
    pub fn failure(self) -> Option<RecordError> {
        self.failure
    }

    fn next(
        &mut self,
        of: (String, Pid, i32),
        most: usize,
        into: &mut ThreadTrace,
    ) -> Result<bool, RecordError> {
        let Some(thread) = self.threads.get_mut(&of) else { return Ok(false) };
        if thread.open.is_over() {
            let Some(part) = thread.left.pop() else { return Ok(false) };
            self.of.open_part(part, &mut thread.open)?;
        }
        thread.open.add(most, thread.sites, into).ok_or_else(|| self.of.damaged())?;
        let is_over = thread.open.is_over() && thread.left.is_empty();
        if is_over {
            thread.open = OpenPart::default();
        }
        Ok(!is_over)
    }
}

impl CallStreams for Streams {
    fn read(&mut self, of: &Activity, tid: i32, most: usize, into: &mut ThreadTrace) -> Option<bool> {
        let next = self.next((of.host.clone(), of.pid, tid), most, into);
        next.map_err(|error| self.failure = Some(error)).ok()
    }
}
