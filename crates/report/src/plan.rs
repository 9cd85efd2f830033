//! A placement: one document for the terminal and for HTML, JSON, and lines for a shell.

use numawise_facts::{
    EquivalentTool, Machine, MemoryPlan, NodeWeight, Notice, PageSize, Placement, TaskGpu, TaskPlacement,
    ThreadBinding,
};
use numawise_tables::MachinePicture;
use numawise_units::{CpuSet, NodeSet, TaskId};
use serde_json::{Value, json};

use crate::document::{Block, Column, Command, Document, Face, Opening, Row, Section, Table, section};
use crate::{notice, picture};

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

/// An input file of a task, filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct InputFile {
    pub task: TaskId,
    /// As it was named.
    pub template: String,
    pub path: String,
    /// It does not go with the program.
    pub stays: bool,
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
    /// Those that are filled in, for which no other tool has a command.
    pub inputs: &'a [InputFile],
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
        let gpu = |gpu: &TaskGpu| json!({ "gpu": gpu.gpu, "variable": gpu.runtime.variable(), "number": gpu.number });
        json!({
            "task": task.task,
            "cpus": task.cpus,
            "threads": task.threads,
            "memory": memory,
            "gpus": task.gpus.iter().map(gpu).collect::<Vec<_>>(),
        })
    };
    let notices = |notices: &[Notice]| -> Vec<Value> { notices.iter().map(notice::json).collect() };
    let commands = |commands: &ToolCommands| json!({ "tool": commands.tool, "lines": commands.lines, "missing": notices(&commands.missing) });
    let input = |file: &InputFile| json!({ "task": file.task, "template": file.template, "path": file.path, "stays": file.stays });
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
        "inputs": view.inputs.iter().map(input).collect::<Vec<_>>(),
        "equivalents": view.commands.iter().map(commands).collect::<Vec<_>>(),
    })
}

/// As a page, with the plan drawn on its machine.
pub fn page(view: &View<'_>, drawn: &MachinePicture) -> Document {
    let drawn = section("machine", "The plan on the machine", picture::blocks(drawn));
    let mut document = document(view);
    document.blocks.insert(0, Block::Only(Face::Html, Box::new(drawn)));
    document
}

/// As a document.
pub fn document(view: &View<'_>) -> Document {
    let placement = view.placement;
    let binding = match placement.binding {
        ThreadBinding::Pinned => "each thread stays on its CPU",
        ThreadBinding::Free => "threads move inside the CPUs of their task",
    };
    let note = |note| Block::Paragraph(format!("Note: {}.", notice::text(note)).into());
    let warning = |warning| Block::Paragraph(format!("warning: {}", notice::text(warning)).into());
    let mut blocks = Vec::new();
    if !view.notes.is_empty() {
        blocks.push(section("notes", "", view.notes.iter().map(note).collect()));
    }
    blocks.extend(tasks(view));
    if placement.binding == ThreadBinding::Pinned {
        blocks.push(section("threads", "", vec![Block::Table(threads(view))]));
    }
    if !placement.warnings.is_empty() {
        blocks.push(section("warnings", "", placement.warnings.iter().map(warning).collect()));
    }
    if !view.environment.is_empty() {
        blocks.push(section("environment", "The program's environment:", environment(view)));
    }
    if !view.inputs.is_empty() {
        blocks.push(section("inputs", "Input files, filled in:", inputs(view.inputs)));
    }
    blocks.extend(view.commands.iter().map(equivalent));
    Document {
        tool: "numawise run",
        title: format!("Plan for: {}", view.command),
        opening: Opening {
            headline: format!("Plan for: {}", view.command),
            sentence: Some(format!("Strategy {}; {binding}.", placement.strategy)),
            ..Opening::default()
        },
        blocks,
        charts: None,
        width: 120,
    }
}

fn command(line: String) -> Command {
    Command { tool: None, line, note: None }
}

fn environment(view: &View<'_>) -> Vec<Block> {
    let set = |(name, value): &(String, Option<String>)| Some(command(format!("{name}={}", value.as_ref()?)));
    let taken_out = |(name, value): &(String, Option<String>)| {
        value.is_none().then(|| Block::Paragraph(format!("{name} is taken out").into()))
    };
    let set = Block::Commands(view.environment.iter().filter_map(set).collect());
    std::iter::once(set).chain(view.environment.iter().filter_map(taken_out)).collect()
}

fn inputs(files: &[InputFile]) -> Vec<Block> {
    let row = |file: &InputFile| {
        [file.task.to_string(), file.template.clone(), file.path.clone()].into_iter().collect()
    };
    let columns = ["task", "template", "path"].map(Column::text).to_vec();
    let table = Table { columns, rows: files.iter().map(row).collect(), most: None };
    let stay = if files.iter().all(|file| file.stays) {
        "They stay when the program has ended."
    } else {
        "The folder is made for the program and goes with it; what the program puts beside them stays."
    };
    let none = "No other tool fills input files in: there are no equivalent commands.";
    [Block::Table(table), Block::Paragraph(stay.into()), Block::Paragraph(none.into())].into()
}

fn equivalent(commands: &ToolCommands) -> Block {
    let mut blocks = vec![if commands.lines.is_empty() {
        Block::Paragraph("(no command does this)".into())
    } else {
        Block::Commands(commands.lines.iter().cloned().map(command).collect())
    }];
    let missing = |missing| Block::Paragraph(format!("left out: {}", notice::text(missing)).into());
    blocks.extend(commands.missing.iter().map(missing));
    Block::Section(Section { id: None, title: format!("Equivalent with {}:", commands.tool), blocks })
}

fn tasks(view: &View<'_>) -> Vec<Block> {
    let shared = view.placement.tasks.iter().any(|task| !task.gpus.is_empty());
    let row = |task: &TaskPlacement| {
        let cells = [
            task.task.to_string(),
            task.threads.len().to_string(),
            task.cpus.to_string(),
            nodes(view.machine, &task.cpus),
            memory(&task.memory),
        ];
        cells.into_iter().chain(shared.then(|| gpus(task))).collect()
    };
    let mut columns = ["task", "threads", "CPUs", "on nodes", "memory"].map(Column::text).to_vec();
    columns.extend(shared.then(|| Column::text("GPUs")));
    let rows = view.placement.tasks.iter().map(row).collect();
    let ours = view.ours.map(|ours| Block::Paragraph(format!("This process is task {ours}.").into()));
    std::iter::once(Block::Table(Table { columns, rows, most: None })).chain(ours).collect()
}

fn gpus(task: &TaskPlacement) -> String {
    let numbers: Vec<String> = task.gpus.iter().map(|gpu| gpu.gpu.to_string()).collect();
    if numbers.is_empty() { "none".to_owned() } else { numbers.join(",") }
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

fn threads(view: &View<'_>) -> Table {
    let columns = ["task", "thread", "CPU", "core", "node", "package"].map(Column::text).to_vec();
    let mut rows: Vec<Row> = Vec::new();
    for task in &view.placement.tasks {
        for (number, cpus) in task.threads.iter().enumerate() {
            let cpu = cpus.first().and_then(|cpu| view.machine.cpu(cpu));
            let known = |value: Option<u32>| value.map_or("?".to_owned(), |value| value.to_string());
            let cells = [
                task.task.to_string(),
                number.to_string(),
                cpus.to_string(),
                known(cpu.map(|cpu| cpu.core)),
                known(cpu.and_then(|cpu| cpu.node).map(|node| node.0)),
                known(cpu.and_then(|cpu| cpu.package)),
            ];
            rows.push(cells.into_iter().collect());
        }
    }
    Table { columns, rows, most: None }
}

fn nodes(machine: &Machine, cpus: &CpuSet) -> String {
    let nodes: NodeSet = cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect();
    if nodes.is_empty() { "?".to_owned() } else { nodes.to_string() }
}
