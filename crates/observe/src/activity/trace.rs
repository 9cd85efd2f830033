//! The trace of a process: the file beside its snapshot file.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU64;
use std::path::Path;

use numawise_facts::Reading;
use numawise_facts::activity::{
    ConstructName, MessageSide, SpanKind, SpanName, ThreadTrace, TraceLoss, TracedCall, TracedKind,
    TracedMessage, TracedSite, TracedSpan,
};
use numawise_linux::source;
use numawise_units::{Bytes, Nanoseconds, Pid};
use numawise_wire::snapshot::reader::{SnapshotFileError, ThreadRecord};
use numawise_wire::trace::reader::{self, TraceFile, TraceRecord, bytes_in_use, call_name};
use numawise_wire::trace::{HEADER_BYTES, RecordKind, SUFFIX};

use super::{ActivityProblem, Clock, Context, in_use, phase, thread};

/// The bytes that are in use of the file beside that of a process; none where it was not traced.
pub(super) fn beside(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let path = path.with_extension(&SUFFIX[1..]);
    match source::open(&path) {
        Ok(source) => in_use(source, HEADER_BYTES, bytes_in_use).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// `None` for one that was not begun: there was no place for it, or its process was killed meanwhile.
pub(super) fn begun(bytes: &[u8]) -> Result<Option<TraceFile<'_>>, ActivityProblem> {
    match TraceFile::parse(bytes) {
        Ok(file) => Ok(Some(file)),
        Err(SnapshotFileError::Short { .. } | SnapshotFileError::Magic { found: 0 }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// By the slots of threads, what each called; and what was lost.
pub(super) type Traces = (BTreeMap<u32, ThreadTrace>, Option<TraceLoss>);

pub(super) fn all(context: &Context<'_>, clock: &Clock, file: &TraceFile<'_>) -> Traces {
    let begin = context.file.begin().nanoseconds;
    let moment = |ticks| Nanoseconds(begin.saturating_add(clock.since_begin(ticks).0));
    let threads: BTreeMap<u32, ThreadRecord<'_>> = context.file.threads_by_slot().collect();
    let phases = context.file.phases(clock.until);
    let phases: HashMap<u16, SpanName> =
        phases.map(|of| (of.number, SpanName::Phase(phase::name(&of)))).collect();
    let mut builders: BTreeMap<u32, Builder<'_>> = BTreeMap::new();
    for (slot, records) in file.chunks() {
        let Some(thread) = threads.get(&slot) else { continue };
        let builder = builders.entry(slot).or_insert_with(|| Builder::new(context, clock, thread, &phases));
        records.for_each(|record| builder.add(record, moment));
    }
    let traces = builders.into_iter().map(|(slot, builder)| (slot, builder.trace)).collect();
    let loss = file.lost().map(|(records, since)| TraceLoss { records, since: moment(since) });
    (traces, loss)
}

/// A site by its number in the thread's table, or of a call whose site found no place there.
type SiteKey = Result<u16, u16>;

struct Builder<'a> {
    clock: &'a Clock,
    /// The thread's own.
    known: Vec<TracedSite>,
    sites: BTreeMap<SiteKey, u32>,
    trace: ThreadTrace,
    /// Messages of the call that ends next.
    pending: u32,
    constructs: Vec<SpanName>,
    phases: &'a HashMap<u16, SpanName>,
    /// By what they are in the file: whether it is a phase, and its row.
    names: HashMap<(bool, Option<u16>), u32>,
}

impl<'a> Builder<'a> {
    fn new(
        context: &'a Context<'a>,
        clock: &'a Clock,
        thread: &ThreadRecord<'_>,
        phases: &'a HashMap<u16, SpanName>,
    ) -> Self {
        let constructs = thread.constructs().map(|row| {
            SpanName::Construct(
                row.kind.map_or(ConstructName::Others, thread::name),
                context.address(row.address),
            )
        });
        let known = thread.sites().map(|site| TracedSite {
            call: site.call.to_owned(),
            at: context.address(site.address),
            communicator: site.communicator,
        });
        Builder {
            clock,
            known: known.collect(),
            sites: BTreeMap::new(),
            trace: ThreadTrace::default(),
            pending: 0,
            constructs: constructs.collect(),
            phases,
            names: HashMap::new(),
        }
    }

    fn site(&mut self, number: Option<u16>, call: u16) -> u32 {
        let known = number.filter(|number| usize::from(*number) < self.known.len());
        let key = known.ok_or(call);
        let next = self.trace.sites.len() as u32;
        let place = *self.sites.entry(key).or_insert(next);
        if place == next {
            let site = known.and_then(|number| self.known.get(usize::from(number)).cloned());
            self.trace.sites.push(site.unwrap_or_else(|| TracedSite {
                call: call_name(call).to_owned(),
                at: Reading::unavailable("the thread has more call sites than its table has places"),
                communicator: None,
            }));
        }
        place
    }

    fn add(&mut self, record: TraceRecord, moment: impl Fn(u64) -> Nanoseconds) {
        let mut message = |end, of: reader::TracedMessage| {
            self.trace.messages.push(TracedMessage {
                end,
                posted: moment(of.posted),
                communicator: of.communicator.and_then(NonZeroU64::new),
                bytes: Bytes(of.bytes),
                tag: of.tag,
                peer: of.peer,
            });
            self.pending += 1;
        };
        match record {
            TraceRecord::Sent(of) => message(MessageSide::Sent, of),
            TraceRecord::Received(of) => message(MessageSide::Received, of),
            TraceRecord::SendDone { sent } => {
                message(MessageSide::SendDone, reader::TracedMessage { posted: sent, ..Default::default() });
            }
            TraceRecord::CollectiveDone { begun } => {
                let of = reader::TracedMessage { posted: begun, ..Default::default() };
                message(MessageSide::CollectiveDone, of);
            }
            TraceRecord::Call(of) => {
                let kind = match of.key.and_then(NonZeroU64::new) {
                    Some(key) => TracedKind::Collective { key, root: of.root },
                    None => TracedKind::Alone,
                };
                let end = of.begin.saturating_add(of.ticks);
                let site = self.site(of.site, of.call);
                self.call(site, [moment(of.begin), moment(end)], kind, of.bytes);
            }
            TraceRecord::Polls { site, call, begin, ticks, end, count } => {
                let kind = TracedKind::Polls { calls: count, within: self.clock.nanoseconds(ticks) };
                let site = self.site(site, call);
                self.call(site, [moment(begin), moment(end)], kind, 0);
            }
            TraceRecord::Span(span) => self.span(&span, moment),
        }
    }

    fn span(&mut self, span: &reader::TracedSpan, moment: impl Fn(u64) -> Nanoseconds) {
        let is_phase = matches!(span.kind, RecordKind::PhaseBegin | RecordKind::PhaseEnd);
        let next = self.trace.names.len() as u32;
        let of = *self.names.entry((is_phase, span.row)).or_insert(next);
        if of == next {
            let (phases, constructs) = (self.phases, &self.constructs);
            let known = span
                .row
                .and_then(|row| if is_phase { phases.get(&row) } else { constructs.get(usize::from(row)) });
            let none = "more constructs or phases than their tables have places";
            let unknown = || SpanName::Construct(ConstructName::Others, Reading::unavailable(none));
            self.trace.names.push(known.cloned().unwrap_or_else(unknown));
        }
        let end = span.begin.saturating_add(span.ticks);
        let kind = match span.kind {
            RecordKind::Region => {
                let waits_since = moment(end.saturating_sub(span.third.min(span.ticks)));
                SpanKind::Region { threads: span.team, waits_since }
            }
            RecordKind::Worked => {
                let master = Pid((span.fourth as u32).cast_signed());
                SpanKind::Worked { master, begun: moment(span.third) }
            }
            RecordKind::PhaseBegin => SpanKind::Phase,
            RecordKind::PhaseEnd => {
                let is_it = |open: &&mut TracedSpan| open.of == of && open.kind == SpanKind::Phase;
                let open = self.trace.spans.iter_mut().rev().find(is_it);
                open.into_iter().for_each(|open| open.end = moment(end).max(open.begin));
                return;
            }
            _ => SpanKind::Waited,
        };
        // A phase goes on until its end is found.
        let end = if kind == SpanKind::Phase { self.clock.until } else { end };
        let (begin, end) = (moment(span.begin), moment(end));
        self.trace.spans.push(TracedSpan { of, begin, end: end.max(begin), kind });
    }

    fn call(&mut self, site: u32, [begin, end]: [Nanoseconds; 2], kind: TracedKind, bytes: u64) {
        // Counters of two processors may differ by a few ticks.
        let end = end.max(begin);
        let messages = std::mem::take(&mut self.pending);
        self.trace.calls.push(TracedCall { site, begin, end, kind, bytes: Bytes(bytes), messages });
    }
}
