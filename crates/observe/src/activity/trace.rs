//! The trace of a process: the file beside its snapshot file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufReader};
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use numawise_facts::Reading;
use numawise_facts::activity::{
    ConstructName, FileOperation, MessageSide, SpanKind, SpanName, ThreadTrace, TraceLoss, TracedCall,
    TracedKind, TracedMessage, TracedSite, TracedSpan, WindowStep,
};
use numawise_linux::source;
use numawise_units::{Bytes, Nanoseconds, Pid};
use numawise_wire::snapshot::reader::{SnapshotFileError, ThreadRecord};
use numawise_wire::trace::reader::{
    self, ChunkOf, TraceFile, TraceRecord, bytes_in_use, call_name, cut_since, dropped, keep_unchanged,
    records, wanted_until,
};
use numawise_wire::trace::{HEADER_BYTES, SUFFIX, file_bytes};

use super::drain::{self, TAKEN};
use super::{ActivityProblem, Clock, Context, in_use, phase, thread};

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;

/// What there is of the trace of a process.
#[derive(Debug, Clone, Default)]
pub(super) struct TraceParts {
    /// As much of its file as is in use.
    pub bytes: Vec<u8>,
    /// Files of chunks that were taken away from it, in their order.
    pub taken: Vec<PathBuf>,
}

/// The trace beside the file of a process; none where it was not traced.
pub(super) fn beside(path: &Path) -> io::Result<Option<TraceParts>> {
    let own = path.with_extension(&SUFFIX[1..]);
    let mut source = match source::open(&own) {
        Ok(source) => source,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = in_use(&mut source, HEADER_BYTES, bytes_in_use)?;
    let (_, file) = source.get_ref();
    // What was taken away meanwhile, or comes from two threads, is in the files.
    let mut now = vec![0; HEADER_BYTES];
    if file.read_exact_at(&mut now, 0).is_ok() {
        let mut begin = [0; 64];
        keep_unchanged(&mut bytes, &now, |place| {
            let read = file.read_exact_at(&mut begin, file_bytes(place) as u64);
            read.ok().and_then(|()| ChunkOf::parse(&begin)).map(|chunk| chunk.number)
        });
    }
    let folder = path.parent().unwrap_or(Path::new("")).join(TAKEN);
    let stem = own.file_stem().unwrap_or_default().to_string_lossy();
    let taken = reader::taken(&bytes).map(|number| folder.join(drain::file_name(&stem, number)));
    let taken = taken.collect();
    Ok(Some(TraceParts { bytes, taken }))
}

/// `None` for one that was not begun: there was no place for it, or its process was killed meanwhile.
pub(super) fn begun(parts: &TraceParts) -> Result<Option<TraceFile<'_>>, ActivityProblem> {
    match TraceFile::parse(&parts.bytes) {
        Ok(file) => Ok(Some(file)),
        Err(SnapshotFileError::Short { .. } | SnapshotFileError::Magic { found: 0 }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// By the slots of threads, what each called; and what was lost.
pub(super) type Traces = (BTreeMap<u32, ThreadTrace>, Option<TraceLoss>);

pub(super) fn all(
    context: &Context<'_>,
    clock: &Clock,
    (file, parts): (&TraceFile<'_>, &TraceParts),
) -> Traces {
    let begin = context.file.begin().nanoseconds;
    let moment = |ticks| Nanoseconds(begin.saturating_add(clock.since_begin(ticks).0));
    let threads: BTreeMap<u32, ThreadRecord<'_>> = context.file.threads_by_slot().collect();
    let phases = context.file.phases(clock.until);
    let phases: HashMap<u16, SpanName> =
        phases.map(|of| (of.number, SpanName::Phase(phase::name(&of)))).collect();
    let mut builders: BTreeMap<u32, (Option<u64>, Builder<'_>)> = BTreeMap::new();
    let wanted = wanted_until(&parts.bytes).map(Nanoseconds);
    let (mut unread, mut unwanted) = (0u64, 0u64);
    let mut add = |chunk: ChunkOf<'_>, is_behind_gap: bool| {
        let Some(thread) = threads.get(&chunk.slot) else { return };
        let new = || (None, Builder::new(context, clock, thread, &phases));
        let (last, builder) = builders.entry(chunk.slot).or_insert_with(new);
        // A chunk that was taken away may be there twice, where numawise was killed.
        if last.is_some_and(|last| last >= chunk.number) {
            return;
        }
        *last = Some(chunk.number);
        if is_behind_gap {
            unread += records(chunk.records).count() as u64;
        } else {
            for record in records(chunk.records) {
                // Those of a message count for the call behind them, which is not there either.
                if wanted.is_none_or(|until| moment(record.end()) <= until) {
                    builder.add(record, moment);
                } else {
                    unwanted += 1;
                }
            }
        }
    };
    let mut has_gap = false;
    for path in &parts.taken {
        has_gap |= each_taken(path, |chunk| add(chunk, has_gap)).is_err();
    }
    let mut chunks: Vec<ChunkOf<'_>> = file.chunks().collect();
    chunks.sort_unstable_by_key(|chunk| chunk.number);
    chunks.into_iter().for_each(|chunk| add(chunk, has_gap));
    let traces: BTreeMap<u32, ThreadTrace> =
        builders.into_iter().map(|(slot, (_, builder))| (slot, builder.trace)).collect();
    let mut loss = loss(file, &parts.bytes, begin, (wanted, unwanted), moment);
    if has_gap {
        // How much a file held that cannot be read is not known.
        let ends =
            traces.values().map(|trace| trace.calls.last().map_or(Nanoseconds(begin), |call| call.end));
        let records = loss.map_or(0, |loss| loss.records).saturating_add(unread).max(1);
        let since = ends.min().unwrap_or(Nanoseconds(begin));
        loss = Some(TraceLoss { records, since, until: None, again: None, is_outside: false });
    }
    (traces, loss)
}

/// Reads a file of chunks.
fn each_taken(path: &Path, mut add: impl FnMut(ChunkOf<'_>)) -> io::Result<()> {
    let mut from = BufReader::with_capacity(1 << 18, source::open(path)?);
    while let Some(chunk) = drain::next(&mut from)? {
        add(ChunkOf { slot: chunk.slot, number: chunk.number, records: &chunk.records });
    }
    Ok(())
}

/// What is missing lies behind all that is there, or before it. `wanted`: until when records were, where not all were; `unwanted`: those that end later.
fn loss(
    file: &TraceFile<'_>,
    header: &[u8],
    begin: u64,
    (wanted, unwanted): (Option<Nanoseconds>, u64),
    moment: impl Fn(u64) -> Nanoseconds,
) -> Option<TraceLoss> {
    let (lost, dropped) = (file.lost(), dropped(header));
    let (records, [since, until]) = lost.unwrap_or_default();
    if !file.keeps_last() {
        let of = |since| TraceLoss { records, since, until: None, again: None, is_outside: false };
        return lost.map(|_| of(moment(since)));
    }
    let records = records.saturating_add(dropped.0).saturating_add(unwanted);
    let cut = cut_since(header);
    let full = (cut != 0).then(|| moment(cut)).filter(|full| wanted.is_none_or(|until| *full < until));
    let is_outside = wanted.is_some() && full.is_none();
    let again = full.or_else(|| wanted.filter(|_| cut != 0 || unwanted > 0));
    match until.max(dropped.1) {
        _ if records == 0 => None,
        // What there was when it was to stay is whole.
        0 => again.map(|since| TraceLoss { records, since, until: None, again: None, is_outside }),
        until => {
            let (since, until) = (Nanoseconds(begin), Some(moment(until)));
            Some(TraceLoss { records, since, until, again, is_outside })
        }
    }
}

/// A site by its number in the thread's table; or of a call whose site found no place there, or that another call starts on a communicator.
type SiteKey = Result<u16, (u16, Option<u16>)>;

/// What a row of a span numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NameKind {
    Construct,
    Phase,
    File,
}

struct Builder<'a> {
    clock: &'a Clock,
    /// The thread's own.
    known: Vec<TracedSite>,
    sites: BTreeMap<SiteKey, u32>,
    trace: ThreadTrace,
    /// Messages of the call that ends next.
    pending: u32,
    /// Channels of which an end was seen: what it did, communicator, peer and tag.
    numbered: HashSet<(bool, Option<u64>, u32, i32)>,
    constructs: Vec<SpanName>,
    phases: &'a HashMap<u16, SpanName>,
    /// By what they are in the file: of which kind, and its row.
    names: HashMap<(NameKind, Option<u16>), u32>,
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
            numbered: HashSet::new(),
            constructs: constructs.collect(),
            phases,
            names: HashMap::new(),
        }
    }

    fn site(&mut self, number: Option<u16>, call: u16) -> u32 {
        let known = number.filter(|number| usize::from(*number) < self.known.len());
        let key = known.ok_or((call, None));
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

    /// What a call is that was made elsewhere.
    fn made(&mut self, call: u16, communicator: u16) -> u32 {
        let next = self.trace.sites.len() as u32;
        let place = *self.sites.entry(Err((call, Some(communicator)))).or_insert(next);
        if place == next {
            self.trace.sites.push(TracedSite {
                call: call_name(call).to_owned(),
                at: Reading::unavailable("it says what other calls start"),
                communicator: Some(communicator),
            });
        }
        place
    }

    /// Of calls that are not told apart.
    fn left_out(&mut self) -> u32 {
        let next = self.trace.sites.len() as u32;
        let place = *self.sites.entry(Err((u16::MAX, None))).or_insert(next);
        if place == next {
            self.trace.sites.push(TracedSite {
                call: "calls left out".to_owned(),
                at: Reading::unavailable("they were to be left out"),
                communicator: None,
            });
        }
        place
    }

    fn add(&mut self, record: TraceRecord, moment: impl Fn(u64) -> Nanoseconds) {
        match record {
            TraceRecord::Sent(of) => self.message(MessageSide::Sent, of, moment),
            TraceRecord::Received(of) => self.message(MessageSide::Received, of, moment),
            TraceRecord::SendDone { sent } => {
                let of = reader::TracedMessage { posted: sent, ..Default::default() };
                self.message(MessageSide::SendDone, of, moment);
            }
            TraceRecord::CollectiveDone { begun, key: communicator } => {
                let of = reader::TracedMessage { posted: begun, communicator, ..Default::default() };
                self.message(MessageSide::CollectiveDone, of, moment);
            }
            TraceRecord::Part(of) => {
                let peer = self.made(of.call, of.communicator);
                let tag = of.root.map_or(0, |root| root.cast_signed().saturating_add(1));
                let of = reader::TracedMessage {
                    posted: of.begin,
                    communicator: of.key,
                    tag,
                    peer,
                    ..Default::default()
                };
                self.message(MessageSide::Part, of, moment);
            }
            TraceRecord::Window { begin, window, step, peer } => {
                let of =
                    reader::TracedMessage { posted: begin, communicator: window, peer, ..Default::default() };
                if let Some(step) = WindowStep::ALL.get(step as usize) {
                    self.message(MessageSide::Window(*step), of, moment);
                }
            }
            TraceRecord::Source { begin, rank: peer } => {
                let of = reader::TracedMessage { posted: begin, peer, ..Default::default() };
                self.message(MessageSide::Source, of, moment);
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
            TraceRecord::LeftOut { ticks, end, count } => {
                let before = self.trace.calls.last().map_or(Nanoseconds(0), |call| call.end);
                let end = moment(end);
                let begin = end.saturating_sub(self.clock.nanoseconds(ticks)).max(before);
                let site = self.left_out();
                self.call(site, [begin, end], TracedKind::LeftOut { calls: count }, 0);
            }
            TraceRecord::Span(span) => self.span(&span, moment),
        }
    }

    fn message(&mut self, end: MessageSide, of: reader::TracedMessage, moment: impl Fn(u64) -> Nanoseconds) {
        let message = TracedMessage {
            end,
            posted: moment(of.posted),
            communicator: of.communicator.and_then(NonZeroU64::new),
            bytes: Bytes(of.bytes),
            tag: of.tag,
            peer: of.peer,
        };
        if let Some(before) = of.before {
            let is_sent = end == MessageSide::Sent;
            if self.numbered.insert((is_sent, of.communicator, of.peer, of.tag)) {
                let end = if is_sent { MessageSide::SentBefore } else { MessageSide::ReceivedBefore };
                self.put(TracedMessage { end, bytes: Bytes(before), ..message });
            }
        }
        self.put(message);
    }

    fn put(&mut self, message: TracedMessage) {
        self.trace.messages.push(message);
        self.pending += 1;
    }

    fn span(&mut self, span: &reader::TracedSpan, moment: impl Fn(u64) -> Nanoseconds) {
        let names = match span.kind {
            reader::SpanKind::PhaseBegin | reader::SpanKind::PhaseEnd => NameKind::Phase,
            reader::SpanKind::File => NameKind::File,
            _ => NameKind::Construct,
        };
        let next = self.trace.names.len() as u32;
        let of = *self.names.entry((names, span.row)).or_insert(next);
        if of == next {
            let (phases, constructs) = (self.phases, &self.constructs);
            let known = span.row.and_then(|row| match names {
                NameKind::Phase => phases.get(&row).cloned(),
                NameKind::Construct => constructs.get(usize::from(row)).cloned(),
                NameKind::File => FileOperation::ALL.get(usize::from(row)).copied().map(SpanName::File),
            });
            let none = "more constructs or phases than their tables have places";
            let unknown = || SpanName::Construct(ConstructName::Others, Reading::unavailable(none));
            self.trace.names.push(known.unwrap_or_else(unknown));
        }
        let end = span.begin.saturating_add(span.ticks);
        let kind = match span.kind {
            reader::SpanKind::Region { waited, threads } => {
                SpanKind::Region { threads, waits_since: moment(end.saturating_sub(waited.min(span.ticks))) }
            }
            reader::SpanKind::Worked { begun, master } => {
                SpanKind::Worked { master: Pid(master.cast_signed()), begun: moment(begun) }
            }
            reader::SpanKind::Waited => SpanKind::Waited,
            reader::SpanKind::File => SpanKind::File,
            reader::SpanKind::PhaseBegin => SpanKind::Phase,
            reader::SpanKind::PhaseEnd => {
                let is_it = |open: &&mut TracedSpan| open.of == of && open.kind == SpanKind::Phase;
                let open = self.trace.spans.iter_mut().rev().find(is_it);
                open.into_iter().for_each(|open| open.end = moment(end).max(open.begin));
                return;
            }
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
