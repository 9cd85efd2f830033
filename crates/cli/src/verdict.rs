//! The command line to use from now on, ours and the equivalent commands of other tools.

use numawise_facts::{
    Argument, DeviceName, LineTool, Machine, PlacementRequest, Point, PrintedLine, RankBinding, RunSpec,
    Strategy, Study, StudyHeader, TaskPlacement, redaction,
};
use numawise_placement::EquivalentCommands;
use numawise_report::check::{UseFromNowOn, lines};
use numawise_session::launched;
use numawise_session::openmp::outermost;
use numawise_tables::{Analysis, LineEffect};
use numawise_units::TaskId;

use crate::placing;

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;

/// What to type from now on. Without a recommendation that is the program's own line, unchanged.
pub fn use_from_now_on(study: &Study, analysis: &Analysis) -> UseFromNowOn {
    let header = &study.header;
    let Some(point) = analysis.recommended.as_ref().and_then(|id| header.point(id)) else {
        return UseFromNowOn {
            line: header.command.shell_line_with_threads(header.points[0].threads()),
            equivalents: Vec::new(),
            comments: as_it_is(analysis).into_iter().chain(to_be_filled_in(&header.command)).collect(),
        };
    };
    let mut comments: Vec<(String, Vec<&str>)> = Vec::new();
    let mut equivalents = Vec::new();
    let mut useless = Vec::new();
    let (kept, left_out) = equivalent(study, point, &header.command);
    for commands in kept {
        let tool = commands.tool.name();
        let measured = analysis.lines.as_ref().and_then(|lines| lines.of(tool));
        if let Some(line) = measured.filter(|line| line.may_bring_nothing()) {
            useless.push(without(line));
            continue;
        }
        equivalents.extend(commands.lines.into_iter().map(|line| (tool.to_owned(), line)));
        for missing in commands.missing.iter().map(numawise_report::notice::text) {
            match comments.iter_mut().find(|(text, _)| *text == missing) {
                Some((_, tools)) => tools.push(tool),
                None => comments.push((missing, vec![tool])),
            }
        }
    }
    let comments = comments.into_iter().map(|(text, tools)| format!("{}: {text}", tools.join(", ")));
    let left_out: Vec<&str> = left_out.iter().map(|commands| commands.tool.name()).collect();
    let left_out = (!left_out.is_empty()).then(|| {
        let (tools, memory) = (left_out.join(", "), &point.request.memory);
        format!(
            "{tools}: not recommended, no way to place memory (here {memory}), so that gain would be lost"
        )
    });
    let comments = comments.chain(useless).chain(left_out).chain(to_be_filled_in(&header.command)).collect();
    UseFromNowOn { line: our_line(&header.machine, point, &header.command), equivalents, comments }
}

/// Why the program's own line stands there; and what was run instead of it, where that brought nothing.
fn as_it_is(analysis: &Analysis) -> Vec<String> {
    let ours = analysis.lines.as_ref().and_then(|lines| lines.ours());
    match ours.filter(|_| analysis.verdict.not_by_its_line) {
        Some(ours) => vec![
            "as it is: the line for the placement that was better in the trials does not bring that"
                .to_owned(),
            without(ours),
        ],
        None => vec!["as it is: nothing that was tried is known to be better".to_owned()],
    }
}

/// A line that is not to be used, with what it brought.
fn without(line: &LineEffect) -> String {
    format!("{}: not recommended ({}): {}", line.tool, line.line, lines::text(line))
}

/// What to know of a line that holds less than what was typed.
fn to_be_filled_in(command: &RunSpec) -> Option<String> {
    let redacted = redaction::is_redacted(&command.shell_line());
    redacted.then(|| format!("fill in what was left out of the command where '{}' stands", redaction::MARKER))
}

/// The lines for a point of a study, with the words of `command`: the program's own, ours, and those of other tools.
pub fn printed_lines(study: &Study, point: &Point, command: &RunSpec) -> Vec<PrintedLine> {
    let line = |tool, line| PrintedLine { tool, line, not_run: None };
    let (others, _) = equivalent(study, point, command);
    let others =
        others.into_iter().map(|commands| line(LineTool::Other(commands.tool), commands.lines.join("\n")));
    let own = [
        line(LineTool::Program, programs_own(&study.header, command)),
        line(LineTool::Numawise, our_line(&study.header.machine, point, command)),
    ];
    own.into_iter().chain(others).collect()
}

/// The commands of other tools for a point, and those that leave out what the point is about.
fn equivalent(
    study: &Study,
    point: &Point,
    command: &RunSpec,
) -> (Vec<EquivalentCommands>, Vec<EquivalentCommands>) {
    // Those of other tools would place the launcher, or name its ranks without the options that were typed to it.
    if point.ranks.is_some() {
        return (Vec::new(), Vec::new());
    }
    let command = |task: &TaskPlacement| command.shell_line_for_task(task.threads.len() as u32, TaskId(0));
    let with_mpi = numawise_analyse::uses_mpi(study);
    numawise_placement::equivalent_commands(&study.header.machine, &point.placement, true, &command)
        .into_iter()
        .filter(EquivalentCommands::places_something)
        .filter(|commands| with_mpi || !commands.tool.starts_ranks())
        .partition(EquivalentCommands::has_the_memory_policy)
}

/// The program as it is typed without numawise: with the number of threads that was asked for, where the program would not have it by
/// itself.
fn programs_own(header: &StudyHeader, command: &RunSpec) -> String {
    let threads = header.points[0].threads();
    let line = command.shell_line_for_task(threads, TaskId(0));
    let set = header.host.environment.iter().find(|(name, _)| name == THREADS);
    let found = match set {
        Some((_, value)) => outermost(value),
        None => u32::try_from(header.machine.allowed_cpus.len()).ok(),
    };
    if found == Some(threads) { line } else { format!("{THREADS}={threads} {line}") }
}

const THREADS: &str = "OMP_NUM_THREADS";

/// True where being near to the device says all that the request says of CPUs and nodes.
fn chooses(machine: &Machine, device: &DeviceName, request: &PlacementRequest) -> bool {
    let anywhere = PlacementRequest { cpus: None, nodes: None, ..request.clone() };
    numawise_placement::near(machine, &anywhere, device).is_ok_and(|near| near == *request)
}

/// `numawise run` with the options that give this point, and the program.
pub fn our_line(machine: &Machine, point: &Point, command: &RunSpec) -> String {
    let device = point.levels.placement.near.as_ref();
    let mut request = PlacementRequest { threads: Some(point.threads()), ..point.request.clone() };
    if device.is_some_and(|device| chooses(machine, device, &point.request)) {
        (request.cpus, request.nodes) = (None, None);
    }
    // Where all cores are alike the option changes nothing.
    request.choice.efficient_cores &= numawise_placement::has_efficient_cores(machine);
    let mut words = vec!["numawise run".to_owned()];
    let mut options = placing::options(&request);
    let behind_strategy = usize::from(request.strategy != Strategy::Explicit);
    if let Some(device) = device {
        options.insert(behind_strategy, format!("--near {device}"));
    }
    if matches!(point.ranks, Some(RankBinding::Planned { .. })) {
        // Each rank has a numawise, and the launcher none.
        let words = words.into_iter().chain(["--rebind".to_owned()]).chain(options).chain(["--".to_owned()]);
        let words: Vec<Argument> =
            words.flat_map(|word| word.split(' ').map(Argument::from).collect::<Vec<_>>()).collect();
        return launched::with_words(command, &words).shell_line_for_task(point.threads(), TaskId(0));
    }
    words.extend(options);
    words.push(format!("-- {}", command.shell_line_for_task(point.threads(), TaskId(0))));
    words.join(" ")
}
