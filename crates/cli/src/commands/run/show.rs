//! The plan as text, as JSON, and as the equivalent command of one tool.

use numawise_facts::{EquivalentTool, Machine, Notice, Placement, RunSpec};
use numawise_launch::Change;
use numawise_report::plan::{self, ToolCommands, View};

use super::super::Failure;
use super::request::Request;

/// A plan with all that is told of it.
#[derive(Debug)]
pub struct Shown<'a> {
    pub machine: &'a Machine,
    pub request: &'a Request,
    pub placement: &'a Placement,
    /// What the environment of our task gets.
    pub changes: &'a [Change],
    pub spec: &'a RunSpec,
    pub notes: &'a [Notice],
    /// Which of the tasks this process would become, where it is one of several.
    pub ours: Option<u32>,
}

impl Shown<'_> {
    pub fn text(&self) -> String {
        self.with_view(plan::text)
    }

    pub fn json(&self) -> String {
        self.with_view(|view| format!("{:#}\n", plan::json(view)))
    }

    /// The lines of one tool; what they leave out as comments of a shell.
    ///
    /// # Errors
    /// When the tool has no command for this plan.
    pub fn emitted(&self, tool: EquivalentTool) -> Result<String, Failure> {
        match self.commands().into_iter().find(|commands| commands.tool == tool) {
            Some(commands) if !commands.lines.is_empty() => Ok(plan::script(&commands)),
            Some(commands) => {
                let missing: Vec<String> =
                    commands.missing.iter().map(numawise_report::notice::text).collect();
                Err(Failure::new(format!(
                    "--emit {tool}: no command of it does this: {}",
                    missing.join("; ")
                )))
            }
            None => Err(Failure::new(format!("--emit {tool}: this plan has nothing for it to do"))),
        }
    }

    fn commands(&self) -> Vec<ToolCommands> {
        let line = |threads: u32| self.spec.shell_line_with_threads(threads);
        let steers = self.request.steers_threads;
        numawise_placement::equivalent_commands(self.machine, self.placement, steers, &line)
            .into_iter()
            .map(|commands| ToolCommands {
                tool: commands.tool,
                lines: commands.lines,
                missing: commands.missing,
            })
            .collect()
    }

    fn with_view(&self, show: impl Fn(&View<'_>) -> String) -> String {
        // What is not there need not be taken out.
        let told = |change: &&Change| change.value.is_some() || std::env::var_os(change.name).is_some();
        let environment: Vec<(String, Option<String>)> = self
            .changes
            .iter()
            .filter(told)
            .map(|change| (change.name.to_owned(), change.value.clone()))
            .collect();
        let threads = self.placement.tasks.first().map_or(0, |task| task.threads.len() as u32);
        show(&View {
            machine: self.machine,
            placement: self.placement,
            command: &self.spec.shell_line_with_threads(threads),
            environment: &environment,
            commands: &self.commands(),
            notes: self.notes,
            ours: self.ours,
        })
    }
}
