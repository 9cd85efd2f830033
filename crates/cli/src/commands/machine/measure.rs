//! `numawise machine measure`: latency and bandwidth of this machine's memory, measured and kept; or a saved profile again.
//!
//! Without options: idle latency and bandwidth of every pair of nodes, every mix, working sets, and the curve under load on local
//! memory, in less than half a minute on most machines. `--quick` takes a few seconds, `--full` measures everything. The profile is saved below the data directory, and
//! found there by `--load latest`, by `numawise machine`, and by whoever else needs it. Exit status: 0, 130 after Ctrl-C (what
//! was done until then is kept and shown), 125 as everywhere.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use numawise_facts::{Depth, Mix, Profile};
use numawise_report::notice;
use numawise_session::measure::{Destination, MeasureRequest, MemoryBenchmark, NotSaved, SaveRequest};
use numawise_session::profiles::{self, ProfileChoice, ProfileOwner};
use numawise_units::{Bytes, NodeSet};

use super::print::{self, Output};
use super::progress::Progress;
use crate::exit::{Failure, INTERRUPTED, SUCCESS, Status, all_well, interruptible};
use crate::files::{self, FileContent, OutputFile};
use crate::streams;

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
    /// Seed of orders and permutations [default: random]
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
    let read: Vec<&ProfileChoice> = arguments.load.iter().collect();
    arguments.output.check(&arguments.files(), &read)?;
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
        streams::say(&notice::text(&origin));
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
        numawise_profiles::save_profile(path, &loaded.profile)?;
    }
    let machine = if owner == ProfileOwner::ThisMachine { Some(super::this_machine()?) } else { None };
    let saved = arguments.save.as_ref().unwrap_or(&loaded.path);
    arguments.output.profile(&loaded.profile, machine.as_ref(), Some(saved))?;
    Ok(SUCCESS)
}

fn measure(arguments: &Arguments) -> Result<Status, Failure> {
    let benchmark = MemoryBenchmark::new(arguments.request(), super::this_machine()?)?;
    if arguments.dry_run {
        return show_plan(&benchmark);
    }
    let stop = interruptible()?;
    let mut progress = Progress::new(arguments.output.is_json());
    let profile = benchmark.run(&mut progress, &stop);
    drop(progress);
    let profile = profile?;
    // What took minutes to measure is shown wherever it cannot be written.
    let saved = save(&benchmark, &profile);
    let path = saved.as_ref().ok().and_then(Option::as_deref);
    let written = match &arguments.hwloc_xml {
        Some(path) => write_hwloc_xml(path, &profile),
        None => Ok(()),
    };
    let shown = arguments.output.profile(&profile, Some(benchmark.machine()), path);
    all_well([saved.map(drop), written, shown])?;
    Ok(if stop.load(Ordering::Relaxed) { INTERRUPTED } else { SUCCESS })
}

impl Arguments {
    /// What is to be written, but for the report.
    fn files(&self) -> Vec<OutputFile<'_>> {
        let file = |option, path, content| OutputFile { option, path, content };
        let xml = self.hwloc_xml.iter().map(|path| file("--hwloc-xml", path, FileContent::Page));
        xml.chain(self.save.iter().map(|path| file("--save", path, FileContent::Profile))).collect()
    }

    fn request(&self) -> MeasureRequest {
        MeasureRequest {
            depth: match (self.quick, self.full) {
                (true, _) => Depth::Quick,
                (_, true) => Depth::Full,
                _ => Depth::Standard,
            },
            mixes: self.mix.clone(),
            nodes: self.nodes.clone(),
            max_memory: self.max_memory,
            seed: self.seed,
            save: match &self.save {
                Some(path) => SaveRequest::File(path.clone()),
                None if self.no_save => SaveRequest::Nowhere,
                None => SaveRequest::InFolder,
            },
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Saves the profile where that is wanted, and says where. That the folder of profiles cannot be written is a warning; a file that
/// was named is a failure.
fn save(benchmark: &MemoryBenchmark, profile: &Profile) -> Result<Option<PathBuf>, Failure> {
    Ok(match benchmark.save(profile)? {
        Ok(path) => {
            // Who has named the file knows it.
            if let Destination::InFolder(_) = benchmark.destination() {
                streams::say(&format!("saved in {}", path.display()));
            }
            Some(path)
        }
        Err(NotSaved::NotWanted) => None,
        Err(other) => {
            streams::say(&format!("not saved: {}", why(other)));
            None
        }
    })
}

fn why(not_saved: NotSaved) -> String {
    match not_saved {
        NotSaved::NotWanted => "--no-save".to_owned(),
        NotSaved::Partial => {
            "with --nodes or --mix it is not of the whole machine, and would hide one that is; --save FILE keeps it"
                .to_owned()
        }
        NotSaved::Failed(error) => Failure::from(*error).message().to_owned(),
    }
}

fn write_hwloc_xml(path: &Path, profile: &Profile) -> Result<(), Failure> {
    files::write(path, &numawise_machine::hwloc_xml(profile)?, "the machine for hwloc")
}

fn show_plan(benchmark: &MemoryBenchmark) -> Result<Status, Failure> {
    let plan = benchmark.plan();
    let (steps, s) = (plan.steps.len(), if plan.steps.len() == 1 { "" } else { "s" });
    let mut text = format!(
        "Would measure in {steps} step{s}, depth {}, in about {}, at most {}:\n",
        benchmark.depth(),
        plan.expected(),
        plan.budget
    );
    for step in &plan.steps {
        text += &format!("  {:>9}  {}\n", step.expected.to_string(), notice::membench::step(&step.step));
    }
    for one in &plan.notices {
        text += &format!("{}.\n", notice::text(one));
    }
    text += &match benchmark.destination() {
        Destination::File(path) => format!("Would save it in {}.\n", path.display()),
        Destination::InFolder(profiles) => format!("Would save it in {}.\n", profiles.folder().display()),
        Destination::Nowhere(reason) => format!("Would not save it: {}.\n", why(reason)),
    };
    streams::print(&text)?;
    Ok(SUCCESS)
}
