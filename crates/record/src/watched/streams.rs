//! A trace whose calls are read part by part, for who looks at some of it: what stands in a part says where it begins, and nothing else is unpacked.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use numawise_facts::WatchedRun;
use numawise_facts::activity::{ThreadTrace, TracedCall};
use numawise_units::packed::Unpacked;
use numawise_units::{Bytes, Nanoseconds};
use rusqlite::Connection;

use super::trace::overview::{PartBin, read_bins};
use super::{Events, OpenPart, add_trace_part, read_run};
use crate::schema::WATCHED_RUN;
use crate::{RecordError, file, guard, read, whole};

/// So many bytes hold the first three numbers of a part, unpacked.
const HEAD: u64 = 32;

/// A trace in a file. It can be given to another thread, and is used by one at a time.
pub struct TraceStreams {
    connection: Connection,
    path: PathBuf,
}

/// Where calls of a thread are that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamPart {
    /// As in the run's list.
    pub process: u32,
    /// As in the process's list.
    pub thread: u32,
    /// From 0 on.
    pub part: u32,
    /// Of its first call.
    pub begin: Nanoseconds,
}

/// What a part holds in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartOverview {
    pub at: StreamPart,
    /// Calls, and ends of messages.
    pub events: u64,
    /// As of [`ThreadTrace::calls_at_edges`].
    pub edges: Vec<TracedCall>,
    /// Equal spans from the begin of its first call to the end of its last one.
    pub bins: Vec<PartBin>,
}

impl TraceStreams {
    /// The trace, and the run that it is of, in which the traces have neither calls nor spans, but what was seen.
    ///
    /// # Errors
    /// As [`super::read_watched_run`].
    pub fn open(path: &Path) -> Result<(TraceStreams, WatchedRun), RecordError> {
        let connection = whole::open(path, &WATCHED_RUN)?;
        TraceStreams::with_run(connection, path, Events::Nothing)
    }

    /// The same, with spans, and what was seen from outside.
    ///
    /// # Errors
    /// As [`super::read_watched_run`].
    pub fn open_with_spans(path: &Path) -> Result<(TraceStreams, WatchedRun), RecordError> {
        TraceStreams::with_run(whole::open(path, &WATCHED_RUN)?, path, Events::AllButCalls)
    }

    fn with_run(
        connection: Connection,
        path: &Path,
        events: Events,
    ) -> Result<(TraceStreams, WatchedRun), RecordError> {
        let run = read_run(&connection, events).map_err(|error| read::damage(path, error))?;
        Ok((TraceStreams { connection, path: path.to_owned() }, run))
    }

    /// The same trace for another thread.
    ///
    /// # Errors
    /// What the file system says.
    pub fn again(&self) -> Result<TraceStreams, RecordError> {
        let mut connection = file::connect(&self.path)?;
        guard::bound(&mut connection, &self.path)?;
        Ok(TraceStreams { connection, path: self.path.clone() })
    }

    /// What calls and spans take in the file.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn size(&self) -> Result<Bytes, RecordError> {
        let of = |table: &str, column: &str| -> rusqlite::Result<u64> {
            if !read::has_table(&self.connection, table)? {
                return Ok(0);
            }
            let sum = format!("SELECT coalesce(sum(length({column})), 0) FROM {table}");
            self.connection.query_row(&sum, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
        };
        let both =
            of("traces", "calls").and_then(|calls| Ok(Bytes(calls.saturating_add(of("spans", "spans")?))));
        both.map_err(|error| self.problem(error))
    }

    /// All parts that have calls, in the order of their processes and threads, each with what it holds in short; nothing where an older numawise kept
    /// the trace. `run`: with the sites of its traces.
    ///
    /// # Errors
    /// What SQLite says; of a part that does not hold what it should, that it is damaged.
    pub fn overview(&self, run: &WatchedRun) -> Result<Option<Vec<PartOverview>>, RecordError> {
        let each = || -> rusqlite::Result<Option<Option<Vec<PartOverview>>>> {
            if !read::has_table(&self.connection, "overview")? {
                return Ok(Some(None));
            }
            let rows = |table: &str| -> rusqlite::Result<i64> {
                self.connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
            };
            let is_whole = rows("overview")? == rows("traces")?;
            let (mut parts, mut room) = (Vec::new(), Vec::new());
            let query = "SELECT process, thread, part, events, edges, bins FROM overview ORDER BY process, thread, part";
            let mut query = self.connection.prepare(query)?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()?.filter(|_| is_whole) {
                let at = [row.get::<_, u32>(0)?, row.get(1)?, row.get(2)?];
                let blob = |column| row.get_ref(column).map(|cell| cell.as_blob().unwrap_or_default());
                let edges = edges(run, at, blob(4)?).zip(read_bins(blob(5)?, &mut room));
                let Some((edges, bins)) = edges else { return Ok(None) };
                let Some(first) = edges.first() else { continue };
                let [process, thread, part] = at;
                let at = StreamPart { process, thread, part, begin: first.begin };
                parts.push(PartOverview { at, events: row.get::<_, u32>(3)?.into(), edges, bins });
            }
            Ok(Some(is_whole.then_some(parts)))
        };
        match each() {
            Ok(Some(parts)) => Ok(parts),
            Ok(None) => Err(self.damage("overview")),
            Err(error) => Err(self.problem(error)),
        }
    }

    /// All parts that have calls, in the order of their processes and threads.
    ///
    /// # Errors
    /// What SQLite says; of a part that does not begin as it should, that it is damaged.
    pub fn parts(&self) -> Result<Vec<StreamPart>, RecordError> {
        let mut parts = Vec::new();
        let mut each = || -> rusqlite::Result<bool> {
            let mut query = self
                .connection
                .prepare("SELECT process, thread, part, calls FROM traces ORDER BY process, thread, part")?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let Some(begin) = row.get_ref(3)?.as_blob().ok().and_then(first_begin) else {
                    return Ok(false);
                };
                let at = [row.get::<_, u32>(0)?, row.get(1)?, row.get(2)?];
                let [process, thread, part] = at;
                parts.extend(begin.map(|begin| StreamPart { process, thread, part, begin }));
            }
            Ok(true)
        };
        match each() {
            Ok(true) => Ok(parts),
            Ok(false) => Err(self.damage("traces")),
            Err(error) => Err(self.problem(error)),
        }
    }

    /// Opens a part, to unpack it call by call.
    ///
    /// # Errors
    /// What SQLite says; of a part that does not hold what it should, that it is damaged.
    pub fn open_part(&self, of: StreamPart, part: &mut OpenPart) -> Result<(), RecordError> {
        self.with_part(of, &mut |blob| part.open(blob))
    }

    /// What is said where an open part does not hold what it should.
    pub fn damaged(&self) -> RecordError {
        self.damage("traces")
    }

    /// The calls of one part behind those of a trace that has their sites.
    ///
    /// # Errors
    /// What SQLite says; of a part that does not hold what it should, that it is damaged.
    pub fn read(&self, of: StreamPart, trace: &mut ThreadTrace) -> Result<(), RecordError> {
        self.with_part(of, &mut |blob| add_trace_part(blob, trace))
    }

    fn with_part(
        &self,
        of: StreamPart,
        take: &mut dyn FnMut(&[u8]) -> Option<()>,
    ) -> Result<(), RecordError> {
        let key = [of.process, of.thread, of.part];
        let query = "SELECT calls FROM traces WHERE process = ?1 AND thread = ?2 AND part = ?3";
        let query = self.connection.prepare_cached(query);
        let unpacked = query.and_then(|mut query| {
            query.query_row(key, |row| Ok(row.get_ref(0)?.as_blob().ok().and_then(&mut *take)))
        });
        match unpacked {
            Ok(Some(())) => Ok(()),
            Ok(None) => Err(self.damaged()),
            Err(error) => Err(self.problem(error)),
        }
    }

    fn damage(&self, table: &str) -> RecordError {
        RecordError::damaged(&self.path, format!("a part of the table '{table}' holds no packed calls"))
    }

    fn problem(&self, error: rusqlite::Error) -> RecordError {
        RecordError::sqlite(&self.path, "read it", error)
    }
}

/// The calls at the edges of a part; nothing where the blob does not hold them.
fn edges(run: &WatchedRun, [process, thread, _]: [u32; 3], blob: &[u8]) -> Option<Vec<TracedCall>> {
    let threads = run.processes.get(process as usize)?.threads.measured()?;
    let sites = threads.get(thread as usize)?.trace.as_ref()?.sites.len();
    let (mut part, mut trace) = (OpenPart::default(), ThreadTrace::default());
    part.open(blob)?;
    part.add(usize::MAX, sites, &mut trace)?;
    Some(trace.calls)
}

/// When the first call of a part began; nothing where it has none. None where this is no part.
fn first_begin(blob: &[u8]) -> Option<Option<Nanoseconds>> {
    let mut head = Vec::new();
    ZlibDecoder::new(blob).take(HEAD).read_to_end(&mut head).ok()?;
    let mut numbers = Unpacked::of(&head);
    if numbers.number()? == 0 {
        return Some(None);
    }
    numbers.number()?;
    Some(Some(Nanoseconds(numbers.difference(0)?)))
}
