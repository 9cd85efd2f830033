//! Recorded machines, booted: as they are, or with the largest reduction that a refusal names.

use std::path::{Path, PathBuf};

use numawise_session::rehearse::{RehearsalError, RehearsalPlan, RehearsalRequest};
use serde::{Deserialize, Serialize};

use super::{request, run_script};

/// A machine to be booted.
pub(super) struct Candidate {
    pub name: String,
    /// As it is typed.
    machine: String,
    profile: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Booted {
    pub name: String,
    pub came_up: Result<CameUp, String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CameUp {
    pub nodes: usize,
    pub cpus: u32,
    /// From the start of the kernel to the first command.
    pub seconds: f64,
    /// What had to be typed besides.
    pub cores_per_node: Option<u32>,
}

/// All that are here: those of the source tree and of the folder of shared ones.
pub(super) fn all(root: &Path) -> Vec<Candidate> {
    let mut all = Vec::new();
    for folder in ["testdata/machines", "../shared/machines"] {
        for path in files(&root.join(folder), "xml") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            all.push(Candidate { name, machine: path.display().to_string(), profile: None });
        }
    }
    let profiles = files(&root.join("testdata/profiles"), "json");
    for path in profiles.into_iter().chain(files(&root.join("testdata/mlc"), "txt")) {
        let Ok(profile) = numawise_profiles::read_profile(&path) else { continue };
        let machine = format!("pack:{} [numa(memory=16GiB)] core:2 pu:1", profile.header.nodes.len());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        all.push(Candidate { name, machine, profile: Some(path) });
    }
    all
}

fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|of| of == end)).collect();
    files.sort();
    files
}

/// One guest that counts its nodes and CPUs.
pub(super) fn boot(candidate: &Candidate) -> Booted {
    Booted { name: candidate.name.clone(), came_up: came_up(candidate) }
}

fn came_up(candidate: &Candidate) -> Result<CameUp, String> {
    let said = |error: RehearsalError| error.to_string();
    let machine = numawise_machine::from_input(&candidate.machine).map_err(|error| error.to_string())?;
    let mut request = request(&candidate.name, machine).map_err(said)?;
    if let Some(path) = &candidate.profile {
        let profile = numawise_profiles::read_profile(path).map_err(|error| error.to_string())?;
        request.profile = Some((candidate.name.clone(), profile));
    }
    let mut cores_per_node = None;
    let plan = match RehearsalPlan::new(request.clone()) {
        Err(RehearsalError::TooManyCpus { cores, .. }) if cores.is_some() => {
            cores_per_node = cores;
            RehearsalPlan::new(RehearsalRequest { cores_per_node, ..request })
        }
        plan => plan,
    };
    let plan = plan.map_err(said)?;
    let (nodes, cpus, _) = plan.size();
    let count = "ls -d /sys/devices/system/node/node[0-9]* | wc -l; grep -c ^processor /proc/cpuinfo";
    let (ended, text) = run_script(&plan, count, Path::new("/")).map_err(said)?;
    let found: Vec<&str> = text.split_whitespace().collect();
    if found != [nodes.to_string().as_str(), cpus.to_string().as_str()] {
        return Err(format!("came up with nodes and CPUs {found:?}, expected {nodes} and {cpus}"));
    }
    Ok(CameUp { nodes, cpus, seconds: ended.boot.as_secs_f64(), cores_per_node })
}
