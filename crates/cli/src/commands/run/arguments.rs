//! The options of `numawise run` as they are typed; numactl's stand in a [table](super::numactl) of their own.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use numawise_facts::{DeviceName, EquivalentTool, MemoryRequest, Order, PageSize, Smt, Strategy};
use numawise_units::{CpuSet, NodeSet};

use super::numactl::{NumactlOptions, POLICY, SHARED_MEMORY};

/// What is typed where a number of things is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a whole number from 1 to {}, in digits, such as 4", u32::MAX)]
struct NotACount;

fn count(text: &str) -> Result<NonZeroU32, NotACount> {
    text.parse().map_err(|_| NotACount)
}

/// 0 is refused with the request.
fn number(text: &str) -> Result<u32, NotACount> {
    text.parse().map_err(|_| NotACount)
}

/// Which CPUs, in our own words; numactl's stand beside.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
pub struct CpuOptions {
    /// How CPUs are chosen: local (fill a node before the next), distributed (even over all nodes), semi (inside one
    /// node), none (as the system does)
    #[arg(long, value_name = "STRATEGY")]
    pub place: Option<Strategy>,
    /// Only these CPUs, e.g. 0-3,8 or 0-14:2, or as hwloc writes them: node:1.core:0-3; without --place exactly these
    #[arg(long, value_name = "LIST", conflicts_with_all = ["physcpubind", "cpunodebind"])]
    pub cpus: Option<String>,
    /// Only CPUs of these nodes
    #[arg(long, value_name = "LIST", conflicts_with_all = ["physcpubind", "cpunodebind"])]
    pub nodes: Option<NodeSet>,
    /// Only CPUs near to a device: gpu (all GPUs), gpu:0, nic:mlx5_0, storage:nvme0n1, pci:0000:3b:00.0; numawise machine shows
    /// which there are
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["physcpubind", "cpunodebind"])]
    pub near: Option<DeviceName>,

    /// One hardware thread of every core first (spread), or all of a core before the next (compact); without --place also scatter
    /// (from package to package), balanced (as many threads on each core) or CPUs in their order: 0,3-7:2
    #[arg(long, value_name = "ORDER", help_heading = "Which CPUs in which order")]
    pub order: Option<Order>,
    /// Use every N-th CPU only
    #[arg(long, value_name = "N", help_heading = "Which CPUs in which order", value_parser = count)]
    pub step: Option<NonZeroU32>,
    /// At most so many hardware threads of a core: 1, 2, ... or all; without --threads, so many of each core
    #[arg(long, value_name = "N", help_heading = "Which CPUs in which order")]
    pub smt: Option<Smt>,
    /// Leave these CPUs alone
    #[arg(long, value_name = "LIST", help_heading = "Which CPUs in which order")]
    pub skip_cpus: Option<CpuSet>,
    /// Leave the core of the lowest CPU alone, where the system's own work runs
    #[arg(long, help_heading = "Which CPUs in which order")]
    pub skip_os_core: bool,
    /// Take the efficient cores of a hybrid processor too
    #[arg(long, help_heading = "Which CPUs in which order")]
    pub efficient_cores: bool,
}

/// Where threads and memory go, in our own words; numactl's stand beside.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
pub struct PlacementOptions {
    #[command(flatten)]
    pub cpus: CpuOptions,
    /// Where memory goes: default, local, bind[:NODES], preferred[:NODE], preferred-many:NODES, interleave[:NODES],
    /// weighted[:NODES], hbm, remote
    #[arg(long, value_name = "POLICY", group = POLICY)]
    pub memory: Option<MemoryRequest>,
    /// Number of threads of each task; fills {threads} in the command and sets OMP_NUM_THREADS. Without it, and without
    /// OMP_NUM_THREADS, one a core of the task's CPUs
    #[arg(long, value_name = "N", value_parser = number)]
    pub threads: Option<u32>,
    /// Hold each thread on one CPU (the default with --place local, distributed and semi)
    #[arg(long, conflicts_with = "no_pin")]
    pub pin: bool,
    /// Let threads move inside the CPUs of the task
    #[arg(long)]
    pub no_pin: bool,
    /// Hold OpenMP's threads only: do not load the library that pins all others
    #[arg(long)]
    pub no_preload: bool,
    /// Share the GPUs out over the tasks, near to their CPUs: sets CUDA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES or
    /// ZE_AFFINITY_MASK
    #[arg(long)]
    pub gpus: bool,
    /// In a rank that the launcher bound: use the CPUs that the launcher itself may use
    #[arg(long)]
    pub rebind: bool,

    /// Pages of the heap: huge (reserved), thp (transparent), small (no transparent ones) or default
    #[arg(long, value_name = "SIZE", help_heading = "Pages")]
    pub page_size: Option<PageSize>,
    /// With --memory weighted: write the plan's weights into the kernel before the start; needs root and changes the
    /// weights for all programs of this computer, until they are changed again
    #[arg(long, help_heading = "Pages")]
    pub global_weights: bool,

    /// Place objects that numawise objects --output FILE found, without changing the program: hbm=FILE or 1=FILE puts the most used ones that fit on
    /// these nodes, hbm=FILE:u,v those named; interleave=FILE or interleave:0-1=FILE interleaves them
    #[arg(long, value_name = "NODES|hbm=FILE[:NAMES]", help_heading = "Objects")]
    pub objects_to: Option<OsString>,
}

/// Where threads and memory go, as it was typed, and the words with which `numawise run` does the same.
#[derive(Debug, Clone, Default)]
pub struct TypedPlacement {
    pub options: PlacementOptions,
    pub numactl: NumactlOptions,
    pub words: Vec<OsString>,
}

impl clap::Args for TypedPlacement {
    fn augment_args(command: Command) -> Command {
        NumactlOptions::placing(PlacementOptions::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TypedPlacement {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(TypedPlacement {
            options: PlacementOptions::from_arg_matches(matches)?,
            numactl: NumactlOptions::from_arg_matches(matches)?,
            words: words(matches),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The options of a placement that were typed, by their long names, each in one word.
fn words(matches: &ArgMatches) -> Vec<OsString> {
    let command = TypedPlacement::augment_args(Command::new("run"));
    let mut words = Vec::new();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let Some(long) = argument.get_long() else { continue };
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        if argument.get_action().takes_values() {
            for value in matches.get_raw(id).into_iter().flatten() {
                let mut word = OsString::from(format!("--{long}="));
                word.push(value);
                words.push(word);
            }
        } else {
            words.push(format!("--{long}").into());
        }
    }
    words
}

/// Run a program with its threads and memory where you want them
///
/// Takes numactl's options with the same meaning: `numawise run -C 0-3 -m 0 ./app`.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
#[command(
    version,
    display_name = "numawise",
    after_help = "Exit status: the program's own; 125 numawise failed, 126 the program cannot be executed, 127 not \
                        found. With --copies that of the first copy that failed.\nNODES and CPUS of numactl's options: \
                        0,2-3, all, !0 (all but), +0 (relative to those allowed)."
)]
pub struct Arguments {
    #[command(flatten)]
    pub placement: PlacementOptions,

    /// Start so many copies side by side, wait for all, and show how each one ended; {task} in the command is its number
    #[arg(long, value_name = "C", value_parser = count)]
    pub copies: Option<NonZeroU32>,
    /// An input file of the program in which the same placeholders are filled for each task, in a folder that goes with the program; {template}
    /// in the command is the path of what comes of it, {template:NAME} where there are several, {template_dir} the folder that it lies in
    #[arg(long, value_name = "FILE")]
    pub template: Vec<PathBuf>,
    /// The folder in which filled input files stay instead, those of task k in FOLDER/k
    #[arg(long, value_name = "FOLDER", requires = "template")]
    pub template_dir: Option<PathBuf>,
    /// Plan for so many MPI ranks on this computer
    #[arg(long, value_name = "R", requires = "look", conflicts_with = "copies", value_parser = count)]
    pub ranks: Option<NonZeroU32>,
    /// Start nothing; show the plan, and the equivalent commands of other tools
    #[arg(long, group = "look", help_heading = "Looking first")]
    pub dry_run: bool,
    /// Start nothing; print the lines of one tool that do the same
    #[arg(long, value_name = "TOOL", group = "look", help_heading = "Looking first")]
    pub emit: Option<EquivalentTool>,
    /// The plan as JSON; with a file, there and beside the text (docs/formats/run-json.md)
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, requires = "dry_run", help_heading = "Looking first")]
    pub json: Option<Option<PathBuf>>,
    /// Write the plan as a page in HTML too, drawn on the machine
    #[arg(long, value_name = "FILE", requires = "dry_run", help_heading = "Looking first")]
    pub html: Option<PathBuf>,
    /// Plan for a recorded machine (hwloc XML) or a synthetic one
    #[arg(long, value_name = "FILE.xml|DESCRIPTION", requires = "look", help_heading = "Looking first")]
    pub input: Option<String>,
    /// Show the plan on the standard error before the program starts
    #[arg(long, short, help_heading = "Looking first")]
    pub verbose: bool,

    #[command(flatten)]
    pub numactl: NumactlOptions,

    /// The program and its arguments; {threads} stands for the number of threads, {task} for that of the task on this computer, {rank} for
    /// that of the rank in its job, {cpus} and {nodes} for the task's CPUs and their nodes, {host} for this computer
    #[arg(
        trailing_var_arg = true, value_name = "PROGRAM",
        required_unless_present_any = ["look", "show", "hardware", SHARED_MEMORY]
    )]
    pub command: Vec<OsString>,
}
