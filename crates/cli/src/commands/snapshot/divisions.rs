//! `--ranks-x-threads`: the program with each division of the CPUs into ranks and threads, side by side.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use numawise_analyse::median_run;
use numawise_facts::{
    Exit, Machine, PlacementRequest, RankBinding, RanksByThreads, RanksByThreadsList, Redactor, RunSpec,
    WatchedDivision, WatchedRun,
};
use numawise_record::Existing;
use numawise_report::study::rank_binding;
use numawise_session::here;
use numawise_session::launched::{self, AskedOfRanks, Ranks};
use numawise_session::snapshot::{SnapshotRequest, prepare};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::super::{Failure, SUCCESS, Status};
use super::launched::{HandedOn, handing_over, placing};
use super::{Outputs, environment, status, style, warn};
use crate::{show, streams};

/// What is run, and how often.
pub struct Divisions {
    pub list: RanksByThreadsList,
    pub runs: NonZeroU32,
    /// The words of the placement as they were typed.
    pub words: Vec<OsString>,
}

/// A division with its runs.
type Watched = (RanksByThreads, Vec<WatchedRun>);

/// Runs all divisions, so often that each has its runs, one after the other, and says what came of them. The status is that of the first
/// one that failed.
///
/// # Errors
/// Before anything runs, where one of them could not be run, or what is to be written not be written.
pub fn run(divisions: &Divisions, request: &SnapshotRequest, outputs: &Outputs) -> Result<Status, Failure> {
    let command = request.run.command.clone();
    if !command.takes_ranks() {
        return Err(Failure::new(
            "--ranks-x-threads: the command takes no number of ranks; expected {ranks} in it, such as: mpirun -n {ranks} ./app",
        ));
    }
    let list = &divisions.list.0;
    let mut said: Option<String> = None;
    for division in list {
        let (request, binding) = of_division(divisions, request, *division)?;
        let binding = binding.as_ref().map(rank_binding);
        if let Some(text) = binding.filter(|text| !outputs.quiet && said.as_ref() != Some(text)) {
            streams::say(&format!("ranks: {text}"));
            said = Some(text);
        }
        let plan = prepare(request, &environment)?;
        if plan.rank().is_some() {
            return Err(Failure::new(
                "--ranks-x-threads starts the launcher itself, and this is a rank of one; expected it outside: numawise snapshot \
                 --ranks-x-threads 24 -- mpirun -n {ranks} ./app",
            ));
        }
        if let Some(path) = outputs.record.as_deref() {
            numawise_record::watched_run_may_be_saved(&numbered(path, *division), outputs.existing)?;
        }
    }
    outputs.check()?;
    let mut watched: Vec<Watched> = list.iter().map(|division| (*division, Vec::new())).collect();
    'all: for turn in 0..divisions.runs.get() {
        for (division, runs) in &mut watched {
            if !outputs.quiet {
                streams::say(&format!("{division}: run {} of {}", turn + 1, divisions.runs));
            }
            let (request, _) = of_division(divisions, request, *division)?;
            let plan = prepare(request, &environment)?;
            warn(&plan);
            let ended = match plan.run(&environment, &|_| {}) {
                Ok(ended) => ended,
                // The others may go well.
                Err(error) => {
                    let _ = Failure::from(error).report();
                    continue;
                }
            };
            runs.extend(ended.report.map(|report| report.run));
            if is_interrupted(ended.exit) {
                break 'all;
            }
        }
    }
    Ok(report(watched, &command, outputs))
}

/// The request with the numbers of one division, and who gives its ranks their CPUs where no placement was typed.
fn of_division(
    divisions: &Divisions,
    request: &SnapshotRequest,
    division: RanksByThreads,
) -> Result<(SnapshotRequest, Option<RankBinding>), Failure> {
    let mut request = request.clone();
    let is_placed = request.run.is_placed();
    request.run.command = request.run.command.with_ranks(division.ranks);
    let machine = here::for_sampling()?;
    let command = &request.run.command;
    let ranks = if is_placed { Ranks::AsTheyAre } else { unplaced(command, division, &machine)? };
    request.run.threads = Some(division.threads);
    let threads = format!("--threads={}", division.threads).into();
    let mut words: Vec<_> = divisions.words.iter().cloned().chain([threads]).collect();
    if let Some(cpus) = ranks.placed().and_then(|placed| placed.cpus.clone()) {
        // Not `request.run.cpus`: nobody asked for CPUs, and what was asked of the launcher goes before.
        words.push(format!("--cpus={cpus}").into());
    }
    request.placing = placing(&request.run, &words);
    request.record = request.record.map(|path| numbered(&path, division));
    let record = request.record.as_deref();
    let objects = request.objects.is_some();
    let asked = HandedOn { ranks: None, record, is_fresh: false, objects, trace: None };
    request.handing_over = handing_over(&request.run, &words, &asked);
    Ok((request, ranks.binding(&machine)?))
}

/// What is done about ranks for which no placement was typed.
fn unplaced(command: &RunSpec, division: RanksByThreads, machine: &Machine) -> Result<Ranks, Failure> {
    let free = PlacementRequest { threads: Some(division.threads), ..PlacementRequest::as_the_os_does() };
    let asked = AskedOfRanks { command, ranks: division.ranks, request: &free, is_in_line: false };
    Ok(launched::ranks(&asked, machine, &environment)?)
}

/// Who presses Ctrl-C does not mean one division alone.
fn is_interrupted(exit: Exit) -> bool {
    [128 + SIGINT, 128 + SIGTERM].contains(&exit.shell_status())
}

fn report(watched: Vec<Watched>, command: &RunSpec, outputs: &Outputs) -> Status {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    let environment = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    let command = Redactor::of_run(&command.command, environment).command(command);
    let mut problems = Vec::new();
    let mut divisions = Vec::new();
    for (division, mut runs) in watched {
        let times: Vec<_> = runs.iter().map(|run| (run.header.exit, run.header.wall)).collect();
        // Also what failed is kept, where nothing went well.
        let shown = median_run(&times).or(if runs.is_empty() { None } else { Some(0) });
        let of = WatchedDivision { division, command: command.clone(), runs: times };
        let run = shown.map(|number| {
            let mut run = runs.swap_remove(number);
            run.header.division = Some(of.clone());
            run
        });
        let path = outputs.record.as_deref().map(|path| numbered(path, division)).filter(|_| run.is_some());
        if let (Some(run), Some(path)) = (&run, &path) {
            problems.extend(keep(run, path, outputs.existing));
        }
        divisions.push(show::Division { of, run, record: path.map(|path| path.display().to_string()) });
    }
    let shown = show::Divisions::of(&divisions, &command);
    if outputs.faces.json.is_printed() {
        problems.extend(streams::print(shown.json()).map_err(Failure::from).err());
    } else if !outputs.quiet {
        streams::say_text(&format!("\n{}", shown.text(style())));
    }
    problems
        .extend(outputs.faces.write(|| shown.json(), || shown.html()).into_iter().filter_map(Result::err));
    for failure in problems {
        let _ = failure.report();
    }
    let exits = divisions.iter().flat_map(|one| &one.of.runs).map(|(exit, _)| *exit);
    exits.map(status).find(|status| *status != SUCCESS).unwrap_or(SUCCESS)
}

fn keep(run: &WatchedRun, path: &Path, existing: Existing) -> Option<Failure> {
    numawise_record::save_watched_run(path, run, existing).err().map(Failure::from)
}

/// `run.nw` as `run.24x1.nw`.
fn numbered(path: &Path, division: RanksByThreads) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{division}.{}", extension.to_string_lossy())),
        None => path.with_extension(division.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_division_has_a_record() {
        let division = RanksByThreads { ranks: 12, threads: 2 };
        for (path, expected) in [("run.nw", "run.12x2.nw"), ("a.b/run", "a.b/run.12x2")] {
            assert_eq!(numbered(Path::new(path), division), Path::new(expected));
        }
    }

    #[test]
    fn an_interrupted_run_ends_them_all() {
        assert!(is_interrupted(Exit::Signal(2)) && is_interrupted(Exit::Code(130)));
        assert!(!is_interrupted(Exit::Code(1)) && !is_interrupted(Exit::Signal(9)));
    }
}
