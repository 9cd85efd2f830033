//! A placement as a table for a terminal and as JSON.

use numawise_facts::{
    EquivalentTool, Machine, MemoryPlan, NodeWeight, Notice, PageSize, Placement, TaskPlacement,
    ThreadBinding,
};
use numawise_units::{CpuSet, NodeSet};
use serde_json::{Value, json};

use crate::document::table::table;
use crate::notice;

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

/// Name and version of the JSON; `docs/formats/run-json.md` says what it holds.
pub const SCHEMA: &str = "numawise/plan/2";

/// The equivalent commands of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCommands {
    pub tool: EquivalentTool,
    pub lines: Vec<String>,
    /// What the lines leave out.
    pub missing: Vec<Notice>,
}

/// What is shown of a plan.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub machine: &'a Machine,
    pub placement: &'a Placement,
    /// The program's line.
    pub command: &'a str,
    /// Variables that the program gets (or, without a value, does not get) from numawise.
    pub environment: &'a [(String, Option<String>)],
    pub commands: &'a [ToolCommands],
    /// What a person may want to know and need not act on.
    pub notes: &'a [Notice],
    /// The task that this process becomes, where it is one of several.
    pub ours: Option<u32>,
}

/// As JSON.
pub fn json(view: &View<'_>) -> Value {
    let task = |task: &TaskPlacement| {
        // The policy by the word that one types for it.
        let weight = |one: &NodeWeight| json!({ "node": one.node, "weight": one.weight });
        let memory = json!({
            "policy": task.memory.mode.to_string(),
            "nodes": task.memory.nodes,
            "weights": task.memory.weights.iter().map(weight).collect::<Vec<_>>(),
            "balancing": task.memory.balancing,
            "pages": task.memory.pages.to_string(),
        });
        json!({ "task": task.task, "cpus": task.cpus, "threads": task.threads, "memory": memory })
    };
    let notices = |notices: &[Notice]| -> Vec<Value> { notices.iter().map(notice::json).collect() };
    let commands = |commands: &ToolCommands| json!({ "tool": commands.tool, "lines": commands.lines, "missing": notices(&commands.missing) });
    let environment: serde_json::Map<String, Value> =
        view.environment.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "schema": SCHEMA,
        "command": view.command,
        "strategy": view.placement.strategy,
        "binding": view.placement.binding,
        "tasks": view.placement.tasks.iter().map(task).collect::<Vec<_>>(),
        "environment": environment,
        "warnings": notices(&view.placement.warnings),
        "notes": notices(view.notes),
        "ours": view.ours,
        "equivalents": view.commands.iter().map(commands).collect::<Vec<_>>(),
    })
}

/// As text.
pub fn text(view: &View<'_>) -> String {
    let placement = view.placement;
    let mut text = format!("Plan for: {}\n", view.command);
    let binding = match placement.binding {
        ThreadBinding::Pinned => "each thread stays on its CPU",
        ThreadBinding::Free => "threads move inside the CPUs of their task",
    };
    text += &format!("Strategy {}; {binding}.\n", placement.strategy);
    for note in view.notes {
        text += &format!("Note: {}.\n", notice::text(note));
    }
    text.push('\n');
    text += &table(&tasks(view), &[]);
    if let Some(ours) = view.ours {
        text += &format!("\nThis process is task {ours}.\n");
    }
    if placement.binding == ThreadBinding::Pinned {
        text.push('\n');
        text += &table(&threads(view), &[]);
    }
    for warning in &placement.warnings {
        text += &format!("\nwarning: {}\n", notice::text(warning));
    }
    if !view.environment.is_empty() {
        text += "\nThe program's environment:\n";
        for (name, value) in view.environment {
            match value {
                Some(value) => text += &format!("  {name}={value}\n"),
                None => text += &format!("  {name} is taken out\n"),
            }
        }
    }
    for commands in view.commands {
        text += &format!("\nEquivalent with {}:\n", commands.tool);
        for line in &commands.lines {
            text += &format!("  {line}\n");
        }
        if commands.lines.is_empty() {
            text += "  (no command does this)\n";
        }
        for missing in &commands.missing {
            text += &format!("  left out: {}\n", notice::text(missing));
        }
    }
    text
}

fn tasks(view: &View<'_>) -> Vec<Vec<String>> {
    let header = ["task", "threads", "CPUs", "on nodes", "memory"].map(str::to_owned).to_vec();
    let row = |task: &TaskPlacement| {
        vec![
            task.task.to_string(),
            task.threads.len().to_string(),
            task.cpus.to_string(),
            nodes(view.machine, &task.cpus),
            memory(&task.memory),
        ]
    };
    [header].into_iter().chain(view.placement.tasks.iter().map(row)).collect()
}

/// `weighted:0-1 (3:1), balancing, thp pages`
fn memory(plan: &MemoryPlan) -> String {
    let mut text = plan.to_string();
    if !plan.weights.is_empty() {
        let weights: Vec<String> = plan.weights.iter().map(|one| one.weight.to_string()).collect();
        text += &format!(" ({})", weights.join(":"));
    }
    if plan.balancing {
        text += ", balancing";
    }
    if plan.pages != PageSize::Default {
        text += &format!(", {} pages", plan.pages);
    }
    text
}

/// The lines of a tool for a shell, with what they leave out as comments before them.
pub fn script(commands: &ToolCommands) -> String {
    let comment = |missing: &Notice| format!("# left out: {}\n", notice::text(missing).replace('\n', " "));
    let comments = commands.missing.iter().map(comment);
    let lines = commands.lines.iter().map(|line| format!("{line}\n"));
    comments.chain(lines).collect()
}

fn threads(view: &View<'_>) -> Vec<Vec<String>> {
    let header = ["task", "thread", "CPU", "core", "node", "package"].map(str::to_owned).to_vec();
    let mut rows = vec![header];
    for task in &view.placement.tasks {
        for (number, cpus) in task.threads.iter().enumerate() {
            let cpu = cpus.first().and_then(|cpu| view.machine.cpu(cpu));
            let known = |value: Option<u32>| value.map_or("?".to_owned(), |value| value.to_string());
            rows.push(vec![
                task.task.to_string(),
                number.to_string(),
                cpus.to_string(),
                known(cpu.map(|cpu| cpu.core)),
                known(cpu.and_then(|cpu| cpu.node).map(|node| node.0)),
                known(cpu.and_then(|cpu| cpu.package)),
            ]);
        }
    }
    rows
}

fn nodes(machine: &Machine, cpus: &CpuSet) -> String {
    let nodes: NodeSet = cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect();
    if nodes.is_empty() { "?".to_owned() } else { nodes.to_string() }
}
