//! What is served: of a small trace everything at once; of a large one first what its streams tell part by part, and all when that is analysed behind.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::Duration;

use numawise_analyse::{
    MEMORY_OF_AN_EVENT, RunParts, StreamAt, StreamView, TraceView, trace_view, trace_view_of_streams,
};
use numawise_facts::activity::{ThreadTrace, TracedCall};
use numawise_facts::{TracePart, WatchedRun};
use numawise_linux::Roots;
use numawise_linux::memory::MemoryInfo;
use numawise_record::{PartOverview, RecordError, StreamPart, TraceStreams};
use numawise_report::snapshot::view::{self, Known};
use numawise_tables::snapshot::{AskedWindow, TraceEvents};
use numawise_units::{Arrange, Bytes, Nanoseconds};

use crate::commands::report::watched_run;
use crate::edges::with_edges;
use crate::exit::Failure;
use crate::show;

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;

/// Packed: 5 million events, analysed in a second or two.
pub const SMALL: Bytes = Bytes(8 << 20);
/// Parts whose calls are kept: some 5 MB each.
const KEPT: usize = 64;
/// Parts that are unpacked for one window; one that needs more is shown in bins.
const WANTED: usize = 48;
/// So long an answer waits for them; then it is rough, and asked for again.
const PATIENCE: Duration = Duration::from_millis(60);

/// Shared with the threads that read and analyse.
pub struct Source(Arc<Shared>);

struct Shared {
    shown: RwLock<Shown>,
    work: Mutex<Work>,
    /// There is work.
    more: Condvar,
    path: PathBuf,
    parts: Vec<StreamPart>,
    run: &'static WatchedRun,
}

struct Shown {
    version: u64,
    known: Known,
    view: View,
}

enum View {
    Nothing,
    Streams(Box<StreamView<'static>>),
    Whole(Box<TraceView<'static>>),
}

/// What the readers do.
#[derive(Default)]
struct Work {
    /// Parts in the order in which they are read, the last one first.
    unread: Vec<usize>,
    /// Before these.
    wanted: Vec<usize>,
    /// How many of them are being read.
    awaited: usize,
    read: usize,
    events: u64,
    kept: Kept,
    is_over: bool,
    failure: Option<Failure>,
}

/// Calls of parts that somebody looked at, the one that was longest ago first.
#[derive(Default)]
struct Kept(Vec<(usize, Arc<Vec<TracedCall>>)>);

impl Kept {
    fn get(&mut self, part: usize) -> Option<Arc<Vec<TracedCall>>> {
        let place = self.0.iter().position(|(of, _)| *of == part)?;
        let found = self.0.remove(place);
        let calls = Arc::clone(&found.1);
        self.0.push(found);
        Some(calls)
    }

    fn put(&mut self, part: usize, calls: Vec<TracedCall>) {
        self.0.push((part, Arc::new(calls)));
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }
}

impl Source {
    /// A trace that is in memory; nothing where no rank was traced.
    pub fn whole(run: WatchedRun) -> Option<Source> {
        let run = leaked(run);
        let view = trace_view(parts_of(run))?;
        Some(Source::from(
            Shown { version: 1, known: Known::Whole, view: View::Whole(Box::new(view)) },
            run,
            (Path::new(""), Vec::new()),
            Work::default(),
        ))
    }

    /// A trace in a file; `run`: without calls; up to `small` everything at once.
    pub fn of(
        path: &Path,
        (streams, run): (TraceStreams, WatchedRun),
        small: Bytes,
    ) -> Result<Source, Failure> {
        if streams.size()? <= small {
            let run = watched_run(path)?;
            return Source::whole(run).ok_or_else(|| {
                Failure::new(format!(
                    "view {}: it has no call between MPI_Init and MPI_Finalize, and no parallel region; expected the trace of a program with MPI \
                     or OpenMP",
                    path.display()
                ))
            });
        }
        let overview = streams.overview(&run)?;
        let parts = match &overview {
            Some(overview) => overview.iter().map(|of| of.at).collect(),
            None => streams.parts()?,
        };
        let run = leaked(with_edges(run, &streams, &parts, overview.as_deref())?);
        let mut view = streams_of(run, &parts);
        let known = if overview.is_some() { Known::Analysed } else { Known::Streams };
        let mut work = Work { unread: in_turn(&parts), ..Work::default() };
        if let Some(overview) = &overview {
            view.as_mut().into_iter().for_each(|view| sketch(view, overview));
            let events = overview.iter().map(|of| of.events).sum();
            work = Work { read: parts.len(), events, ..Work::default() };
        }
        let view = view.map_or(View::Nothing, |view| View::Streams(Box::new(view)));
        let source = Source::from(Shown { version: 1, known, view }, run, (path, parts), work);
        let readers = thread::available_parallelism().map_or(2, |all| all.get().min(4));
        for _ in 0..readers {
            let (shared, streams) = (Arc::clone(&source.0), streams.again()?);
            begin(Box::new(move || shared.read(&streams)))?;
        }
        let shared = Arc::clone(&source.0);
        begin(Box::new(move || shared.analyse()))?;
        Ok(source)
    }

    fn from(
        shown: Shown,
        run: &'static WatchedRun,
        (path, parts): (&Path, Vec<StreamPart>),
        work: Work,
    ) -> Source {
        Source(Arc::new(Shared {
            shown: RwLock::new(shown),
            work: Mutex::new(work),
            more: Condvar::new(),
            path: path.to_owned(),
            parts,
            run,
        }))
    }

    /// What ended the reading before its end.
    pub fn failure(&self) -> Option<Failure> {
        self.0.work().failure.take()
    }

    pub fn names(&self) -> String {
        let shown = self.0.shown();
        let names = match &shown.view {
            View::Nothing => TraceEvents::default(),
            View::Streams(view) => view.names(),
            View::Whole(view) => view.names(),
        };
        view::names(&names, shown.known, shown.version)
    }

    pub fn window(&self, asked: AskedWindow<'_>) -> Vec<u8> {
        let (window, is_rough) = self.window_now(asked);
        if is_rough && self.0.has_wanted() { self.window_now(asked).0 } else { window }
    }

    /// As far as its parts are at hand, and whether more of them come.
    fn window_now(&self, asked: AskedWindow<'_>) -> (Vec<u8>, bool) {
        let shown = self.0.shown();
        let (window, read) = match &shown.view {
            View::Nothing => (numawise_tables::snapshot::TraceWindow::nothing(asked), 0),
            View::Whole(view) => (view.window(asked), 1000),
            View::Streams(view) => self.0.window_of_streams(view, asked),
        };
        (view::window(&window, shown.version, read), window.is_rough)
    }
}

impl Shared {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self) -> RwLockReadGuard<'_, Shown> {
        self.shown.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, change: impl FnOnce(&mut Shown)) {
        change(&mut self.shown.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn window_of_streams<'r>(
        &self,
        view: &StreamView<'_>,
        asked: AskedWindow<'r>,
    ) -> (numawise_tables::snapshot::TraceWindow<'r>, u64) {
        let mut missing = Vec::new();
        let mut window = view.window(asked, &mut |part| {
            let kept = self.work().kept.get(part);
            missing.extend(kept.is_none().then_some(part));
            kept
        });
        missing.arrange();
        missing.dedup();
        let mut work = self.work();
        window.is_rough = !missing.is_empty() && missing.len() <= WANTED;
        if window.is_rough {
            work.wanted = missing;
            self.more.notify_all();
        }
        (window, (work.read * 1000 / self.parts.len().max(1)) as u64)
    }

    /// Whether the parts that were wanted come soon.
    fn has_wanted(&self) -> bool {
        let come = |work: &mut Work| !work.is_over && work.awaited + work.wanted.len() > 0;
        let waited = self.more.wait_timeout_while(self.work(), PATIENCE, come);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Reads parts until there is nothing more to be read: those that somebody looks at first.
    fn read(&self, streams: &TraceStreams) {
        loop {
            let (part, is_wanted) = {
                let mut work = self.work();
                loop {
                    if work.is_over {
                        return;
                    }
                    if let Some(part) = work.wanted.pop() {
                        work.awaited += 1;
                        break (part, true);
                    }
                    if let Some(part) = work.unread.pop() {
                        break (part, false);
                    }
                    work = self.more.wait(work).unwrap_or_else(PoisonError::into_inner);
                }
            };
            if let Err(error) = self.read_part(streams, part, is_wanted) {
                self.work().failure = Some(error.into());
                self.end();
            }
        }
    }

    fn read_part(&self, streams: &TraceStreams, part: usize, is_wanted: bool) -> Result<(), RecordError> {
        let Some(of) = self.parts.get(part) else { return Ok(()) };
        let mut trace = trace_of(self.run, of).map_or_else(ThreadTrace::default, |of| ThreadTrace {
            sites: of.sites.clone(),
            ..ThreadTrace::default()
        });
        streams.read(*of, &mut trace)?;
        if !is_wanted {
            let stretch = match &self.shown().view {
                View::Streams(view) => view.stretch(part, &trace.calls),
                _ => None,
            };
            self.show(|shown| {
                if let (View::Streams(view), Some(stretch)) = (&mut shown.view, stretch) {
                    view.put(part, stretch);
                }
            });
        }
        let mut work = self.work();
        if is_wanted {
            work.kept.put(part, trace.calls);
            work.awaited -= 1;
        } else {
            work.events += (trace.calls.len() + trace.messages.len()) as u64;
            work.read += 1;
        }
        self.more.notify_all();
        Ok(())
    }

    fn end(&self) {
        self.work().is_over = true;
        self.more.notify_all();
    }

    /// When all is read.
    fn analyse(&self) {
        let events = {
            let mut work = self.work();
            while work.read < self.parts.len() && !work.is_over {
                work = self.more.wait(work).unwrap_or_else(PoisonError::into_inner);
            }
            if work.is_over {
                return;
            }
            work.events
        };
        let needs = Bytes(events.saturating_mul(MEMORY_OF_AN_EVENT));
        let too_large = MemoryInfo::available(&Roots::live())
            .filter(|available| *available < needs)
            .map(|available| Known::TooLarge { needs, available });
        self.show(|shown| {
            shown.known = too_large.unwrap_or(Known::Analysed);
            shown.version += 1;
        });
        if too_large.is_some() {
            return;
        }
        match watched_run(&self.path) {
            Ok(run) => {
                let view = trace_view(parts_of(leaked(run)))
                    .map_or(View::Nothing, |view| View::Whole(Box::new(view)));
                self.show(|shown| *shown = Shown { version: shown.version + 1, known: Known::Whole, view });
            }
            Err(failure) => self.work().failure = Some(failure),
        }
        self.end();
    }
}

/// What is looked at until the program ends, and is not to be freed piece by piece then.
fn leaked<T>(of: T) -> &'static T {
    Box::leak(Box::new(of))
}

fn parts_of(run: &'static WatchedRun) -> &'static RunParts<'static> {
    let (part, machines) = (leaked(TracePart::default()), leaked(run.machines()));
    leaked(show::parts(run, part, machines))
}

/// A thread that ends with the program.
pub fn begin(work: Box<dyn FnOnce() + Send>) -> Result<(), Failure> {
    let begun = thread::Builder::new().name("view".to_owned()).spawn(work);
    begun.map(drop).map_err(|error| Failure::new(format!("view: no thread to read the trace with: {error}")))
}

fn trace_of<'r>(run: &'r WatchedRun, of: &StreamPart) -> Option<&'r ThreadTrace> {
    let threads = run.processes.get(of.process as usize)?.threads.measured()?;
    threads.get(of.thread as usize)?.trace.as_deref()
}

/// Parts of one moment of all threads beside one another, and each as far as can be from those before it: the picture is soon all there, and gets better.
fn in_turn(parts: &[StreamPart]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let place = |part: &usize| parts.get(*part).map_or(0, |part| part.part.reverse_bits());
    order.arrange_by_key(|part| std::cmp::Reverse(place(part)));
    order
}

/// What the parts hold in short.
fn sketch(view: &mut StreamView<'_>, overview: &[PartOverview]) {
    for (part, of) in overview.iter().enumerate() {
        let spans: Vec<[u16; 2]> = of.bins.iter().map(|bin| [bin.in_calls, bin.polls]).collect();
        let edges = of.edges.first().zip(of.edges.last()).filter(|_| !spans.is_empty());
        edges.into_iter().for_each(|(first, last)| view.sketch(part, (first.begin, last.end), &spans));
    }
}

fn streams_of(run: &'static WatchedRun, parts: &[StreamPart]) -> Option<StreamView<'static>> {
    let at = |part: &StreamPart| {
        let thread =
            run.processes.get(part.process as usize)?.threads.measured()?.get(part.thread as usize)?;
        Some(StreamAt { activity: part.process as usize, tid: thread.tid.0, begin: part.begin })
    };
    let unknown = StreamAt { activity: usize::MAX, tid: 0, begin: Nanoseconds(0) };
    let parts: Vec<StreamAt> = parts.iter().map(|part| at(part).unwrap_or(unknown)).collect();
    trace_view_of_streams(parts_of(run), &parts)
}
