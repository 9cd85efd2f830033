//! Programs that a launcher starts: the words that stand before them, and a numawise that these words start.

use std::ffi::OsString;
use std::path::Path;

use numawise_facts::{Argument, RankSet};
use numawise_linux::Roots;
use numawise_linux::calls::inherited;
use numawise_session::Error;
use numawise_session::plan::RunRequest;
use numawise_session::snapshot::{HandingOverWords, SnapshotRequest, TraceRequest, prepare, run_unwatched};

use super::super::{Failure, Status};
use super::{Outputs, environment, status, warn};
use crate::files::own_file;
use crate::streams;

/// A shell that becomes numawise, or where that is not there the program: a computer without it is no reason for a job to fail. The
/// first rank of such a computer says so.
const SHELL: &str = "if [ -x \"$0\" ]; then exec \"$0\" \"$@\"; fi; \
    if [ \"${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-${SLURM_LOCALID:-0}}}\" = 0 ]; then \
    echo \"numawise: there is no $0 on $(uname -n): its ranks run, and are neither watched nor placed; \
    expected numawise under the same path on all computers of the job\" >&2; fi; \
    while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"";

/// `numawise run` with the same placement, for ranks that a launcher starts. Where CPUs are chosen, those that the launcher has chosen
/// do not count: it was we who were asked.
pub fn placing(request: &RunRequest, words: &[OsString]) -> Vec<Argument> {
    let begin = [own_file(), "run".into()];
    begin.into_iter().chain(placement(request, words)).chain(["--".into()]).map(Argument).collect()
}

/// What was asked of us, and is asked of the numawise of each rank in the same way.
pub struct HandedOn<'a> {
    pub ranks: Option<&'a RankSet>,
    pub record: Option<&'a Path>,
    pub is_fresh: bool,
    pub objects: bool,
    pub trace: Option<TraceRequest>,
}

/// `numawise snapshot` with the same placement, for ranks of several computers: each hands over what it measures.
pub fn handing_over(request: &RunRequest, words: &[OsString], asked: &HandedOn<'_>) -> HandingOverWords {
    let HandedOn { ranks, record, is_fresh, objects, trace } = *asked;
    let before =
        ["/bin/sh".into(), "-c".into(), SHELL.into(), own_file(), "snapshot".into(), "--hand-over-to".into()];
    let ranks = ranks.map(|ranks| OsString::from(format!("--ranks={ranks}")));
    // For a computer that does not share the folder, and keeps a record of its own.
    let record = record.and_then(|record| std::path::absolute(record).ok());
    let record = record.map(|record| ["--output".into(), record.into_os_string()]);
    let fresh = (is_fresh && record.is_some()).then(|| "--fresh".into());
    let objects = objects.then(|| "--objects".into());
    let trace = trace.map(|trace| OsString::from(format!("--trace={trace}")));
    let after =
        ranks.into_iter().chain(record.into_iter().flatten()).chain(fresh).chain(objects).chain(trace);
    let after = after.chain(placement(request, words)).chain(["--".into()]);
    HandingOverWords {
        before: before.into_iter().map(Argument).collect(),
        after: after.map(Argument).collect(),
    }
}

fn placement(request: &RunRequest, words: &[OsString]) -> impl Iterator<Item = OsString> {
    let rebind = (request.chooses_cpus() && !request.rebind).then(|| "--rebind".into());
    rebind.into_iter().chain(words.to_vec())
}

/// Watches a rank whose launcher another numawise has started, and hands over to that. The program runs whatever comes in the way of
/// that, but for a placement that cannot be met.
pub fn run(request: SnapshotRequest, outputs: &Outputs) -> Result<Status, Failure> {
    let plan = match prepare(request.clone(), &environment) {
        Ok(plan) => plan,
        Err(error) => return unwatched(&request, error),
    };
    if plan.is_left_out() {
        inherited::take_signals_to_wait();
        let Err(error) = plan.become_program(&environment);
        return Err(error.into());
    }
    warn(&plan);
    let ended = match plan.run(&environment, &|report| outputs.when_killed().write(report)) {
        Ok(ended) => ended,
        // It has not been started.
        Err(error @ Error::NoFolderForCollector { .. }) => return unwatched(&request, error),
        Err(error) => return Err(error.into()),
    };
    if let Some(report) = &ended.report {
        outputs.write(report);
    }
    let exit = ended.exit;
    // The others of this computer wait for what is held until a report has been written.
    drop(ended);
    numawise_launch::end_by_signal(exit);
    Ok(status(exit))
}

fn unwatched(request: &SnapshotRequest, error: Error) -> Result<Status, Failure> {
    let rank = numawise_launch::rank(&environment).ok().flatten();
    if rank.is_none_or(|rank| rank.local_rank == 0) {
        let host = numawise_linux::host::hostname(&Roots::live()).unwrap_or_default();
        let problem = Failure::from(error);
        streams::say(&format!("ranks on {} are not watched: {}", host, problem.message()));
    }
    inherited::take_signals_to_wait();
    let Err(error) = run_unwatched(request, &environment);
    Err(error.into())
}
