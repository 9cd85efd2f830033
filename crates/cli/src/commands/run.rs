//! `numawise run`: run a program with its threads and its memory where you want them.
//!
//! CPUs come from a strategy (`--place local|distributed|semi|none`), from lists (`--cpus`, `--nodes`), or from numactl's
//! own options (`-C`, `-N`), which have the same meaning and syntax here; memory from `--memory POLICY` or from numactl's
//! options (`-m`, `-i`, `-w`, `-p`, `-P`, `-l`). numawise becomes the program: there is no process in between, and the exit
//! status is the program's own. `--copies` starts several side by side and waits for them. In a rank of an MPI job the plan
//! is made for all ranks of the computer, and each takes its part. `--dry-run` starts nothing and shows the plan, `--emit`
//! prints the equivalent commands of one tool. `--template` fills input files in for each task; a process of ours that stands beside takes them away
//! when the program has ended.
//!
//! With lists of CPUs and nodes nothing is read of the machine but what we may use; a strategy reads nodes, cores and
//! packages. Only where that does not do (an error to be explained, a kind of memory) is the machine looked at in full.

mod arguments;
mod copies;
mod numactl;
mod objects_to;
mod request;
mod shared_memory;
mod show;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use numawise_facts::Argument;
use numawise_linux::calls::inherited;
use numawise_machine::Roots;
use numawise_report::document::Style;
use numawise_report::notice;
use numawise_session::plan::{self, Explanation, RunRequest, TaskCount};

pub use arguments::{Arguments, CpuOptions, TypedPlacement};
pub use numactl::{NumactlOptions, scan};
pub use request::{on_cpus, placed};

use super::{Failure, SUCCESS, Status};
use crate::exit::all_well;
use crate::files;
use crate::streams;
use request::{PlanFormat, RunAction};

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    match request::action(arguments)? {
        RunAction::ShowOwn => print(&numawise_report::numactl::show(&plan::own_placement()?)),
        RunAction::ShowHardware(numbers) => {
            print(&numawise_report::numactl::hardware(&numawise_machine::quick(&Roots::live())?, numbers))
        }
        RunAction::Display { mut request, input, format, faces } => {
            inherited::unblock_signals();
            let read: Vec<&Path> = input.as_deref().map(Path::new).into_iter().collect();
            files::check(&faces.outputs(), &read)?;
            if request.command.command.is_empty() {
                request.command.command.push(Argument::from("PROGRAM"));
            }
            let plan = plan::for_display(&request, input.as_deref(), &environment)?;
            let page = faces.html.is_some().then(|| show::page(&plan, &request.command)).transpose()?;
            let as_json = || show::shown(&plan, &request.command, PlanFormat::Json);
            let json = faces.json.file().map(|_| as_json()).transpose()?;
            let printed = print(&show::shown(&plan, &request.command, format)?).map(|_| ());
            let written = faces.write(|| json.unwrap_or_default(), || page.unwrap_or_default());
            all_well([printed].into_iter().chain(written))?;
            Ok(SUCCESS)
        }
        RunAction::SharedMemory(request) => {
            let findings = numawise_session::shared_memory::carry_out(&request)?;
            print(&numawise_report::numactl::shared(&findings))
        }
        RunAction::Start(request) => start(&request),
    }
}

/// What [`scan`] took: numactl's options and nothing else.
pub fn run_numactl(options: &NumactlOptions, command: Vec<OsString>) -> Result<Status, Failure> {
    start(&request::of_numactl(options, command)?)
}

fn start(request: &RunRequest) -> Result<Status, Failure> {
    let plan = plan::for_start(request, &environment)?;
    for warning in &plan.warnings {
        streams::say(&format!("warning: {}", notice::text(warning)));
    }
    if request.explain == Explanation::EachRank {
        streams::say_text(&show::text(&plan, &request.command, Style::plain())?);
    }
    plan.write_inputs(request.tasks, &say_left)?;
    if matches!(request.tasks, TaskCount::Copies(_)) {
        inherited::unblock_signals();
        return copies::run(request, &plan);
    }
    let Err(error) = plan.become_program(&request.command);
    Err(error.into())
}

/// Said when the program has ended.
fn say_left(folders: &[PathBuf]) {
    let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    streams::say(&format!(
        "what the program has put beside its input files stays in {}; --template-dir FOLDER puts it elsewhere",
        folders.join(", ")
    ));
}

fn print(text: &str) -> Result<Status, Failure> {
    streams::print(text)?;
    Ok(SUCCESS)
}

pub fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
