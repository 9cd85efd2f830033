//! The command line to use from now on, ours and the equivalent commands of other tools.

use numawise_facts::{
    MemoryRequest, PlacementRequest, Point, RunSpec, Strategy, Study, ThreadBinding, redaction,
};
use numawise_placement::EquivalentCommands;
use numawise_report::check::UseFromNowOn;
use numawise_tables::Analysis;

/// What to type from now on. Without a recommendation that is the program's own line, unchanged.
pub fn use_from_now_on(study: &Study, analysis: &Analysis) -> UseFromNowOn {
    let header = &study.header;
    let Some(point) = analysis.recommended.as_ref().and_then(|id| header.point(id)) else {
        return UseFromNowOn {
            line: header.command.shell_line_with_threads(header.points[0].threads()),
            equivalents: Vec::new(),
            comments: std::iter::once("as it is: nothing that was tried is known to be better".to_owned())
                .chain(to_be_filled_in(&header.command))
                .collect(),
        };
    };
    let command = |threads: u32| header.command.shell_line_with_threads(threads);
    let mut comments: Vec<(String, Vec<&str>)> = Vec::new();
    let mut equivalents = Vec::new();
    let with_mpi = numawise_analyse::uses_mpi(study);
    let all = numawise_placement::equivalent_commands(&header.machine, &point.placement, true, &command);
    let (kept, left_out): (Vec<_>, Vec<_>) = all
        .into_iter()
        .filter(EquivalentCommands::places_something)
        .filter(|commands| with_mpi || !commands.tool.starts_ranks())
        .partition(EquivalentCommands::has_the_memory_policy);
    for commands in kept {
        let tool = commands.tool.name();
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
        format!("not by {tools}: they cannot say where memory lies (here {memory}), and what that brings would be lost")
    });
    let comments = comments.chain(left_out).chain(to_be_filled_in(&header.command)).collect();
    UseFromNowOn {
        line: format!("{} -- {}", run_line(point), command(point.threads())),
        equivalents,
        comments,
    }
}

/// What to know of a line that holds less than what was typed.
fn to_be_filled_in(command: &RunSpec) -> Option<String> {
    let redacted = redaction::is_redacted(&command.shell_line());
    redacted.then(|| format!("fill in what was left out of the command where '{}' stands", redaction::MARKER))
}

/// `numawise run` with the options that give this point.
fn run_line(point: &Point) -> String {
    let PlacementRequest { strategy, binding, cpus, nodes, memory, .. } = &point.request;
    let mut words = vec!["numawise run".to_owned()];
    if *strategy != Strategy::Explicit {
        words.push(format!("--place {strategy}"));
    }
    words.extend(cpus.as_ref().map(|cpus| format!("--cpus {cpus}")));
    words.extend(nodes.as_ref().map(|nodes| format!("--nodes {nodes}")));
    if *memory != MemoryRequest::Default {
        words.push(format!("--memory {memory}"));
    }
    words.push(format!("--threads {}", point.threads()));
    if *binding == ThreadBinding::Pinned {
        words.push("--pin".to_owned());
    }
    words.join(" ")
}
