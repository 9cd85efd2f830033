//! The plan as text and as JSON.

use numawise_facts::{Machine, Placement, RunSpec};
use numawise_launch::Change;
use numawise_report::plan::{self, ToolWords, View};

use super::request::Request;

pub fn text(
    machine: &Machine,
    request: &Request,
    placement: &Placement,
    changes: &[Change],
    spec: &RunSpec,
) -> String {
    with_view(machine, request, placement, changes, spec, plan::text)
}

pub fn json(
    machine: &Machine,
    request: &Request,
    placement: &Placement,
    changes: &[Change],
    spec: &RunSpec,
) -> String {
    with_view(machine, request, placement, changes, spec, |view| format!("{:#}\n", plan::json(view)))
}

fn with_view(
    machine: &Machine,
    request: &Request,
    placement: &Placement,
    changes: &[Change],
    spec: &RunSpec,
    show: impl Fn(&View<'_>) -> String,
) -> String {
    let line = |threads: u32| spec.shell_line_with_threads(threads);
    let equivalents = numawise_placement::equivalents(machine, placement, request.steers_threads, &line);
    let words: Vec<ToolWords> = equivalents
        .into_iter()
        .map(|words| ToolWords { tool: words.tool.to_owned(), lines: words.lines, missing: words.missing })
        .collect();
    // What is not there need not be taken out.
    let shown = |change: &&Change| change.value.is_some() || std::env::var_os(change.name).is_some();
    let environment: Vec<(String, Option<String>)> =
        changes.iter().filter(shown).map(|change| (change.name.to_owned(), change.value.clone())).collect();
    let threads = placement.tasks.first().map_or(0, |task| task.threads.len() as u32);
    let command = line(threads);
    show(&View { machine, placement, command: &command, environment: &environment, words: &words })
}
