//! The options of `numawise run` as they are typed.

use std::ffi::OsString;
use std::num::NonZeroU32;

use numawise_facts::{Balancing, EquivalentTool, MemoryRequest, Order, PageSize, Smt, Strategy};
use numawise_units::{CpuSet, NodeSet};

use super::shared_memory::SharedMemory;

/// Run a program with its threads and memory where you want them
///
/// Takes numactl's options with the same meaning: `numawise run -C 0-3 -m 0 ./app`.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
#[command(
    after_help = "Exit status: the program's own; 125 numawise failed, 126 the program cannot be executed, 127 not \
                        found. With --copies that of the first copy that failed.\nNODES and CPUS of numactl's options: \
                        0,2-3, all, !0 (all but), +0 (relative to those allowed)."
)]
pub struct Arguments {
    /// How CPUs are chosen: local (fill a node before the next), distributed (even over all nodes), semi (inside one
    /// node), none (as the system does)
    #[arg(long, value_name = "STRATEGY")]
    pub place: Option<Strategy>,
    /// Where memory goes: default, local, bind[:NODES], preferred[:NODE], preferred-many:NODES, interleave[:NODES],
    /// weighted[:NODES], hbm, remote
    #[arg(long, value_name = "POLICY", group = "policy")]
    pub memory: Option<MemoryRequest>,
    /// Number of threads of each task; fills {threads} in the command and sets OMP_NUM_THREADS
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,
    /// Start so many copies side by side, wait for all, and show how each one ended; {task} in the command is its number
    #[arg(long, value_name = "C")]
    pub copies: Option<NonZeroU32>,
    /// Plan for so many MPI ranks on this computer
    #[arg(long, value_name = "R", requires = "look", conflicts_with = "copies")]
    pub ranks: Option<NonZeroU32>,
    /// Hold each thread on one CPU (the default with --place local, distributed and semi)
    #[arg(long, overrides_with = "no_pin")]
    pub pin: bool,
    /// Let threads move inside the CPUs of the task
    #[arg(long, overrides_with = "pin")]
    pub no_pin: bool,
    /// Hold OpenMP's threads only: do not load the library that pins all others
    #[arg(long)]
    pub no_preload: bool,
    /// Only these CPUs, e.g. 0-3,8 or 0-14:2, or as hwloc writes them: node:1.core:0-3; without --place exactly these
    #[arg(long, value_name = "LIST", conflicts_with_all = ["physcpubind", "cpunodebind"])]
    pub cpus: Option<String>,
    /// Only CPUs of these nodes
    #[arg(long, value_name = "LIST", conflicts_with_all = ["physcpubind", "cpunodebind"])]
    pub nodes: Option<NodeSet>,
    /// In a rank that the launcher bound: use the CPUs that the launcher itself may use
    #[arg(long)]
    pub rebind: bool,

    /// One hardware thread of every core first (spread), or all of a core before the next (compact)
    #[arg(long, value_name = "ORDER", help_heading = "Which CPUs in which order")]
    pub order: Option<Order>,
    /// The k-th thread on every N-th CPU
    #[arg(long, value_name = "N", help_heading = "Which CPUs in which order")]
    pub step: Option<NonZeroU32>,
    /// At most so many hardware threads of a core: 1, 2, ... or all
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

    /// Pages of the heap: huge (reserved), thp (transparent), small (no transparent ones) or default
    #[arg(long, value_name = "SIZE", help_heading = "Pages")]
    pub page_size: Option<PageSize>,
    /// NUMA balancing of the kernel for this program: on (also for memory that --membind binds; numactl's option), off
    #[arg(
        long, short, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
        help_heading = "Pages", aliases = short("balancing", 1)
    )]
    pub balancing: Option<Balancing>,
    /// With --memory weighted: write the plan's weights into the kernel before the start; needs root and changes the
    /// weights for all programs of this computer, until they are changed again
    #[arg(long, help_heading = "Pages")]
    pub global_weights: bool,

    /// Start nothing; show the plan, and the equivalent commands of other tools
    #[arg(long, group = "look", help_heading = "Looking first")]
    pub dry_run: bool,
    /// Start nothing; print the lines of one tool that do the same
    #[arg(long, value_name = "TOOL", group = "look", help_heading = "Looking first")]
    pub emit: Option<EquivalentTool>,
    /// The plan as JSON (docs/formats/run-json.md)
    #[arg(long, requires = "dry_run", help_heading = "Looking first")]
    pub json: bool,
    /// Plan for a recorded machine (hwloc XML) or a synthetic one
    #[arg(long, value_name = "FILE.xml|DESCRIPTION", requires = "look", help_heading = "Looking first")]
    pub input: Option<String>,
    /// Show the plan on the standard error before the program starts
    #[arg(long, short, help_heading = "Looking first")]
    pub verbose: bool,

    /// CPUs of these nodes; of several -N and -C the last one counts
    #[arg(
        long, short = 'N', value_name = "NODES", alias = "cpubind", short_alias = 'c', help_heading = NUMACTL,
        aliases = short("cpunodebind", 4).chain(short("cpubind", 4)),
        overrides_with_all = ["cpunodebind", "physcpubind"]
    )]
    pub cpunodebind: Option<String>,
    /// These CPUs
    #[arg(
        long, short = 'C', value_name = "CPUS", help_heading = NUMACTL, aliases = short("physcpubind", 2),
        overrides_with_all = ["cpunodebind", "physcpubind"]
    )]
    pub physcpubind: Option<String>,
    /// Memory only from these nodes
    #[arg(
        long, short = 'm', value_name = "NODES", group = "policy", help_heading = NUMACTL,
        aliases = short("membind", 1)
    )]
    pub membind: Option<String>,
    /// Memory from these nodes in turn
    #[arg(
        long, short = 'i', value_name = "NODES", group = "policy", help_heading = NUMACTL,
        aliases = short("interleave", 1)
    )]
    pub interleave: Option<String>,
    /// Memory from these nodes in turn, as much as their weights say
    #[arg(
        long, short = 'w', value_name = "NODES", group = "policy", help_heading = NUMACTL,
        aliases = short("weighted-interleave", 1)
    )]
    pub weighted_interleave: Option<String>,
    /// Memory from this node while it has some
    #[arg(long, short = 'p', value_name = "NODE", group = "policy", help_heading = NUMACTL)]
    pub preferred: Option<String>,
    /// Memory from these nodes while they have some
    #[arg(
        long, short = 'P', value_name = "NODES", group = "policy", help_heading = NUMACTL,
        aliases = short("preferred-many", 10)
    )]
    pub preferred_many: Option<String>,
    /// Memory from the node of the CPU that touches it first
    #[arg(long, short = 'l', group = "policy", help_heading = NUMACTL, aliases = short("localalloc", 2))]
    pub localalloc: bool,
    /// CPUs that the cgroup allows, also where our affinity mask does not
    #[arg(long, short = 'a', help_heading = NUMACTL, aliases = short("all", 1))]
    pub all: bool,
    /// Print CPUs and memory policy of this process as numactl does, and start nothing
    #[arg(long, short, exclusive = true, help_heading = NUMACTL, aliases = short("show", 3))]
    pub show: bool,
    /// Print nodes and distances as numactl does, and start nothing; `numawise machine` says more
    #[arg(long, short = 'H', exclusive = true, help_heading = NUMACTL, aliases = short("hardware", 2))]
    pub hardware: bool,
    #[command(flatten)]
    pub shared_memory: SharedMemory,

    /// The program and its arguments; {threads} stands for the number of threads, {task} for that of the task
    #[arg(
        trailing_var_arg = true, value_name = "PROGRAM",
        required_unless_present_any = ["look", "show", "hardware", "shared_memory"]
    )]
    pub command: Vec<OsString>,
}

const NUMACTL: &str = "numactl's options";

/// The abbreviations that getopt takes for a name: its beginnings from `least` letters on. They are numactl's, so that no
/// option of ours may be meant by them.
pub fn short(name: &'static str, least: usize) -> impl Iterator<Item = &'static str> {
    (least..name.len()).map(move |length| &name[..length])
}
