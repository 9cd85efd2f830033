//! Traces of processes on their way to another computer: beside the lines of the processes, in a file of their own, as a record keeps them. Their
//! moments are those of the clock of the computer that wrote them; whoever reads them has another one.

use std::io::{self, Read, Write};
use std::sync::Arc;

use numawise_facts::Activity;
use numawise_facts::activity::ThreadTrace;
use numawise_linux::calls::clock;
use numawise_record::{add_seen_part, add_span_part, add_trace_part, seen_part, span_parts, trace_parts};
use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "handed_traces_tests.rs"]
mod tests;

/// What a part of a trace is of: the line of its process, the thread, whether it has calls (0), spans (1) or what was seen (2), bytes of their names and of themselves.
const HEADER: usize = 20;
const CALLS: u32 = 0;
const SPANS: u32 = 1;
const SEEN: u32 = 2;
/// Bytes of names, calls or spans of a part, far more than any has.
const MOST_BYTES: u32 = 64 << 20;

/// From the monotonic clock of this computer to the time of day, in nanoseconds.
pub fn to_time_of_day() -> i64 {
    clock::unix_time().0.wrapping_sub(clock::monotonic().0).cast_signed()
}

/// Writes the traces of a process that stands in a line.
///
/// # Errors
/// Where that cannot be written.
pub fn write(line: u32, activity: &Activity, out: &mut impl Write) -> io::Result<()> {
    for (number, thread) in activity.threads.measured().into_iter().flatten().enumerate() {
        let Some(trace) = &thread.trace else { continue };
        let mut put = |kind: u32, names: Vec<u8>, part: Vec<u8>| {
            let header = [line, number as u32, kind, names.len() as u32, part.len() as u32];
            out.write_all(&header.map(u32::to_le_bytes).concat())?;
            out.write_all(&names)?;
            out.write_all(&part)
        };
        for (part, calls) in trace_parts(trace).enumerate() {
            put(CALLS, if part == 0 { serde_json::to_vec(&trace.sites)? } else { Vec::new() }, calls)?;
        }
        for (part, spans) in span_parts(trace).enumerate() {
            put(SPANS, if part == 0 { serde_json::to_vec(&trace.names)? } else { Vec::new() }, spans)?;
        }
        if let Some(seen) = &trace.seen {
            put(SEEN, Vec::new(), seen_part(seen))?;
        }
    }
    Ok(())
}

/// Reads what was written, in the order of the lines.
#[derive(Debug)]
pub struct HandedTraces<R> {
    from: R,
    /// The next part's; none: there is no more.
    header: Option<[u32; HEADER / 4]>,
}

impl<R: Read> HandedTraces<R> {
    /// # Errors
    /// Where nothing can be read.
    pub fn of(from: R) -> io::Result<HandedTraces<R>> {
        let mut traces = HandedTraces { from, header: None };
        traces.next()?;
        Ok(traces)
    }

    fn next(&mut self) -> io::Result<()> {
        let mut bytes = [0; HEADER];
        let mut read = 0;
        while let more @ 1.. = self.from.read(&mut bytes[read..])? {
            read += more;
        }
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
        self.header = match read {
            0 => None,
            HEADER => Some([0, 4, 8, 12, 16].map(word)),
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        };
        Ok(())
    }

    fn bytes(&mut self, length: u32) -> io::Result<Vec<u8>> {
        if length > MOST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = vec![0; length as usize];
        self.from.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Gives the process of a line its traces, with moments that are so much later.
    ///
    /// # Errors
    /// Where they cannot be read, or are none.
    pub fn add_to(&mut self, line: u32, activity: &mut Activity, later: i64) -> io::Result<()> {
        let broken = || io::Error::from(io::ErrorKind::InvalidData);
        let mut current: Option<(u32, ThreadTrace)> = None;
        while let Some([of, thread, kind, names, part]) = self.header.filter(|header| header[0] == line) {
            let (names, part) = (self.bytes(names)?, self.bytes(part)?);
            if kind == CALLS && !names.is_empty() {
                finish(current.take(), activity, later);
                let sites = serde_json::from_slice(&names)?;
                current = Some((thread, ThreadTrace { sites, ..ThreadTrace::default() }));
            }
            let trace = current.as_mut().filter(|(number, _)| *number == thread && of == line);
            let trace = &mut trace.ok_or_else(broken)?.1;
            if kind == SPANS && !names.is_empty() {
                trace.names = serde_json::from_slice(&names)?;
            }
            let added = match kind {
                CALLS => add_trace_part(&part, trace),
                SPANS => add_span_part(&part, trace),
                SEEN => add_seen_part(&part, trace),
                _ => None,
            };
            added.ok_or_else(broken)?;
            self.next()?;
        }
        finish(current, activity, later);
        if let Some(loss) = &mut activity.lost.trace {
            move_moment(&mut loss.since, later);
            loss.until.iter_mut().chain(&mut loss.again).for_each(|moment| move_moment(moment, later));
        }
        Ok(())
    }
}

fn finish(read: Option<(u32, ThreadTrace)>, activity: &mut Activity, later: i64) {
    let Some((number, mut trace)) = read else { return };
    let threads = activity.threads.measured_mut();
    let Some(thread) = threads.and_then(|threads| threads.get_mut(number as usize)) else { return };
    trace.each_moment(|moment| move_moment(moment, later));
    thread.trace = Some(Arc::new(trace));
}

fn move_moment(moment: &mut Nanoseconds, later: i64) {
    moment.0 = moment.0.saturating_add_signed(later);
}
