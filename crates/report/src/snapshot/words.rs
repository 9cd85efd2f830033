//! Words and figures of a snapshot.

use numawise_facts::activity::{
    CodePlace, ConstructName, FileOperation, MessageFamily, MpiLibrary, OpenMpSchedule, ProcessEnd,
};
use numawise_facts::{Exit, Reading};
use numawise_tables::snapshot::{
    CpuCount, CpuTime, Grade, ProcessCounts, RatedShare, Rating, RunDoubt, RunSnapshot, SpanScope,
    ThresholdSource,
};
use numawise_units::{Arrange, Bytes, Nanoseconds, Ratio, TimeSum};

use crate::document::{Cell, RowLimits, Text, Tone};
use crate::program::place_within;
pub use crate::program::{exit, last, place_in_short};

/// Columns of the place of a call or of a region.
const PLACE: usize = 40;

/// So many rows on the screen; a page has room for more, and can still be sent by mail.
pub fn limits(terminal: usize) -> Option<RowLimits> {
    Some(RowLimits { terminal, html: 200, rest: "the JSON and the CSV have them all" })
}

/// A share as a percentage.
pub fn percent(share: Ratio) -> String {
    match share.0 * 100.0 {
        of if of > 0.0 && of < 0.1 => "< 0.1 %".to_owned(),
        of => format!("{of:.1} %"),
    }
}

/// An efficiency as POP and TALP print it.
pub fn efficiency(share: Ratio) -> String {
    format!("{:.2}", share.0)
}

/// Without a mark: the reason stands in the text.
pub fn plain(reading: &Reading<String>) -> String {
    match reading {
        Reading::Measured(text) => text.clone(),
        Reading::Unavailable { unavailable } => format!("unavailable ({unavailable})"),
    }
}

pub fn time(reading: &Reading<Nanoseconds>) -> Text {
    Text::of(reading, Nanoseconds::to_string)
}

pub fn bytes(reading: &Reading<Bytes>) -> Text {
    Text::of(reading, Bytes::to_string)
}

/// What is thought of a share: `look here (good from 0.80, POP)`.
pub fn judgement(share: &RatedShare) -> String {
    judgement_as(share, percent)
}

/// The same where less is better, with its own way to write it.
pub fn judgement_as(share: &RatedShare, written: fn(Ratio) -> String) -> String {
    share.rating.as_ref().map_or_else(String::new, |of| rating(of, written))
}

/// From where on a share is good, and who says so: `from 0.80, POP`.
pub fn threshold(share: &RatedShare) -> String {
    threshold_as(share, percent)
}

/// The same where less is better, with its own way to write it.
pub fn threshold_as(share: &RatedShare, written: fn(Ratio) -> String) -> String {
    share.rating.as_ref().map_or_else(String::new, |rating| {
        let (bound, source) = (rating.good, source(rating.source));
        if rating.is_efficiency {
            format!("from {}, {source}", efficiency(bound))
        } else {
            format!("up to {}, {source}", written(bound))
        }
    })
}

fn rating(rating: &Rating, written: fn(Ratio) -> String) -> String {
    let bound = match (rating.is_efficiency, rating.grade) {
        (true, Grade::Good) => format!("from {}", efficiency(rating.good)),
        (true, _) => format!("good from {}", efficiency(rating.good)),
        (false, Grade::Good) => format!("up to {}", written(rating.good)),
        (false, _) => format!("good up to {}", written(rating.good)),
    };
    format!("{} ({bound}, {})", grade(rating.grade), source(rating.source))
}

pub fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "good",
        Grade::LookHere => "fair",
        Grade::Bad => "bad",
    }
}

fn source(source: ThresholdSource) -> &'static str {
    match source {
        ThresholdSource::Pop => "POP",
        ThresholdSource::IntelSnapshot => "Intel",
        ThresholdSource::Perf => "perf",
        ThresholdSource::Numawise => "numawise",
    }
}

pub fn tone(share: &RatedShare) -> Tone {
    share.rating.map_or(Tone::Plain, |rating| grade_tone(rating.grade))
}

pub fn grade_tone(grade: Grade) -> Tone {
    match grade {
        Grade::Good => Tone::Good,
        Grade::LookHere => Tone::Doubt,
        Grade::Bad => Tone::Bad,
    }
}

/// What stands in the place of a judgement that would call time without a CPU good.
pub fn remark(tables: &RunSnapshot, share: &RatedShare) -> Option<&'static str> {
    let is_withheld = share.rating.is_none() && share.value.measured().is_some() && tables.doubt.is_none();
    is_withheld.then_some("no grade: CPU wait is in it")
}

/// A judgement in a table.
pub fn judged(share: &RatedShare) -> Cell {
    Cell { tone: tone(share), ..judgement(share).into() }
}

/// `solve (cg.c:120)`, or what is known of that.
pub fn place(place: &Reading<CodePlace>) -> Text {
    Text::of(place, |place| place_within(place, PLACE))
}

pub fn end(end: ProcessEnd) -> &'static str {
    match end {
        ProcessEnd::Exit => "",
        ProcessEnd::MpiAbort => "MPI_Abort",
        ProcessEnd::NotTold => "end not told",
    }
}

pub fn library(library: MpiLibrary) -> &'static str {
    match library {
        MpiLibrary::OpenMpi => "Open MPI",
        MpiLibrary::Mpich => "MPICH or one with its binary interface",
        MpiLibrary::Standard => "an MPI with the standard binary interface of MPI 5.0",
        MpiLibrary::Other => {
            "an MPI that numawise does not know: calls are counted and timed, bytes are not known"
        }
    }
}

pub fn family(family: MessageFamily) -> &'static str {
    match family {
        MessageFamily::Send => "sends",
        MessageFamily::Receive => "receives",
        MessageFamily::Collective => "collectives",
        MessageFamily::OneSided => "one-sided",
        MessageFamily::File => "files",
    }
}

/// `4 to 7 B`.
pub fn size(bits: u32) -> String {
    match bits {
        0 => "0 B".to_owned(),
        1 => "1 B".to_owned(),
        // The largest class has no end that a number of 64 bits could hold.
        bits => {
            let least = 1u64 << (bits.min(64) - 1);
            format!("{} to {}", Bytes(least), Bytes(least.saturating_mul(2).saturating_sub(1)))
        }
    }
}

pub fn schedule(schedule: OpenMpSchedule) -> &'static str {
    match schedule {
        OpenMpSchedule::Static => "static",
        OpenMpSchedule::Dynamic => "dynamic",
        OpenMpSchedule::Guided => "guided",
        OpenMpSchedule::Runtime => "runtime",
        OpenMpSchedule::Distribute => "distribute",
    }
}

/// What files are used for.
pub fn operation(of: FileOperation) -> &'static str {
    match of {
        FileOperation::Read => "reading",
        FileOperation::Write => "writing",
        FileOperation::Sync => "waiting for the storage",
        FileOperation::Manage => "opening, closing, truncating",
    }
}

pub fn construct(name: ConstructName) -> &'static str {
    match name {
        ConstructName::Outside => "outside of regions",
        ConstructName::Others => "others",
        ConstructName::Parallel => "parallel",
        ConstructName::Teams => "teams",
        ConstructName::Task => "task",
        ConstructName::Loop => "loop",
        ConstructName::Sections => "sections",
        ConstructName::Single => "single",
        ConstructName::Barrier => "barrier",
        ConstructName::Taskwait => "taskwait",
        ConstructName::Taskgroup => "taskgroup",
        ConstructName::Taskloop => "taskloop",
        ConstructName::Critical => "critical",
        ConstructName::Atomic => "atomic",
        ConstructName::Ordered => "ordered",
        ConstructName::Lock => "lock",
        ConstructName::Target => "target",
        ConstructName::TaskCreation => "making of tasks",
        ConstructName::PythonLine => "line of Python",
    }
}

/// `4 ranks on 2 computers`, `4 ranks in 2 worlds (MPI_COMM_WORLD)`, `2 processes`.
pub fn processes(counts: &ProcessCounts, worlds: usize) -> String {
    let of = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let what = match (counts.ranks, counts.world) {
        (0, _) => of(counts.counted, "process", "processes"),
        (ranks, Some(world)) if u64::from(world) > ranks => format!("{ranks} of {world} ranks"),
        (ranks, _) => of(ranks, "rank", "ranks"),
    };
    let hosts = if counts.hosts > 1 { format!(" on {} computers", counts.hosts) } else { String::new() };
    let worlds = match worlds {
        0 | 1 => String::new(),
        several => format!(" in {several} worlds (MPI_COMM_WORLD)"),
    };
    let others = match counts.others {
        0 => String::new(),
        others => format!(
            "; beside them {}",
            of(others, "process that does not count", "processes that do not count")
        ),
    };
    format!("{what}{worlds}{hosts}{others}")
}

/// What the shares are of.
pub fn span(tables: &RunSnapshot) -> String {
    let cpus = match &tables.cpus {
        Reading::Measured(CpuCount { count: 1, .. }) => "1 CPU".to_owned(),
        Reading::Measured(CpuCount { count, .. }) => format!("{count} CPUs (one for each working thread)"),
        Reading::Unavailable { .. } => "an unknown number of CPUs".to_owned(),
    };
    match &tables.span {
        Reading::Measured(span) => {
            let scope = match span.scope {
                SpanScope::WholeRun => "the whole run",
                SpanScope::BetweenInitAndFinalize => "between MPI_Init and MPI_Finalize",
            };
            format!("{} on {cpus}, {scope}", span.time)
        }
        Reading::Unavailable { unavailable } => format!("unavailable: {unavailable}"),
    }
}

/// Threads that were ready to run while others had the CPUs.
pub const WITHOUT_CPU: &str = "waiting for a CPU";

/// What CPUs had while the thread that each is counted for was not there.
pub const WITHOUT_THREAD: &str = "thread not alive";

/// The first line; first of all that the program did not end well, where it did not.
pub fn headline(tables: &RunSnapshot, ended: Exit) -> String {
    let useful = useful(tables);
    if ended.success() {
        return useful;
    }
    format!("The program {}: {}{}", exit(ended), useful[..1].to_lowercase(), &useful[1..])
}

fn useful(tables: &RunSnapshot) -> String {
    let Reading::Measured(share) = &tables.useful.value else {
        return match tables.processes.counted {
            0 => "Nothing was measured".to_owned(),
            _ => "How much of the CPUs' time was useful is not known".to_owned(),
        };
    };
    let of = tables.time.measured();
    let most = if of.is_some_and(|time| time.without_cpu().measured().is_none()) { "at most " } else { "" };
    let useful = format!("{most}{} of the CPUs' time was useful", percent(*share));
    match &tables.doubt {
        Some(RunDoubt::TooShort { .. }) => format!("Too short to judge: {useful}"),
        Some(RunDoubt::Disturbed { .. }) => format!("The machine was busy: {useful}"),
        None => format!("{}{}", useful[..1].to_uppercase(), &useful[1..]),
    }
}

/// What took the rest: the parts of at least one percent, the largest first; and why nothing is graded.
pub fn sentence(tables: &RunSnapshot) -> String {
    let Some(time) = tables.time.measured() else {
        return match (&tables.useful.value, tables.processes.counted) {
            (Reading::Unavailable { unavailable }, 1..) => format!("Unavailable: {unavailable}."),
            _ => "No process of the program could be watched.".to_owned(),
        };
    };
    let delays = time.without_cpu();
    let unknown =
        delays.reason().map(|reason| format!("How long threads waited for a CPU is unavailable ({reason})."));
    let doubt = tables.doubt.as_ref().map(|of| doubted(tables, of));
    [Some(rest(tables, time)), unknown, doubt].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn rest(tables: &RunSnapshot, time: &CpuTime) -> String {
    let locks = time.lock;
    let without = tables.without_thread();
    let known = without.measured().copied().unwrap_or_default();
    // Without all of the time there is no useful share in the headline.
    let useful = without.reason().map(|_| ("useful", time.on_cpu()));
    let mut parts = vec![
        (WITHOUT_CPU, time.without_cpu().measured().copied().unwrap_or_default()),
        ("MPI", time.mpi),
        ("waiting in OpenMP for other threads", time.imbalance.saturating_sub(locks)),
        ("waiting for locks and critical sections", locks),
        ("OpenMP's scheduling", time.scheduling),
        ("OpenMP threads idle outside regions", time.serial),
        ("waiting outside MPI and OpenMP", time.waiting_elsewhere()),
        (WITHOUT_THREAD, known),
    ];
    parts.extend(useful);
    let all = (time.total() + known).0 as f64;
    parts.arrange_by_key(|(_, part)| std::cmp::Reverse(*part));
    let share = |part: TimeSum| if all > 0.0 { Ratio(part.0 as f64 / all) } else { Ratio(0.0) };
    let named: Vec<String> = parts
        .iter()
        .filter(|(_, part)| share(*part).0 >= 0.01)
        .map(|(name, part)| format!("{name} {}", percent(share(*part))))
        .collect();
    match without.reason() {
        Some(reason) => {
            format!(
                "Of the time that is known: {}. {WITHOUT_THREAD}: unavailable ({reason}).",
                named.join(", ")
            )
        }
        None if named.is_empty() && tables.findings.is_empty() => "Nothing of note took the rest.".to_owned(),
        None if named.is_empty() => "No single cause of the rest reaches 1 %: see the findings.".to_owned(),
        None => format!("The rest: {}.", named.join(", ")),
    }
}

/// Why nothing is graded, and what helps.
fn doubted(tables: &RunSnapshot, doubt: &RunDoubt) -> String {
    match doubt {
        RunDoubt::TooShort { shortest } => {
            let time = tables.span.as_ref().map(|span| span.time.to_string());
            format!(
                "A run of {} is too short for grades and findings, which need {shortest}. Use a larger input.",
                plain(&time)
            )
        }
        RunDoubt::Disturbed { lost } => format!(
            "Other programs used its CPUs for up to {} of the {} (NW055): no grades, and no findings with a smaller gain. Repeat it on CPUs of its \
             own.",
            lost.time,
            plain(&tables.span.as_ref().map(|span| span.time.to_string()))
        ),
    }
}

#[cfg(test)]
mod tests {
    use numawise_facts::activity::SourcePlace;

    use super::*;

    #[test]
    fn sizes_are_classes_of_powers_of_two() {
        assert_eq!([size(0), size(1), size(3)], ["0 B", "1 B", "4 B to 7 B"]);
        assert!(size(64).contains(" to "));
    }

    #[test]
    fn a_place_says_what_is_known_of_it() {
        let of = |function: Option<&str>, file: Option<&str>| CodePlace {
            file: "/opt/bin/app".to_owned(),
            address: 0x1234,
            source: SourcePlace {
                function: function
                    .map_or_else(|| Reading::unavailable("none"), |f| Reading::Measured(f.to_owned())),
                file: file.map_or_else(|| Reading::unavailable("none"), |f| Reading::Measured(f.to_owned())),
                line: file.map_or_else(|| Reading::unavailable("none"), |_| Reading::Measured(7)),
            },
        };
        let said = |function, file| place_in_short(&of(function, file));
        assert_eq!(said(Some("solve"), Some("/src/cg.c")), "solve (cg.c:7)");
        assert_eq!(said(Some("solve"), None), "solve (app)");
        assert_eq!(said(None, Some("/src/cg.c")), "cg.c:7");
        assert_eq!(said(None, None), "app+0x1234");
    }

    #[test]
    fn percentages_are_never_zero_for_what_is_there() {
        assert_eq!(
            [0.0, 0.0002, 0.5, 1.0].map(|share| percent(Ratio(share))),
            ["0.0 %", "< 0.1 %", "50.0 %", "100.0 %"]
        );
    }
}
