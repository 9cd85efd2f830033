//! `numawise machine measure`: latency and bandwidth of this machine's memory, measured and kept; or a saved profile again.
//!
//! Without options: idle latency and bandwidth of every pair of nodes, every mix, working sets, and the curve under load on own
//! memory, in less than half a minute on most machines. `--quick` takes a few seconds, `--full` measures everything. The profile is saved below the data directory, and
//! found there by `--load latest`, by `numawise machine`, and by whoever else needs it. Exit status: 0, 130 after Ctrl-C (what
//! was done until then is kept and shown), 125 as everywhere.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use numawise_facts::{Depth, Fingerprint, Machine, Mix, Profile, Reading};
use numawise_machine::Roots;
use numawise_membench::Request;
use numawise_report::notice;
use numawise_session::profiles::{self, ProfileChoice, ProfileOwner};
use numawise_units::{Bytes, NodeSet};

use super::print::{self, Output};
use super::progress::Progress;
use crate::commands::check::{INTERRUPTED, interruptible};
use crate::commands::{Failure, SUCCESS, Status};
use crate::show;

/// Measure latency and bandwidth of this machine's memory, or show what was measured
#[derive(clap::Args)]
pub struct Arguments {
    /// In a few seconds: idle latency and read bandwidth of every pair, and the machine's peak
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Everything: also curves under load for every pair and mix, and transfers between all cores
    #[arg(long)]
    full: bool,
    /// Only these mixes of reads and writes: read, 3:1, 2:1, 1:1, triad, nt-write
    #[arg(long, value_name = "MIX", num_args = 1.., value_delimiter = ',')]
    mix: Vec<Mix>,
    /// Only CPUs and memory of these nodes, e.g. 0-1
    #[arg(long, value_name = "LIST")]
    nodes: Option<NodeSet>,
    /// Most memory to take on a node, e.g. 2GiB [default: a quarter of what is free]
    #[arg(long, value_name = "SIZE")]
    max_memory: Option<Bytes>,
    /// Seed of orders and permutations [default: drawn]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Save the profile in this file, not below the data directory
    #[arg(long, value_name = "FILE", conflicts_with = "no_save")]
    save: Option<PathBuf>,
    /// Save nothing
    #[arg(long)]
    no_save: bool,
    /// Measure nothing; show a saved profile, a text that Intel's Memory Latency Checker printed, or 'latest'
    #[arg(
        long,
        value_name = "FILE|latest",
        conflicts_with_all = ["quick", "full", "mix", "nodes", "max_memory", "seed", "no_save", "dry_run"]
    )]
    load: Option<ProfileChoice>,
    /// Write the machine with the figures as hwloc XML too (lstopo -i FILE --memattrs shows them)
    #[arg(long, value_name = "FILE")]
    hwloc_xml: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
    /// Say what would be measured, and measure nothing
    #[arg(long)]
    dry_run: bool,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    arguments.output.check()?;
    if let Some(path) = &arguments.hwloc_xml {
        show::writable_as("--hwloc-xml", path)?;
    }
    if let Some(path) = &arguments.save {
        numawise_record::profile_may_be_saved(path)?;
    }
    match &arguments.load {
        Some(choice) => load(choice, &arguments),
        None => measure(&arguments),
    }
}

/// Shows a saved profile.
fn load(choice: &ProfileChoice, arguments: &Arguments) -> Result<Status, Failure> {
    let here = profiles::fingerprint()?;
    let loaded = print::load(choice, &here)?;
    if let Some(origin) = profiles::origin_notice(&loaded.profile, &loaded.path, &here) {
        eprintln!("numawise: {}", notice::text(&origin));
    }
    let owner = profiles::owner(&loaded.profile, &here);
    if let Some(path) = &arguments.hwloc_xml {
        if owner == ProfileOwner::AnotherMachine {
            return Err(Failure::new(format!(
                "--hwloc-xml {}: {} is of another machine, and hwloc describes this one; do it there",
                path.display(),
                loaded.path.display()
            )));
        }
        write_hwloc_xml(path, &loaded.profile)?;
    }
    if let Some(path) = &arguments.save {
        numawise_record::save_profile(path, &loaded.profile)?;
    }
    let machine = if owner == ProfileOwner::ThisMachine { Some(super::this_machine()?) } else { None };
    let saved = arguments.save.as_ref().unwrap_or(&loaded.path);
    arguments.output.profile(&loaded.profile, machine.as_ref(), Some(saved))?;
    Ok(SUCCESS)
}

fn measure(arguments: &Arguments) -> Result<Status, Failure> {
    let machine = super::this_machine()?;
    let fingerprint = numawise_machine::fingerprint(&Roots::live(), &machine);
    let request = request(arguments, &machine, fingerprint)?;
    if arguments.dry_run {
        return dry_run(arguments, &machine, &request);
    }
    let stop = interruptible()?;
    let mut progress = Progress::new(arguments.output.is_json());
    let profile = numawise_membench::measure(&machine, &request, &mut progress, &stop);
    drop(progress);
    let interrupted = |stop: &AtomicBool| stop.load(Ordering::Relaxed);
    let profile = match profile {
        Ok(profile) if interrupted(&stop) && is_empty(&profile) => {
            return Err(Failure::with_status(
                INTERRUPTED,
                "interrupted before anything was measured; nothing is saved",
            ));
        }
        Ok(profile) => profile,
        Err(error) if interrupted(&stop) => return Err(Failure::with_status(INTERRUPTED, error.to_string())),
        Err(error) => return Err(error.into()),
    };
    // What took minutes to measure is shown wherever it cannot be written.
    let saved = save(arguments, &profile);
    let path = saved.as_ref().ok().and_then(Option::as_deref);
    let written = match &arguments.hwloc_xml {
        Some(path) => write_hwloc_xml(path, &profile),
        None => Ok(()),
    };
    arguments.output.profile(&profile, Some(&machine), path)?;
    saved.and(written)?;
    Ok(if interrupted(&stop) { INTERRUPTED } else { SUCCESS })
}

/// Where a profile goes.
enum Place<'a> {
    /// Below the data directory, where the newest one is what everybody uses.
    Profiles,
    File(&'a Path),
    /// Nowhere, and why.
    Nowhere(&'static str),
}

impl Arguments {
    fn place(&self) -> Place<'_> {
        match &self.save {
            Some(path) => Place::File(path),
            None if self.no_save => Place::Nowhere("--no-save"),
            None if self.nodes.is_some() || !self.mix.is_empty() => Place::Nowhere(
                "with --nodes or --mix it is not of the whole machine, and would hide one that is; --save FILE keeps it",
            ),
            None => Place::Profiles,
        }
    }
}

/// Saves the profile where that is wanted, and says where. That a default place cannot be written is a warning; a file that was
/// asked for is a failure.
fn save(arguments: &Arguments, profile: &Profile) -> Result<Option<PathBuf>, Failure> {
    let saved = match arguments.place() {
        Place::Nowhere(why) => Err(Failure::new(why)),
        Place::File(path) => {
            numawise_record::save_profile(path, profile)?;
            return Ok(Some(path.to_owned()));
        }
        Place::Profiles => {
            profiles::folder().map_err(Failure::from).and_then(|profiles| Ok(profiles.save(profile)?))
        }
    };
    Ok(match saved {
        Ok(path) => {
            eprintln!("numawise: saved in {}", path.display());
            Some(path)
        }
        Err(failure) => {
            if !arguments.no_save {
                eprintln!("numawise: not saved: {}", failure.message());
            }
            None
        }
    })
}

fn write_hwloc_xml(path: &Path, profile: &Profile) -> Result<(), Failure> {
    print::write(path, &numawise_machine::hwloc_xml(profile)?, "the machine for hwloc")
}

/// The validated request.
fn request(arguments: &Arguments, machine: &Machine, fingerprint: Fingerprint) -> Result<Request, Failure> {
    let there: NodeSet = machine.nodes.iter().map(|node| node.id).collect();
    let nodes = match &arguments.nodes {
        Some(nodes) if nodes.is_empty() => {
            return Err(Failure::new(format!("--nodes '': no node; expected a list of {there}")));
        }
        Some(nodes) if !nodes.is_subset(&there) => {
            let (bad, s) = (nodes.difference(&there), if there.len() == 1 { "" } else { "s" });
            return Err(Failure::new(format!(
                "--nodes {nodes}: there is no node {bad}; this machine has node{s} {there}"
            )));
        }
        Some(nodes) => nodes.clone(),
        None => NodeSet::new(),
    };
    let mut mixes = arguments.mix.clone();
    mixes.sort_unstable();
    mixes.dedup();
    Ok(Request {
        depth: match (arguments.quick, arguments.full) {
            (true, _) => Depth::Quick,
            (_, true) => Depth::Full,
            _ => Depth::Standard,
        },
        fingerprint,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        mixes,
        nodes,
        most_memory: arguments.max_memory,
        // The low digits of the clock are as good as drawn.
        seed: arguments.seed.unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            now.as_nanos() as u64
        }),
    })
}

/// Whether there is no figure at all.
fn is_empty(profile: &Profile) -> bool {
    let some = profile.latency.iter().any(|c| is(&c.latency) || is(&c.with_tlb_misses))
        || profile.working_sets.iter().flat_map(|curve| &curve.points).any(|point| is(&point.latency))
        || profile.bandwidth.iter().any(|cell| is(&cell.rate))
        || profile
            .loaded
            .iter()
            .any(|curve| curve.points.measured().is_some_and(|points| !points.is_empty()))
        || profile.transfers.iter().any(|transfer| is(&transfer.latency));
    !some
}

fn is<T>(reading: &Reading<T>) -> bool {
    reading.measured().is_some()
}

fn dry_run(arguments: &Arguments, machine: &Machine, request: &Request) -> Result<Status, Failure> {
    let plan = numawise_membench::plan(machine, request);
    let (steps, s) = (plan.steps.len(), if plan.steps.len() == 1 { "" } else { "s" });
    let mut text = format!(
        "Would measure in {steps} step{s}, depth {}, in about {}, at most {}:\n",
        request.depth,
        plan.expected(),
        plan.budget
    );
    for step in &plan.steps {
        text += &format!("  {:>9}  {}\n", step.expected.to_string(), step.what);
    }
    for remark in &plan.remarks {
        text += &format!("{remark}\n");
    }
    let place = match arguments.place() {
        Place::File(path) => Ok(path.to_owned()),
        Place::Nowhere(why) => Err(Failure::new(why)),
        Place::Profiles => {
            profiles::folder().map_err(Failure::from).map(|profiles| profiles.folder().to_owned())
        }
    };
    text += &match place {
        Ok(path) => format!("Would save it in {}.\n", path.display()),
        Err(failure) => format!("Would not save it: {}.\n", failure.message()),
    };
    show::print(&text)?;
    Ok(SUCCESS)
}
