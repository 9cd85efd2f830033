//! Texts of the notices of a study and of its analysis.

use numawise_facts::notice::{
    AffinityRefusal, BindingLauncher, FrequencyHold, MachineNotice, NodeReason, NotPinnedReason,
    NotTriedReason, ObservedFigure, PlacementEvidence, PlacementGroup, StudyNotice,
};
use numawise_facts::{
    Disturbance, Effect, Metric, MetricFileProblem, MetricProblem, Notice, Outcome, PointId, Trial,
};
use numawise_units::{CpuSet, Nanoseconds, Pid, Ratio, harmless};

use super::{jobs, machine};
use crate::amount::{many, times};
use crate::levels;

pub fn text(notice: &StudyNotice) -> String {
    match notice {
        StudyNotice::OneCpu => {
            "pinning: there is only one CPU to use, so every placement of threads is the same".to_owned()
        }
        StudyNotice::OneMemoryNode => {
            "memory placement: there is only one NUMA node to use, so it cannot matter".to_owned()
        }
        StudyNotice::NoNodeWithCpusAndMemory => "one node: none has both CPUs and memory to use".to_owned(),
        StudyNotice::NotTried { placements, reason } => format!("{}: {}", group(*placements), why(reason)),
        StudyNotice::CannotBePlaced { levels, problem, limits, .. } => {
            cannot_be_placed(&levels::title(levels), problem, limits)
        }
        StudyNotice::DisturbedLeftOut { trials } => {
            format!("{} disturbed by other load and left out", were(*trials))
        }
        StudyNotice::DisturbedCounted { trials } => format!(
            "{} disturbed by other load and used all the same: too few were not disturbed",
            were(*trials)
        ),
        StudyNotice::ThreadCountMismatch { point, ran, planned, in_command: true } => format!(
            "{point}: the program ran {} at once where its command asks for {planned} ({{threads}})",
            many((*ran).into(), "thread")
        ),
        StudyNotice::ThreadCountMismatch { point, ran, planned, in_command: false } => format!(
            "{point}: the program ran {} where {planned} were asked for (OMP_NUM_THREADS); if it takes their \
             number as an argument, write {{threads}} there",
            many((*ran).into(), "thread")
        ),
        StudyNotice::NotPinned { point, reason } => not_pinned(point, *reason),
        StudyNotice::NotObeyed { point, asked, each, found, evidence, trials } => {
            let many = |n: usize, cpus: &CpuSet| format!("CPU{} {cpus}", if n == 1 { "" } else { "s" });
            let found = match evidence {
                PlacementEvidence::Masks => {
                    format!("threads that worked could run on {}", many(found.len(), found))
                }
                PlacementEvidence::SeenOnCpus => {
                    format!(
                        "threads that worked were seen on {}, against their masks",
                        many(found.len(), found)
                    )
                }
            };
            let s = if *trials == 1 { "" } else { "s" };
            format!(
                "{point}: threads were not where the plan has them. Asked for: each on {each} of {}; found in {trials} \
                 trial{s}: {found}. Nothing is concluded from this placement",
                many(asked.len(), asked)
            )
        }
        StudyNotice::BoundByOthers { point, found, allowed, launcher } => {
            let by = match launcher {
                Some(BindingLauncher { name, asked_by: Some(by) }) => {
                    format!("{name} does, as it was asked to ({by})")
                }
                Some(BindingLauncher { name, asked_by: None }) => {
                    format!("{name} does by its default, since nobody asked it for another binding")
                }
                None => "the program sets its own affinity, or its environment does".to_owned(),
            };
            format!(
                "{point}: each thread that worked was bound to a part of the CPUs that it could have ({allowed}; all together to \
                 {found}), though numawise binds nothing there: {by}"
            )
        }
        StudyNotice::MemoryNotObeyed { point, asked, against, found, trials } => {
            let s = if *trials == 1 { "" } else { "s" };
            let found: Vec<String> =
                found.iter().map(|(node, bytes)| format!("{bytes} on node {node}")).collect();
            format!(
                "{point}: memory was not where the plan has it. Asked for: {asked}; found in {trials} trial{s}: {}, {} of it \
                 against the plan. Nothing is concluded from this placement",
                found.join(" and "),
                against.percent()
            )
        }
        StudyNotice::OfPlacement { point, warning } => format!("{point}: {}", super::text(warning)),
        StudyNotice::InterruptedLeftOut { trials } => {
            format!("{} interrupted (stopped, suspended, or the clock was set) and left out", were(*trials))
        }
        StudyNotice::ProcessesLeft { trials, processes, names } => left(*trials, *processes, names),
        StudyNotice::NotObserved { what, reason, trials, others } => {
            let count = if *trials == 1 { "1 trial".to_owned() } else { format!("{trials} trials") };
            let numbers = if *others > 0 { ", the numbers differ" } else { "" };
            format!("{}: {reason}; in {count}{numbers}", figure(*what))
        }
        StudyNotice::ProgramFailed { point, failure } => {
            format!("point {point}: the program failed there ({failure})")
        }
        StudyNotice::NoMetric { point, problem } => {
            format!("point {point}: {}", metric_problem(None, problem))
        }
        StudyNotice::OtherMetricMissing { metric, problem, trials } => {
            let problem = metric_problem(Some(&metric.metric), problem);
            format!("{}: {problem}; in {}", metric.name, many(*trials, "trial"))
        }
        StudyNotice::PointGivenUp { point, failures } => {
            format!("{point} failed {} in a row and is given up", times((*failures).into()))
        }
        StudyNotice::NoTimeFor { point, levels, repeats, needs, budget } => format!(
            "{point} ({}): with it {repeats} repeats take about {needs}, and {budget} are left of the time given (--budget)",
            levels::title(levels)
        ),
        StudyNotice::OtherNodes { tried, reason } => {
            let had = match reason {
                NodeReason::FixedMemory { share } => {
                    format!(
                        "held {} of the memory that stays where it is: files, shared memory, what it binds itself",
                        share.percent()
                    )
                }
                NodeReason::Memory { share } => format!("held {} of the program's memory", share.percent()),
                NodeReason::CpuTime { share } => {
                    format!("gave {} of the CPU time, with memory on several nodes", share.percent())
                }
            };
            format!("one node: others than node {tried}, which {had}, in the first run")
        }
        StudyNotice::Drifted { point, effect, repeats } => drifted(point, *effect, *repeats),
        StudyNotice::FrequencyHeldDown { cpus, held, hardware, by } => match by {
            FrequencyHold::Governor { governor, driver } => format!(
                "CPUs {cpus} run at {held}, and could at {hardware}: the governor {} of {} always chooses the least; root can set \
                 another (cpupower frequency-set -g performance)",
                harmless::line(governor),
                harmless::line(driver)
            ),
            FrequencyHold::Limit => format!(
                "CPUs {cpus} may run at {held} at most, and could at {hardware}: the limit was lowered (scaling_max_freq), or boost \
                 is off; what was measured holds for CPUs that are limited so"
            ),
        },
        StudyNotice::RanLess { point, ran, baseline } => {
            let times = |n: u32| if n == 1 { "once".to_owned() } else { format!("{n} times") };
            format!(
                "{point} was dropped on the way, since the time given was too short for it (--budget): it ran {}, and the \
                 operating system's placement {}",
                times(*ran),
                times(*baseline)
            )
        }
        StudyNotice::PointDropped { point, repeats, needs, left } => format!(
            "{point} is run no more: with it {repeats} repeats would take about {needs} more, and {left} of the time given are \
             left (--budget)"
        ),
        StudyNotice::RepeatsTakeLonger { repeats, needs, budget, kept: true } => {
            format!(
                "{repeats} repeats take about {needs}, more than the {budget} given: they are run all the same (--repeats)"
            )
        }
        StudyNotice::RepeatsTakeLonger { repeats, needs, budget, kept: false } => format!(
            "{repeats} repeats take about {needs}, more than the {budget} given: there will be fewer, and hardly an answer; give \
             --budget {} or more, and the same command goes on",
            whole_seconds(needs)
        ),
        StudyNotice::GridTakesLonger { trials, needs, left } => format!(
            "{} would take about {needs}, and {left} is left of the time given: the study stops then, and the same command goes on; \
             --search looks for the best point with a quarter of the trials at most",
            many(*trials, "trial")
        ),
        StudyNotice::TrialOfJobLost { job, node, state, block, point } => {
            jobs::lost(*job, node, state, *block, point)
        }
        StudyNotice::ClusterNodeLeftOut { node, problem } => {
            format!("no more trials run on {}: {}", harmless::line(node), harmless::line(problem))
        }
        StudyNotice::QueueUnknown { problem } => jobs::unknown(problem),
        StudyNotice::JobRefused { problem, jobs } => jobs::refused(problem, *jobs),
        StudyNotice::JobsNotCancelled { jobs, problem } => jobs::not_cancelled(*jobs, problem),
        StudyNotice::BlockMoved { block, from, to } => jobs::moved(*block, from, to),
        StudyNotice::JobsGoOn { jobs } => jobs::go_on(*jobs),
        StudyNotice::TrialInterrupted { point, disturbance, repeated } => {
            let then = if *repeated { "is repeated" } else { "is left out, since it was repeated before" };
            format!("the run at {point} does not count and {then}: {}", self::disturbance(disturbance))
        }
        StudyNotice::ProgramStopped { pid, signal, stopped_for } => stopped(*pid, *signal, *stopped_for),
        StudyNotice::ProgramOverdue { pids, running_for, first } => {
            let pids: Vec<String> = pids.iter().map(ToString::to_string).collect();
            format!(
                "the program (process {}) has run for {running_for} where its first run took {first}; it is waited for; if it \
                 hangs, Ctrl-C ends it and keeps what was measured",
                pids.join(", ")
            )
        }
    }
}

/// The same in a study of a grid, whose points have names that say more than their placement does.
pub fn text_in_grid(notice: &Notice) -> String {
    match notice {
        Notice::Study(StudyNotice::CannotBePlaced { point, problem, limits, .. }) => {
            cannot_be_placed(&point.0, problem, limits)
        }
        _ => super::text(notice),
    }
}

fn cannot_be_placed(what: &str, problem: &str, limits: &[MachineNotice]) -> String {
    format!("{what}: {problem}{}", machine::in_the_way(limits))
}

fn left(trials: u32, processes: u64, names: &[String]) -> String {
    let s = if trials == 1 { "" } else { "s" };
    let what = if processes == 1 { "a process".to_owned() } else { format!("{processes} processes") };
    format!(
        "the program leaves {what} running when it ends ({}; seen in {trials} trial{s}); they are ended before the next run, and \
         a run's time is that of the program's first process; if they do the work, let it wait for them (`wait` in a shell)",
        harmless::line(&names.join(", "))
    )
}

fn stopped(pid: Pid, signal: i32, stopped_for: Nanoseconds) -> String {
    /// The numbers of signal(7) that are the same on all processors that Linux has, but for a few.
    const BY_TERMINAL: [i32; 2] = [21, 22];
    let why = if BY_TERMINAL.contains(&signal) {
        "; it uses the terminal, which it may not from the background: give it its input from a file, or an option that asks \
         nothing"
    } else {
        ""
    };
    format!(
        "the program (process {pid}) has been stopped by signal {signal} for {stopped_for}{why}; `kill -CONT {pid}` lets it go on, \
         Ctrl-C ends it; the run will not count"
    )
}

fn group(placements: PlacementGroup) -> &'static str {
    match placements {
        PlacementGroup::Pinned => "threads placed on CPUs",
        PlacementGroup::OneNode => "one node",
        PlacementGroup::FarFromDevice => "a node far from the device",
        PlacementGroup::InterleavedAndRemote => "interleaved and remote memory",
        PlacementGroup::CopyPerNode => "one copy on each node",
        PlacementGroup::HighBandwidthMemory => "HBM",
        PlacementGroup::HugePages => "huge pages",
    }
}

/// Why placements were not tried, as a clause.
pub fn why(reason: &NotTriedReason) -> String {
    match reason {
        NotTriedReason::AffinityRefused { by } => match by {
            AffinityRefusal::Forbidden => {
                "the call that places threads (sched_setaffinity) is forbidden here (`numawise machine` says by what)"
            }
            AffinityRefusal::Missing => "the call that places threads (sched_setaffinity) is not implemented here",
            AffinityRefusal::Ignored => "the call that places threads (sched_setaffinity) has no effect here",
        }
        .to_owned(),
        NotTriedReason::PinningLibraryMissing => {
            "libnumawise_agent.so, which pins threads, is not installed with numawise: expected beside its binary or in \
             ../lib/numawise/ (make install puts it there)"
                .to_owned()
        }
        NotTriedReason::PoliciesForbidden => {
            "memory policy calls are forbidden here (`numawise machine` says by what)".to_owned()
        }
        NotTriedReason::OnlyMemoryOf { nodes } if nodes.is_empty() => "no node may give us memory".to_owned(),
        NotTriedReason::OnlyMemoryOf { nodes } => {
            format!("only {} may give us memory", levels::counted(nodes))
        }
        NotTriedReason::DoesNotFit { needs, nodes, capacity } => {
            format!("the program needs {needs}, and {} can take {capacity}", levels::counted(nodes))
        }
        NotTriedReason::NoFarNode { threads } => {
            format!(
                "no node that is far from it has CPUs for {} and memory that we may use",
                many(u64::from(*threads), "thread")
            )
        }
        NotTriedReason::FewerThreadsThanNodes { threads, nodes } => {
            format!("{} for {nodes} nodes", many(u64::from(*threads), "thread"))
        }
        NotTriedReason::OneMetricFile => {
            "all would write the same file of --metric-file; {task} in its name, and in the command, gives each its own".to_owned()
        }
        NotTriedReason::TransparentHugePagesOff => {
            "the system gives transparent huge pages to nobody, which only root can change: the kernel's switch \
             transparent_hugepage/enabled would give them to who asks with `madvise`"
                .to_owned()
        }
    }
}

fn figure(what: ObservedFigure) -> &'static str {
    match what {
        ObservedFigure::Everything => "threads, memory and noise",
        ObservedFigure::Threads => "threads",
        ObservedFigure::MemoryByNode => "memory by node",
        ObservedFigure::Migrations => "migrations",
        ObservedFigure::RunQueueDelay => "run-queue delay",
        ObservedFigure::PeakMemory => "peak memory",
        ObservedFigure::StealTime => "steal time",
        ObservedFigure::OtherLoad => "load by others",
    }
}

/// What disturbed a trial, and by how much.
pub fn disturbance(disturbance: &Disturbance) -> String {
    let share = |what: &str, share: f64| format!("{what}: {} of the machine", Ratio(share).percent());
    match disturbance {
        Disturbance::Steal(stolen) => share("time stolen by the hypervisor", *stolen),
        Disturbance::OtherLoad(load) => share("other load", *load),
        Disturbance::Watching(share) => {
            format!("watching took {} of one CPU, which is too much to compare", Ratio(*share).percent())
        }
        Disturbance::Stopped(time) => format!("the program was stopped for {time}"),
        Disturbance::WatcherStopped(time) => format!("numawise was stopped or got no CPU for {time}"),
        Disturbance::Suspended(time) => format!("the system slept for {time}"),
        Disturbance::ClockSet(time) => {
            format!("the clock of the system was set by {time}, or the machine was paused")
        }
    }
}

/// All that disturbed a trial.
pub fn disturbances(trial: &Trial) -> Vec<String> {
    trial.disturbances.iter().map(disturbance).collect()
}

/// What came of a trial.
pub fn trial_status(metric: &Metric, trial: &Trial) -> String {
    match &trial.outcome {
        Outcome::Measured { .. } => "measured".to_owned(),
        Outcome::Failed { failure, .. } => format!("failed: {failure}"),
        Outcome::NoMetric { problem, .. } => format!("no metric: {}", metric_problem(Some(metric), problem)),
    }
}

/// In which direction the machine went, and why the verdict holds.
fn drifted(point: &PointId, effect: Effect, repeats: u32) -> String {
    let slower = effect.ratio.0 < 1.0;
    let (word, cause) = if slower {
        (
            "slower",
            "the machine became slower (warm, or others use it), or the program leaves behind what slows it down",
        )
    } else {
        ("faster", "the machine became faster, or the program finds what earlier runs left")
    };
    let size = if slower { effect.inverse() } else { effect };
    format!(
        "runs of {point} became {size} {word} in the course of its {repeats} repeats: {cause}; each block compares runs side by \
         side, so that the effects hold"
    )
}

/// What keeps a run from giving the metric, which is named where it is known.
pub fn metric_problem(metric: Option<&Metric>, problem: &MetricProblem) -> String {
    let regex = metric.and_then(Metric::regex);
    let file = metric.and_then(Metric::file).map(|file| harmless::line(&file.to_string()));
    let expression = || regex.map_or_else(|| "--metric".to_owned(), |regex| format!("--metric '{regex}'"));
    let place = match &file {
        Some(file) => format!("what the program wrote to {file}"),
        None => "the program's output (stdout and stderr)".to_owned(),
    };
    let whole_file = file.as_ref().filter(|_| regex.is_none());
    match problem {
        MetricProblem::NoMatch => format!("{} matches nothing in {place}", expression()),
        MetricProblem::OtherCase => {
            format!("{} matches nothing in {place}, but would in other upper and lower case", expression())
        }
        MetricProblem::NotKept { dropped } => {
            format!(
                "{} matches nothing in the end of {place}; {dropped} in front of it are not kept",
                expression()
            )
        }
        MetricProblem::NotANumber { text } => match whole_file {
            Some(file) => {
                format!("--metric-file {file} holds '{text}', which is not a positive number and no more")
            }
            None => format!("{} matched '{text}', which is not a positive number", expression()),
        },
        MetricProblem::TooLong { characters } => {
            format!("{} matched {characters} characters, which are no number", expression())
        }
        MetricProblem::AnswerNotRight => {
            "its answer is not right: --verify-output matches nothing in the program's output".to_owned()
        }
        MetricProblem::File(problem) => {
            let file =
                file.map_or_else(|| "--metric-file".to_owned(), |file| format!("--metric-file {file}"));
            format!("{file}: {}", metric_file_problem(problem))
        }
    }
}

fn metric_file_problem(problem: &MetricFileProblem) -> String {
    match problem {
        MetricFileProblem::Missing => "the program wrote no such file".to_owned(),
        MetricFileProblem::IsAFolder => "it is a folder".to_owned(),
        MetricFileProblem::NotAPlainFile => "it is a pipe, a device or a socket, not a plain file".to_owned(),
        MetricFileProblem::Longer => "it holds more than one number".to_owned(),
        MetricFileProblem::NotWritten => "the run did not write to it: it is as it was before".to_owned(),
        MetricFileProblem::OnlyBefore => {
            "the run added to it, and the metric is only in what was there before".to_owned()
        }
        MetricFileProblem::Unreadable { problem } => {
            format!("it cannot be read: {}", harmless::quoted(problem))
        }
    }
}

fn were(trials: u32) -> String {
    format!("{} {}", many(trials.into(), "trial"), if trials == 1 { "was" } else { "were" })
}

/// At least so long, as a person types it.
fn whole_seconds(time: &Nanoseconds) -> String {
    format!("{}s", time.seconds().ceil())
}

fn not_pinned(point: &PointId, reason: NotPinnedReason) -> String {
    match reason {
        NotPinnedReason::Processes { processes } => format!(
            "{point}: {processes} processes did the work, each with fewer threads than the placement has: they were held to its CPUs \
             together, not to one CPU each"
        ),
        NotPinnedReason::FewerThreads { ran, planned } => format!(
            "{point}: {ran} thread{} worked where {planned} were planned, held to the CPUs of the placement, not to one CPU \
             (--threads {ran} would bind {})",
            if ran == 1 { "" } else { "s" },
            if ran == 1 { "it" } else { "them" }
        ),
        NotPinnedReason::NotSeen => format!(
            "{point}: no thread was seen pinned, for a reason that was not seen; they were free inside the CPUs of the placement"
        ),
    }
}
