//! A plan as text, as JSON, and as the equivalent commands of one tool.

use numawise_facts::{EquivalentTool, RunSpec, TaskPlacement};
use numawise_placement::EquivalentCommands;
use numawise_report::document::{self, Style};
use numawise_report::notice;
use numawise_report::plan::{self, InputFile, ToolCommands, View};
use numawise_session::plan::{FilledFile, RunPlan};

use super::super::Failure;
use super::request::PlanFormat;
use crate::streams;

/// # Errors
/// When the tool has no command for this plan.
pub fn shown(plan: &RunPlan, spec: &RunSpec, format: PlanFormat) -> Result<String, Failure> {
    match format {
        PlanFormat::Text => text(plan, spec, streams::style()),
        PlanFormat::Json => with_view(plan, spec, |view| format!("{:#}\n", plan::json(view))),
        PlanFormat::CommandsOf(tool) => script(plan, spec, tool),
    }
}

/// As text, written for `style`.
///
/// # Errors
/// When something in the command is not known.
pub fn text(plan: &RunPlan, spec: &RunSpec, style: Style) -> Result<String, Failure> {
    with_view(plan, spec, |view| document::terminal(&plan::document(view), style))
}

/// As a page, with the plan drawn on its machine.
///
/// # Errors
/// As [`text`].
pub fn page(plan: &RunPlan, spec: &RunSpec) -> Result<String, Failure> {
    let drawn = numawise_analyse::picture(&plan.machine, Some(&plan.placement));
    with_view(plan, spec, |view| document::html(&plan::page(view, &drawn)))
}

/// The lines of one tool; what they leave out as comments of a shell.
fn script(plan: &RunPlan, spec: &RunSpec, tool: EquivalentTool) -> Result<String, Failure> {
    let lines = lines(plan, spec)?;
    let line = |task: &TaskPlacement| lines[task.task.0 as usize].clone();
    let RunPlan { machine, placement, steers_threads, .. } = plan;
    let of_tool = numawise_placement::commands_of(tool, machine, placement, *steers_threads, &line);
    match of_tool.map(shown_commands) {
        Some(commands) if !commands.lines.is_empty() => Ok(plan::script(&commands)),
        Some(commands) => {
            let missing: Vec<String> = commands.missing.iter().map(notice::text).collect();
            Err(Failure::new(format!("--emit {tool}: no command of it does this: {}", missing.join("; "))))
        }
        None => Err(Failure::new(format!("--emit {tool}: this plan has nothing for it to do"))),
    }
}

/// The command of each task, for a shell.
fn lines(plan: &RunPlan, spec: &RunSpec) -> Result<Vec<String>, Failure> {
    let line = |task: &TaskPlacement| {
        Ok(plan.command(spec, task)?.shell_line_with_threads(task.threads.len() as u32))
    };
    plan.placement.tasks.iter().map(line).collect()
}

fn commands(plan: &RunPlan, lines: &[String]) -> Vec<ToolCommands> {
    let line = |task: &TaskPlacement| lines[task.task.0 as usize].clone();
    numawise_placement::equivalent_commands(&plan.machine, &plan.placement, plan.steers_threads, &line)
        .into_iter()
        .map(shown_commands)
        .collect()
}

fn shown_commands(commands: EquivalentCommands) -> ToolCommands {
    let EquivalentCommands { tool, lines, missing } = commands;
    ToolCommands { tool, lines, missing }
}

fn shown_input(file: FilledFile<'_>) -> InputFile {
    let FilledFile { task, template, path, stays } = file;
    InputFile { task, template: template.file.clone(), path: path.display().to_string(), stays }
}

fn with_view(plan: &RunPlan, spec: &RunSpec, show: impl Fn(&View<'_>) -> String) -> Result<String, Failure> {
    let lines = lines(plan, spec)?;
    // What is not there need not be taken out.
    let changed = plan
        .changes
        .iter()
        .filter(|change| change.value.is_some() || std::env::var_os(change.name).is_some());
    let environment: Vec<(String, Option<String>)> =
        changed.map(|change| (change.name.to_owned(), change.value.clone())).collect();
    let inputs: Vec<InputFile> = plan.filled_files()?.into_iter().map(shown_input).collect();
    // A line without its file or its objects is no equivalent.
    let commands =
        if inputs.is_empty() && !plan.puts_objects() { commands(plan, &lines) } else { Vec::new() };
    let own = lines.get(plan.ours as usize).map_or("", String::as_str);
    Ok(show(&View {
        machine: &plan.machine,
        placement: &plan.placement,
        command: own,
        environment: &environment,
        commands: &commands,
        inputs: &inputs,
        notes: &plan.notes,
        ours: plan.task_of_job,
    }))
}
