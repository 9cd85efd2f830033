//! What a thread did outside of calls of MPI, as regions that are entered and left: those of OpenMP, where it waits in it, and phases. A format
//! whose regions lie within one another ends the inner one with the outer one.

use std::collections::HashMap;

use numawise_facts::activity::{
    CodeAddress, ConstructName, PhaseName, SpanKind, SpanName, ThreadTrace, TracedSpan,
};
use numawise_facts::{Activity, Reading, WatchedRun};
use numawise_units::{Arrange, Nanoseconds, Pid};

use super::definitions::Definitions;
use crate::calls::{Role, file_region};
use crate::event::{EnteredAt, What};
use crate::ffi;

#[derive(Debug, Clone, Copy)]
struct Frame {
    begin: Nanoseconds,
    end: Nanoseconds,
    region: u32,
    at: EnteredAt,
    /// Of a region that the thread opened, its threads; 0: not known.
    opens: Option<u32>,
}

/// Those of a thread.
#[derive(Debug, Default)]
pub struct Frames {
    /// In their order, the next one last.
    next: Vec<Frame>,
    open: Vec<Frame>,
    /// At the moment of what was given last.
    then: Option<(Nanoseconds, What)>,
}

/// When regions ended, by the thread that opened each, and its begin.
pub type RegionEnds = HashMap<(Pid, Nanoseconds), Nanoseconds>;

pub fn region_ends(activity: &Activity) -> RegionEnds {
    let threads = activity.threads.measured().into_iter().flatten();
    let spans = threads.flat_map(|thread| {
        let spans = thread.trace.iter().flat_map(|trace| &trace.spans);
        spans.map(|span| (thread.tid, span))
    });
    let is_region = |(_, span): &(Pid, &TracedSpan)| matches!(span.kind, SpanKind::Region { .. });
    spans.filter(is_region).map(|(tid, span)| ((tid, span.begin), span.end)).collect()
}

impl Frames {
    pub fn of(
        run: &WatchedRun,
        activity: &Activity,
        (trace, ends): (&ThreadTrace, &RegionEnds),
        definitions: &mut Definitions,
    ) -> Frames {
        let mut regions = |name: &SpanName| match name {
            SpanName::Construct(name, at) => of_construct(run, activity, (*name, at), definitions),
            SpanName::Phase(name) => {
                let region = definitions.other(&phase(name), Role::Code, ffi::PARADIGM_USER);
                [(region, EnteredAt::default()); 2]
            }
            SpanName::File(operation) => {
                let region = definitions.other(file_region(*operation), Role::File, ffi::PARADIGM_USER);
                [(region, EnteredAt::default()); 2]
            }
        };
        let regions: Vec<_> = trace.names.iter().map(&mut regions).collect();
        let mut all = Vec::new();
        let is_work = |span: &&TracedSpan| matches!(span.kind, SpanKind::Worked { .. });
        let mut called = trace.spans.iter().filter(is_work).skip(1);
        for span in &trace.spans {
            let Some([(region, at), (barrier, _)]) = regions.get(span.of as usize).copied() else { continue };
            let TracedSpan { begin, end, .. } = *span;
            let mut add = |region, begin, end, opens| all.push(Frame { begin, end, region, at, opens });
            match span.kind {
                SpanKind::Region { threads, waits_since } => {
                    add(region, begin, end, Some(threads));
                    add(barrier, waits_since, end, None);
                }
                SpanKind::Worked { master, begun } => {
                    let until = ends.get(&(master, begun)).copied().unwrap_or(end);
                    let until = called.next().map_or(until, |next| until.min(next.begin)).max(end);
                    add(region, begin, until, None);
                    add(barrier, end, until, None);
                }
                SpanKind::Waited | SpanKind::Phase | SpanKind::File => add(region, begin, end, None),
            }
        }
        all.retain(|frame| frame.begin < frame.end);
        all.arrange_by_key(|frame| (std::cmp::Reverse(frame.begin), frame.end));
        Frames { next: all, ..Frames::default() }
    }

    /// What happens up to a moment, one after the other.
    pub fn until(&mut self, moment: Nanoseconds) -> Option<(Nanoseconds, What)> {
        if let Some(then) = self.then.take() {
            return Some(then);
        }
        let next = self.next.last().filter(|frame| frame.begin <= moment).copied();
        let last = self.open.last().filter(|frame| frame.end <= moment).copied();
        match (next, last) {
            (Some(next), last) if last.is_none_or(|last| next.begin < last.end) => {
                self.next.pop();
                let end = self.open.last().map_or(next.end, |around| next.end.min(around.end));
                self.open.push(Frame { end, ..next });
                self.then = next.opens.map(|threads| (next.begin, What::ThreadFork(threads)));
                Some((next.begin, What::Enter { region: next.region, at: next.at, polls: None }))
            }
            (_, Some(last)) => {
                self.open.pop();
                let leave = What::Leave(last.region);
                // Its threads are joined before that.
                self.then = last.opens.map(|_| (last.end, leave));
                Some((last.end, last.opens.map_or(leave, |_| What::ThreadJoin)))
            }
            _ => None,
        }
    }
}

/// As the program has it.
fn phase(name: &PhaseName) -> String {
    match name {
        PhaseName::Region(name) | PhaseName::ThreadRegion(name) => name.clone(),
        PhaseName::Control(level) => format!("MPI_Pcontrol({level})"),
    }
}

/// Its region, and that of the barrier at its end.
fn of_construct(
    run: &WatchedRun,
    activity: &Activity,
    (name, at): (ConstructName, &Reading<CodeAddress>),
    definitions: &mut Definitions,
) -> [(u32, EnteredAt); 2] {
    let (text, role) = match name {
        ConstructName::Parallel => ("parallel", Role::Parallel),
        ConstructName::Barrier => ("barrier", Role::Barrier),
        ConstructName::Critical => ("critical", Role::Critical),
        ConstructName::Atomic => ("atomic", Role::Atomic),
        ConstructName::Ordered => ("ordered", Role::Ordered),
        ConstructName::Taskwait => ("taskwait", Role::TaskWait),
        ConstructName::Taskgroup => ("taskgroup", Role::TaskWait),
        ConstructName::Lock => ("lock", Role::Function),
        ConstructName::Single => ("single", Role::Single),
        _ => ("wait", Role::Function),
    };
    let (entered, line) = definitions.place(run, activity, at);
    let line = line.map_or_else(String::new, |line| format!(" @{line}"));
    let mut region = |text: &str, role| {
        let name = format!("!$omp {text}{line}");
        (definitions.other(&name, role, ffi::PARADIGM_OPENMP), entered)
    };
    [region(text, role), region("implicit barrier", Role::ImplicitBarrier)]
}
