//! Exit statuses: the program's own is passed through (128 + n for signal n); ours are 125, 126 and 127, as in
//! `env`, `nice` and `timeout`.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use numawise_facts::{Outcome, Study, Trial};
use numawise_launch::{LaunchError, Refusal};
use numawise_linux::calls::signal::is_ignored;
use numawise_machine::Error as MachineError;
use numawise_placement::{LocationError, PlacementError};
use numawise_profiles::ProfileError;
use numawise_record::RecordError;
use numawise_report::notice::numactl_option;
use numawise_session::objects_to::ObjectsToError;
use numawise_session::slurm::{JobProblem, SlurmError};
use numawise_session::{self as session, Cause, ListError, RequestedList, WeightsMissing};

use crate::streams;

/// A status for the shell.
pub type Status = u8;

/// All is well.
pub const SUCCESS: Status = 0;
/// numawise itself failed, or was called wrongly.
const NUMAWISE_FAILED: Status = 125;
/// The program was found and could not be executed.
const CANNOT_EXECUTE: Status = 126;
/// The program was not found.
const NOT_FOUND: Status = 127;

/// 128 + SIGINT, as shells give it.
pub const INTERRUPTED: Status = 130;

/// There were trials, and none gave a value.
pub fn has_failed(study: &Study) -> bool {
    let gave_a_value = |trial: &Trial| matches!(trial.outcome, Outcome::Measured { .. });
    !study.trials.is_empty() && !study.trials.iter().any(gave_a_value)
}

/// How a study ended of which no point could be measured: as the program did when it first failed, and as our own failure where it did not.
pub fn of_failures(study: &Study) -> Status {
    let failed = study.trials.iter().find_map(|trial| match &trial.outcome {
        Outcome::Failed { failure, .. } => Some(status(Cause::ProgramFailed(failure.exit))),
        Outcome::Measured { .. } | Outcome::NoMetric { .. } => None,
    });
    failed.unwrap_or(NUMAWISE_FAILED)
}

/// A message for the terminal and a status for the shell.
#[derive(Debug)]
pub struct Failure {
    message: String,
    status: Status,
}

impl Failure {
    /// Our own failure, status 125.
    pub fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), status: NUMAWISE_FAILED }
    }

    /// The program ran and failed; its own status is passed through.
    pub fn with_status(status: Status, message: impl Into<String>) -> Self {
        Failure { message: message.into(), status }
    }

    /// What is said, without numawise's name in front.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Prints the message on stderr and gives the status.
    pub fn report(self) -> Status {
        streams::say(&self.message);
        self.status
    }
}

/// Of several things that were done whatever became of the others: the last failure; those before it are reported here.
pub fn all_well(results: impl IntoIterator<Item = Result<(), Failure>>) -> Result<(), Failure> {
    let mut failures = results.into_iter().filter_map(Result::err).peekable();
    while let Some(failure) = failures.next() {
        if failures.peek().is_none() {
            return Err(failure);
        }
        failure.report();
    }
    Ok(())
}

/// The message is what the error and its causes say, and what to type where an error of a use case leaves that to us.
impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut message = error.to_string() + &limits(&error);
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = error.source();
        }
        let error: &(dyn Error + 'static) = &error;
        let of_session = error.downcast_ref::<session::Error>();
        let of_machine = match of_session {
            Some(session::Error::Machine(error)) => Some(error),
            _ => error.downcast_ref(),
        };
        let of_record = match of_session {
            Some(session::Error::Record(error)) => Some(error),
            _ => error.downcast_ref(),
        };
        let of_profile = match of_session {
            Some(session::Error::Profile(error)) => Some(error),
            _ => error.downcast_ref(),
        };
        if let Some(option) = of_session.and_then(option) {
            message.insert_str(0, &format!("{option} "));
        }
        let advice = of_session.and_then(advice);
        let advice = advice.as_deref().or(of_machine.and_then(advice_on_machine));
        let advice = advice.or(of_record.and_then(advice_on_record));
        if let Some(advice) = advice.or(of_profile.and_then(advice_on_profile)) {
            // Behind the output of a program it would be lost.
            let of_output = matches!(of_session, Some(session::Error::NoMetricInFirstRun { .. }));
            message.push_str(if of_output { "\n" } else { "; " });
            message.push_str(advice);
        }
        let of_launch = of_session.map_or_else(|| error.downcast_ref(), session::Error::of_launch);
        if let Some(advice) = of_launch.and_then(LaunchError::refusal).and_then(of_refusal) {
            message.push_str("; ");
            message.push_str(advice);
        }
        let cause = match (of_session, of_launch) {
            (Some(error), _) => error.cause(),
            (None, Some(error)) => error.into(),
            (None, None) => Cause::Ours,
        };
        Failure { message, status: status(cause) }
    }
}

/// The limits of the machine that are in the way of a placement.
fn limits(error: &(dyn Error + 'static)) -> String {
    let limits = match (error.downcast_ref(), error.downcast_ref()) {
        (Some(error), _) | (_, Some(numawise_session::Error::Placement(error))) => {
            PlacementError::limits(error)
        }
        _ => &[],
    };
    numawise_report::notice::machine::in_the_way(limits)
}

fn status(cause: Cause) -> Status {
    match cause {
        Cause::Ours => NUMAWISE_FAILED,
        Cause::Interrupted => INTERRUPTED,
        // A shell cannot tell 0, and has no room for more than 255.
        Cause::ProgramFailed(exit) => exit.shell_status().clamp(1, 255) as Status,
        Cause::ProgramNotFound => NOT_FOUND,
        Cause::ProgramNotExecutable => CANNOT_EXECUTE,
    }
}

/// The beginning of a message: the option that an error is about, and what of it.
fn option(error: &session::Error) -> Option<String> {
    let option = match error {
        session::Error::TooFewRepeats { .. } => "--repeats:",
        session::Error::NoNodes { .. } | session::Error::NoSuchNodes { .. } => "--nodes:",
        session::Error::Metric(_) => "--metric:",
        error if error.is_of_template() => "--template:",
        session::Error::NoSuchRanks { .. } => "--ranks:",
        session::Error::NoMetricInFirstRun { metric, problem, .. } => {
            return Some(numawise_report::notice::metric_problem(Some(metric), problem) + ":");
        }
        // The text begins with what was typed.
        session::Error::List { list: RequestedList::Cpus, .. } => "--physcpubind",
        session::Error::List { list: RequestedList::Nodes, .. } => "--cpunodebind",
        session::Error::List { list: RequestedList::Memory(policy), .. } => numactl_option(*policy),
        session::Error::List { list: RequestedList::MoveFrom, .. } => "FROM",
        session::Error::List { list: RequestedList::MoveTo, .. } => "TO",
        session::Error::CannotMoveNodes { list: RequestedList::MoveTo, .. } => "TO:",
        session::Error::CannotMoveNodes { .. } => "FROM:",
        session::Error::SeveralPreferred { .. } => "--preferred:",
        session::Error::ObjectsTo(_) => "--objects-to:",
        session::Error::CopiesInARank { .. } => "--copies:",
        session::Error::NoWeights(_) | session::Error::WeightNotWritten { .. } => "--global-weights:",
        session::Error::PolicyUnknown(_) => "--show:",
        _ => return None,
    };
    Some(option.to_owned())
}

/// Why a library is not loaded, and what makes a record.
fn on_objects(error: &ObjectsToError) -> Option<String> {
    match error {
        ObjectsToError::NotPreloadable { obstacle } => Some(numawise_report::notice::not_loaded(obstacle)),
        ObjectsToError::Changed { .. } | ObjectsToError::OtherProgram { .. } => {
            Some("numawise objects --output FILE -- PROGRAM makes one".to_owned())
        }
        _ => None,
    }
}

fn of_weight(kind: std::io::ErrorKind) -> &'static str {
    match kind {
        std::io::ErrorKind::NotFound => "kernels have this file since Linux 6.9; try --memory interleave",
        std::io::ErrorKind::PermissionDenied => "only root may write it",
        _ => "expected a kernel that takes it",
    }
}

/// What starts a program so that it can be asked about.
fn followed(program: &str) -> String {
    format!("start it with numawise objects -- {program}, or numawise snapshot --objects -- {program}")
}

const RANKS_OF_A_SCRIPT: &str = "expected mpirun, mpiexec or srun as the first word of the command; in a script, place each rank: \
                                 mpirun -n {ranks} numawise run --place {place} --threads {threads} -- ./app";

/// What to type, in the options of this command line.
fn advice(error: &session::Error) -> Option<String> {
    Some(match error {
        session::Error::NoProfile { .. } | session::Error::MachineWithoutFingerprint { .. } => {
            "numawise machine measure makes one, --load FILE shows another".to_owned()
        }
        session::Error::NoCpusAskedFor => {
            "expected --place local, distributed or semi, --cpus, --nodes, --near, -C or -N".to_owned()
        }
        session::Error::NoSuchThread { .. } => "numawise where --threads lists them".to_owned(),
        session::Error::List { source: ListError::Step { .. }, .. } => "use --cpus".to_owned(),
        session::Error::List { source: ListError::NotOfCpus { text }, .. } => {
            format!("expected --cpunodebind '{text}'")
        }
        session::Error::Location(LocationError::Device { .. }) => "or --near nic:mlx5_0".to_owned(),
        session::Error::Placement(error) => return of_placement(error).map(str::to_owned),
        error if error.is_of_filled_inputs() => {
            "they lie beside the record, for which --output FILE names another folder".to_owned()
        }
        error if error.is_of_inputs_of_a_run() => {
            "--template-dir FOLDER names another folder, in which they stay".to_owned()
        }
        session::Error::ObjectsTo(error) => return on_objects(error),
        session::Error::SeveralPreferred { .. } => "for several use --preferred-many".to_owned(),
        session::Error::CopiesInARank { .. } => {
            "ask the launcher for more ranks, or start one rank on each computer and take the launcher's variables out of its \
             environment"
                .to_owned()
        }
        session::Error::NoWeights(missing) => match missing {
            WeightsMissing::KernelsAreTaken => {
                "numactl's --weighted-interleave takes the kernel's weights as they are; expected --memory weighted".to_owned()
            }
            WeightsMissing::Unknown(notice) => numawise_report::notice::text(notice),
            WeightsMissing::NotAskedFor => "expected --memory weighted with two nodes or more".to_owned(),
        },
        session::Error::WeightNotWritten { source, .. } => of_weight(source.kind()).to_owned(),
        session::Error::PolicyUnknown(_) => {
            "a container's seccomp profile may forbid it, or the kernel has no NUMA memory policies; numawise machine shows the \
             rest"
                .to_owned()
        }
        session::Error::NotFollowed { command, .. } => followed(command.as_deref().unwrap_or("PROGRAM")),
        session::Error::WatchedAlready { .. } => "leave out the inner numawise snapshot".to_owned(),
        session::Error::LauncherPlaced { launcher } => format!(
            "place the ranks inside of it: numawise snapshot -- {launcher} -n 4 numawise run --place semi --threads 6 -- ./app"
        ),
        session::Error::RanksOfUnknownPrograms { .. } => RANKS_OF_A_SCRIPT.to_owned(),
        session::Error::NoFolderForRanks { .. } => {
            "expected --output FILE in a folder that may be written and that all computers of the job share".to_owned()
        }
        session::Error::ThreadsOfRanksUnknown { .. } => "--threads N fills {threads}".to_owned(),
        session::Error::NoDataFolder => "or name the file (--save FILE, --load FILE)".to_owned(),
        session::Error::OtherStudy { .. } => {
            "--fresh starts over, --output keeps this one under another name".to_owned()
        }
        session::Error::OtherSettings { recorded, now, .. } => format!(
            "--margin {} --repeats {} goes on with it, --fresh starts over with --margin {} --repeats {}, --output keeps it \
             under another name",
            recorded.margin, recorded.repeats, now.margin, now.repeats
        ),
        session::Error::CannotPlaceAnyMore { record, reason } => format!(
            "{}; the same command goes on when this is mended; 'numawise report {}' shows what is recorded, --fresh starts over \
             without these placements",
            numawise_report::notice::why_not_tried(reason),
            record.display()
        ),
        session::Error::NoMetricInFirstRun { metric, problem, output, clues } => {
            crate::metric::advice(metric, problem, output, clues)
        }
        error if error.of_slurm().is_some() => return error.of_slurm().and_then(on_slurm).map(str::to_owned),
        session::Error::NothingAskedFor => {
            "expected a process number, a program's name, --user NAME or --job ID, for example: numawise where $(pidof app)"
                .to_owned()
        }
        _ => return None,
    })
}

/// From now on Ctrl-Z stops what we run before it stops us.
pub fn stops_with_program() -> Result<(), Failure> {
    numawise_linux::calls::stop::hold_back()
        .map_err(|error| Failure::new(format!("cannot take the signal of Ctrl-Z: {error}")))
}

/// A flag that Ctrl-C, SIGTERM and the end of the terminal raise; a second Ctrl-C ends us at once. A signal that is ignored stays
/// so: nohup asks for that with SIGHUP, and a shell with SIGINT for what runs in its background.
pub fn interruptible() -> Result<Arc<AtomicBool>, Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal)) {
        let failed = |e: std::io::Error| Failure::new(format!("cannot take signals: {e}"));
        // The kernel and the shell both send SIGHUP when a terminal goes.
        if signal != SIGHUP {
            let status = i32::from(INTERRUPTED);
            signal_hook::flag::register_conditional_shutdown(signal, status, Arc::clone(&stop))
                .map_err(failed)?;
        }
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(failed)?;
    }
    Ok(stop)
}

fn on_slurm(error: &SlurmError) -> Option<&'static str> {
    Some(match error {
        SlurmError::NoPartition { .. }
        | SlurmError::NoDefaultPartition { .. }
        | SlurmError::NoNodes { .. } => "--partition NAME chooses one",
        SlurmError::OneMetricFile { .. } => {
            "--jobs 1 runs one after the other; {template_dir}/FILE with a --template, or an absolute path on the nodes themselves, keeps \
             them apart"
        }
        SlurmError::Folder { .. } => "--output FILE puts the record, and this folder beside it, elsewhere",
        SlurmError::NotDescribed { problem: JobProblem::NotShared(_), .. }
        | SlurmError::NoNodeLeft { problem: JobProblem::NotShared(_), .. } => {
            "--output FILE puts the record into another folder"
        }
        _ => return None,
    })
}

fn advice_on_machine(error: &MachineError) -> Option<&'static str> {
    Some(match error {
        MachineError::HwlocMissing { .. } => "or try the reader that needs no library: --reader sysfs",
        MachineError::HwlocTooOld { .. } | MachineError::Helper(_) => "or try --reader sysfs",
        MachineError::Newer { .. } => "write it again with lstopo --export-xml-flags v2 machine.xml",
        MachineError::NothingMeasured { .. } => "measure it with numawise machine measure",
        _ => return None,
    })
}

fn advice_on_record(error: &RecordError) -> Option<&'static str> {
    Some(match error {
        RecordError::RunExists(_) => "--fresh replaces it",
        _ => return None,
    })
}

fn advice_on_profile(error: &ProfileError) -> Option<&'static str> {
    Some(match error {
        ProfileError::SqliteNotAProfile(_) => "numawise report shows those of numawise",
        ProfileError::MlcWithoutTables { .. } => {
            "or with --latency_matrix, --bandwidth_matrix, --peak_injection_bandwidth, --max_bandwidth, --loaded_latency or \
             --c2c_latency"
        }
        _ => return None,
    })
}

fn of_placement(error: &PlacementError) -> Option<&'static str> {
    Some(match error {
        PlacementError::NoHbm { .. } => "try --memory local",
        PlacementError::NothingRemoteFromAll { .. } => "--nodes and --cpus do that",
        PlacementError::NothingRemoteButNamed { .. } => "try --memory bind:NODE to take it all the same",
        PlacementError::OrderBesideStrategy { .. } => {
            "leave --place out; --place distributed is even over the nodes, too, with neighbouring threads on the same node"
        }
        PlacementError::OrderOfOneTask { .. } => {
            "let the launcher bind the ranks, so that each has CPUs of its own, or try --place semi"
        }
        PlacementError::OrderIsAList { .. } => {
            "leave --cpus, --nodes, --near, --step, --smt and --skip-... out"
        }
        PlacementError::BalancingPolicy { .. } => "try --memory bind, or leave it to the system",
        _ => return None,
    })
}

/// What to type when the kernel refuses to place a program.
fn of_refusal(refusal: Refusal) -> Option<&'static str> {
    Some(match refusal {
        Refusal::AffinityForbidden => {
            "use --place none, without --pin and without a list of CPUs, or give the container a profile that allows the call \
             (--security-opt seccomp=FILE)"
        }
        Refusal::NoUsableCpu | Refusal::UnusableNodes => "`numawise machine` shows which may be used",
        Refusal::PolicyForbidden => {
            "give the container CAP_SYS_NICE (--cap-add SYS_NICE) or a profile that allows it (--security-opt seccomp=FILE), or \
             place the CPUs only: --memory default"
        }
        Refusal::NoPolicies | Refusal::PolicyFailed => "place the CPUs only: --memory default",
        // The error says it all.
        Refusal::NoBalancing => return None,
        Refusal::NoWeightedInterleave => "try --memory interleave",
        Refusal::NoPreferredMany => "try --memory preferred:NODE",
    })
}

/// What clap has to say: help and version on stdout with 0, errors on stderr with 125.
pub fn usage(error: clap::Error) -> Status {
    let text = |coloured| {
        let (styled, plain) = (error.render(), error.render().to_string());
        // What was typed may steer a terminal too: then there are no colours of ours either.
        let harmless = numawise_units::harmless::paragraphs(&plain);
        if coloured && harmless == plain { styled.ansi().to_string() } else { harmless }
    };
    if error.use_stderr() {
        streams::say_text(&text(streams::is_coloured(&std::io::stderr())));
        return NUMAWISE_FAILED;
    }
    match streams::print(text(streams::is_coloured(&std::io::stdout()))) {
        Ok(()) => SUCCESS,
        Err(error) => Failure::from(error).report(),
    }
}
