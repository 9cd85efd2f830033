//! `numawise machine`: what this machine is, and what limits us on it.
//!
//! Shows packages, nodes with their CPUs, memory and its kind, distances, caches, what the firmware says of latency and
//! bandwidth, and which limit (affinity mask, cgroup, quota, memory policy) keeps us from what, told by which file, to be
//! lifted by whom. With `--input` it does the same for a machine recorded as an hwloc XML file, or for a synthetic one.

use clap::ValueEnum;

use super::{Failure, SUCCESS, Status};
use crate::show;

/// Show the machine: nodes, CPUs, memory kinds, distances, and what limits you
#[derive(clap::Args)]
pub struct Arguments {
    /// An hwloc XML file (lstopo machine.xml), or a synthetic description such as 'pack:2 core:4 pu:2'
    #[arg(long, value_name = "FILE.xml|DESCRIPTION")]
    input: Option<String>,
    /// Print JSON (docs/formats/machine-json.md)
    #[arg(long)]
    json: bool,
    /// How this machine is read: everything through hwloc, or quickly what a placement needs, without hwloc
    #[arg(long, value_enum, default_value_t = Reader::Hwloc)]
    reader: Reader,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reader {
    Hwloc,
    Sysfs,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
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
    let text = match arguments.json {
        true => format!("{:#}\n", numawise_report::machine::json(&machine)),
        false => numawise_report::machine::terminal(&machine),
    };
    show::print(&text)?;
    Ok(SUCCESS)
}
