//! `numawise machine`: what this machine is, and what limits us on it.
//!
//! Shows packages, nodes with their CPUs, memory and its kind, distances, caches, what the firmware says of latency and
//! bandwidth, and which limit (affinity mask, cgroup, quota, memory policy) keeps us from what, told by which file, to be
//! lifted by whom. With `--input` it does the same for a machine recorded as an hwloc XML file, or for a synthetic one. Where
//! this machine has been measured, it says that too. `--html` writes a page on which the machine is drawn.
//!
//! `numawise machine measure` measures latency and bandwidth of its memory, `numawise machine compare` shows two such profiles
//! side by side.

mod compare;
mod measure;
mod print;
mod progress;

use std::path::Path;

use clap::{Subcommand, ValueEnum};
use numawise_facts::Machine;
use numawise_report::{document, notice};
use numawise_session::here;

use super::{Failure, SUCCESS, Status};
use crate::faces::Faces;
use crate::{files, streams};

/// Show the machine: nodes, CPUs, memory kinds, distances, and what limits you; measure its memory
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// An hwloc XML file (lstopo machine.xml), or a synthetic description such as 'pack:2 core:4 pu:2'
    #[arg(long, value_name = "FILE.xml|DESCRIPTION")]
    input: Option<String>,
    #[command(flatten)]
    faces: Faces,
    /// How this machine is read: everything through hwloc, or quickly what a placement needs, without hwloc
    #[arg(long, value_enum, default_value_t = Reader::Hwloc)]
    reader: Reader,
}

#[derive(Subcommand)]
enum Action {
    Measure(Box<measure::Arguments>),
    Compare(compare::Arguments),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reader {
    Hwloc,
    Sysfs,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    match arguments.action {
        Some(Action::Measure(arguments)) => return measure::run(*arguments),
        Some(Action::Compare(arguments)) => return compare::run(arguments),
        None => {}
    }
    let read: Vec<&Path> = arguments.input.as_deref().map(Path::new).into_iter().collect();
    files::check(&arguments.faces.outputs(), &read)?;
    let live = arguments.input.is_none();
    let machine = match (arguments.input, arguments.reader) {
        (Some(_), Reader::Sysfs) => {
            return Err(Failure::new(
                "--reader sysfs reads the machine that runs, and --input names another one; leave one of them out",
            ));
        }
        (Some(input), Reader::Hwloc) => numawise_machine::from_input(&input)?,
        (None, Reader::Hwloc) => numawise_machine::live()?,
        (None, Reader::Sysfs) => numawise_machine::live_without_hwloc()?,
    };
    let (machine, saved) = if live { here::with_newest_profile(machine) } else { (machine, None) };
    let saved = saved.filter(|_| arguments.reader == Reader::Hwloc);
    let measured = saved.map(|saved| {
        let tables = numawise_analyse::profile(&saved.profile, Some(&machine));
        (saved.profile, tables)
    });
    let measured = measured.as_ref().map(|(profile, tables)| (profile, tables));
    let page = || {
        let drawn = numawise_analyse::picture(&machine, None);
        document::html(&numawise_report::machine::page(&machine, &drawn, measured))
    };
    arguments.faces.put(
        || document::terminal(&numawise_report::machine::document(&machine, measured), streams::style()),
        || format!("{:#}\n", numawise_report::machine::json(&machine)),
        page,
    )?;
    Ok(SUCCESS)
}

/// The machine in full, with a line on stderr where it had to be read another way.
pub(super) fn this_machine() -> Result<Machine, Failure> {
    let here = here::full()?;
    here.notices.iter().for_each(|notice| streams::say(&notice::text(notice)));
    Ok(here.machine)
}
