//! The plan as text, as JSON, and in the words of one tool.

use numawise_facts::{Machine, Placement, RunSpec};
use numawise_launch::Change;
use numawise_report::plan::{self, ToolWords, View};

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
    pub notes: &'a [String],
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
    /// When there is no such tool, or it has no line for this plan.
    pub fn emitted(&self, tool: &str) -> Result<String, Failure> {
        let known = numawise_placement::tools();
        if !known.contains(&tool) {
            return Err(Failure::new(format!("--emit {tool}: there are words for {}", known.join(", "))));
        }
        let words = self.words().into_iter().find(|words| words.tool == tool);
        match words {
            Some(words) if !words.lines.is_empty() => Ok(plan::script(&words)),
            Some(words) => Err(Failure::new(format!(
                "--emit {tool}: no line of it says this plan: {}",
                words.missing.join("; ")
            ))),
            None => Err(Failure::new(format!("--emit {tool}: this plan has nothing for it to say"))),
        }
    }

    fn words(&self) -> Vec<ToolWords> {
        let line = |threads: u32| self.spec.shell_line_with_threads(threads);
        let equivalents =
            numawise_placement::equivalents(self.machine, self.placement, self.request.steers_threads, &line);
        let words = |words: numawise_placement::Equivalent| ToolWords {
            tool: words.tool.to_owned(),
            lines: words.lines,
            missing: words.missing,
        };
        equivalents.into_iter().map(words).collect()
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
            words: &self.words(),
            notes: self.notes,
            ours: self.ours,
        })
    }
}
