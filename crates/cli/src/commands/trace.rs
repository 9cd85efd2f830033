//! `numawise trace -- PROGRAM [ARGS]`: who waits for whom in MPI, when, and why. A snapshot whose calls of MPI are written down one by one.
//!
//! Exit status: as of `snapshot`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use numawise_facts::{RankSet, RunSpec};
use numawise_record::Existing;
use numawise_session::snapshot::{
    CallKind, KeptCalls, SnapshotRequest, TraceRequest, WrittenCalls, program_of,
};
use numawise_units::{Bytes, Nanoseconds};

use super::report::check_moments;
use super::run::{TypedPlacement, placed};
use super::snapshot::{Asked, HandedOn, Outputs, handing_over, placing, watch};
use super::{Failure, Status};

/// Run a program once and see who waits for whom in MPI and OpenMP, when, and why
#[derive(clap::Args)]
#[command(override_usage = "numawise trace [OPTIONS] -- PROGRAM [ARGS]...")]
#[command(
    after_help = "The report goes to the standard error: the standard output is the program's. Exit status: the program's own; \
                        125 numawise failed, 126 the program cannot be executed, 127 not found. Then: numawise report FILE, or numawise export FILE --otf2 FOLDER."
)]
pub struct Arguments {
    /// Keep the trace in this file, for numawise report; else in NAME.trace, after the MPI program, which is replaced
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file of --output where it holds a trace or a snapshot already
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    asked: Asked,
    /// Memory for the calls of each process, some 800,000 with a message each, from which they go to the disk
    #[arg(long, value_name = "SIZE", default_value = "64M")]
    buffer: Bytes,
    /// Disk beside the trace for calls that leave memory while the program runs, e.g. 2G; else half of what is free, as far as half of the
    /// memory can analyse it
    #[arg(long, value_name = "SIZE")]
    disk: Option<Bytes>,
    /// Which calls are kept where there is no room for all; the others are counted
    #[arg(long, value_name = "WHICH", default_value = "first")]
    keep: Keep,
    /// Write down calls of these kinds only; of the others the time is kept
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    calls: Vec<Kind>,
    /// Keep only the time of calls that took less, e.g. 1us, where they have no message and no other rank waits for them
    #[arg(long, value_name = "TIME")]
    min_duration: Option<Nanoseconds>,
    /// Write down only calls from this time on after the begin, e.g. 30s
    #[arg(long, value_name = "TIME")]
    from: Option<Nanoseconds>,
    /// Write down only calls that end until this time
    #[arg(long, value_name = "TIME")]
    to: Option<Nanoseconds>,

    #[command(flatten)]
    placement: TypedPlacement,

    /// The program and its arguments; {threads} stands for the number of threads
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Keep {
    First,
    Last,
    /// Before and after SIGUSR2 to numawise, half of --disk each
    Around,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    Collective,
    PointToPoint,
    OneSided,
    Files,
    Others,
}

impl Arguments {
    fn written(&self) -> WrittenCalls {
        let all = WrittenCalls::default();
        let bit = |kind: &Kind| match kind {
            Kind::Collective => CallKind::Collective,
            Kind::PointToPoint => CallKind::PointToPoint,
            Kind::OneSided => CallKind::OneSided,
            Kind::Files => CallKind::Files,
            Kind::Others => CallKind::Others,
        };
        let typed = self.calls.iter().fold(0, |kinds, kind| kinds | bit(kind) as u32);
        WrittenCalls {
            kinds: if self.calls.is_empty() { all.kinds } else { typed },
            least: self.min_duration.unwrap_or(all.least),
            are_numbered: self.from.is_some() || !matches!(self.keep, Keep::First),
            from: self.from.map(since_1970),
            to: self.to.map(since_1970),
        }
    }

    fn checked(&self) -> Result<Option<RankSet>, Failure> {
        let ranks = self.asked.ranks.checked()?;
        check_moments(self.from, self.to)?;
        if (self.from.is_some() || self.to.is_some()) && !matches!(self.keep, Keep::First) {
            return Err(Failure::new(
                "--keep: found last or around beside --from or --to; expected one way to choose the time that is kept",
            ));
        }
        Ok(ranks)
    }
}

pub fn run(typed: Arguments) -> Result<Status, Failure> {
    let ranks = typed.checked()?;
    let calls = typed.written();
    let run = placed(typed.placement.options, &typed.placement.numactl, typed.command)?;
    let record = typed.output.clone().unwrap_or_else(|| named_by_program(&run.command));
    let existing = if typed.fresh || typed.output.is_none() { Existing::IsReplaced } else { Existing::Stays };
    let words = &typed.placement.words;
    let trace = TraceRequest {
        buffer: typed.buffer,
        disk: typed.disk,
        keep: match typed.keep {
            Keep::First => KeptCalls::First,
            Keep::Last => KeptCalls::Last,
            Keep::Around => KeptCalls::Around,
        },
        calls,
    };
    let handed_on = HandedOn {
        ranks: ranks.as_ref(),
        record: Some(&record),
        is_fresh: existing == Existing::IsReplaced,
        objects: false,
        trace: Some(trace),
    };
    let request = SnapshotRequest {
        placing: placing(&run, words),
        handing_over: handing_over(&run, words, &handed_on),
        hand_over_to: None,
        run,
        ranks,
        objects: None,
        trace: Some(trace),
        record: Some(record.clone()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    watch(request, &Outputs::of(typed.asked, Some(record), existing))
}

/// A time from now on, for the clocks of all computers.
fn since_1970(ahead: Nanoseconds) -> Nanoseconds {
    let now: Nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into();
    now + ahead
}

/// `bt-mz.B.24.trace` in the current folder.
fn named_by_program(command: &RunSpec) -> PathBuf {
    let program = program_of(command);
    let mut name = Path::new(&program).file_name().unwrap_or(program.as_os_str()).to_owned();
    name.push(".trace");
    PathBuf::from(name)
}
