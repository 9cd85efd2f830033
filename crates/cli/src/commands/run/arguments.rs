//! The options of `numawise run` as they are typed.

use std::ffi::OsString;

use numawise_facts::{MemoryRequest, Strategy};
use numawise_units::{CpuSet, NodeSet};

/// Run a program with its threads and memory where you want them
///
/// Takes numactl's options with the same meaning: `numawise run -C 0-3 -m 0 ./app`.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
#[command(
    after_help = "Exit status: the program's own; 125 numawise failed, 126 the program cannot be executed, 127 not \
                        found.\nNODES and CPUS of numactl's options: 0,2-3, all, !0 (all but), +0 (relative to those \
                        allowed)."
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
    /// Number of threads; fills {threads} in the command and sets OMP_NUM_THREADS
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,
    /// Hold each thread on one CPU (the default with --place local, distributed and semi)
    #[arg(long, overrides_with = "no_pin")]
    pub pin: bool,
    /// Let threads move inside the CPUs of the task
    #[arg(long, overrides_with = "pin")]
    pub no_pin: bool,
    /// Only these CPUs, e.g. 0-3,8 or 0-14:2; without --place exactly these
    #[arg(long, value_name = "LIST", conflicts_with_all = ["physcpubind", "cpunodebind"])]
    pub cpus: Option<CpuSet>,
    /// Only CPUs of these nodes
    #[arg(long, value_name = "LIST", conflicts_with_all = ["physcpubind", "cpunodebind"])]
    pub nodes: Option<NodeSet>,
    /// Start nothing; show the plan, and the same in the words of other tools
    #[arg(long)]
    pub dry_run: bool,
    /// The plan as JSON (docs/formats/run-json.md)
    #[arg(long, requires = "dry_run")]
    pub json: bool,
    /// Plan for a recorded machine (hwloc XML) or a synthetic one
    #[arg(long, value_name = "FILE.xml|DESCRIPTION", requires = "dry_run")]
    pub input: Option<String>,
    /// Show the plan on the standard error before the program starts
    #[arg(long, short)]
    pub verbose: bool,

    /// CPUs of these nodes; of several -N and -C the last one counts
    #[arg(
        long, short = 'N', value_name = "NODES", alias = "cpubind", short_alias = 'c', help_heading = "numactl's options",
        overrides_with_all = ["cpunodebind", "physcpubind"]
    )]
    pub cpunodebind: Option<String>,
    /// These CPUs
    #[arg(
        long, short = 'C', value_name = "CPUS", help_heading = "numactl's options",
        overrides_with_all = ["cpunodebind", "physcpubind"]
    )]
    pub physcpubind: Option<String>,
    /// Memory only from these nodes
    #[arg(long, short = 'm', value_name = "NODES", group = "policy", help_heading = "numactl's options")]
    pub membind: Option<String>,
    /// Memory from these nodes in turn
    #[arg(long, short = 'i', value_name = "NODES", group = "policy", help_heading = "numactl's options")]
    pub interleave: Option<String>,
    /// Memory from these nodes in turn, as much as their weights say
    #[arg(long, short = 'w', value_name = "NODES", group = "policy", help_heading = "numactl's options")]
    pub weighted_interleave: Option<String>,
    /// Memory from this node while it has some
    #[arg(long, short = 'p', value_name = "NODE", group = "policy", help_heading = "numactl's options")]
    pub preferred: Option<String>,
    /// Memory from these nodes while they have some
    #[arg(long, short = 'P', value_name = "NODES", group = "policy", help_heading = "numactl's options")]
    pub preferred_many: Option<String>,
    /// Memory from the node of the CPU that touches it first
    #[arg(long, short = 'l', group = "policy", help_heading = "numactl's options")]
    pub localalloc: bool,

    /// The program and its arguments; {threads} stands for the number of threads
    #[arg(trailing_var_arg = true, value_name = "PROGRAM", required_unless_present = "dry_run")]
    pub command: Vec<OsString>,
}
