//! How much energy processors and their memory have taken: the counters of RAPL in `/sys/class/powercap`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use numawise_units::Microjoules;
use numawise_units::harmless::quoted;

use crate::file::{number, read_record, slurp};
use crate::roots::Roots;

#[cfg(test)]
#[path = "energy_tests.rs"]
mod tests;

const POWERCAP: &str = "/sys/class/powercap";
/// Zones of RAPL; `intel-rapl-mmio` are the same packages once more.
const ZONES: &str = "intel-rapl:";

/// Why nobody tells how much energy is taken.
#[derive(Debug, thiserror::Error)]
pub enum EnergyProblem {
    #[error(
        "no processor tells how much energy it takes (there is no zone of RAPL in {POWERCAP}): virtual machines show none, and a kernel \
         needs the driver intel_rapl_msr (modprobe intel_rapl_msr)"
    )]
    NoZone,
    #[error(
        "{} may not be read: only root may since CVE-2020-8694, since secrets of other programs show in it; let its owner read the \
         counters of a machine of your own (as root: chmod a+r {POWERCAP}/{ZONES}*/energy_uj), or run as root",
        path.display()
    )]
    Forbidden { path: PathBuf },
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} reads '{found}'; expected {expected}", path.display())]
    Malformed { path: PathBuf, found: String, expected: &'static str },
    #[error("{}: the counter went back from {before} to {after} uJ, and begins again at {range} uJ; its energy is not known", path.display())]
    WentBack { path: PathBuf, before: u64, after: u64, range: u64 },
}

/// A counter that no other one holds: a package with its cores, or memory beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnergyZone {
    /// `package-0`, `dram`.
    pub name: String,
    counter: PathBuf,
    /// Where it begins again at 0.
    range: u64,
}

/// The zones of this machine whose sum is what processors and their memory take: packages, and memory where it is counted by itself. Cores
/// and graphics are in their package; the zone of a whole platform (psys) holds packages too.
///
/// # Errors
/// [`EnergyProblem`], where there is none or one of them cannot be read.
pub fn zones(roots: &Roots) -> Result<Vec<EnergyZone>, EnergyProblem> {
    let folder = roots.path(POWERCAP);
    let names: BTreeSet<String> = match fs::read_dir(&folder) {
        Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
        Err(_) => BTreeSet::new(),
    };
    let mut zones = Vec::new();
    for zone in names.iter().filter(|name| name.starts_with(ZONES)) {
        let path = folder.join(zone);
        let name = text(path.join("name"))?;
        if !(name.starts_with("package-") || name == "dram") {
            continue;
        }
        let (range, file) = (text(path.join("max_energy_range_uj"))?, path.join("max_energy_range_uj"));
        let range = microjoules(range.as_bytes(), &file)?;
        let zone = EnergyZone { name, counter: path.join("energy_uj"), range };
        zone.read()?;
        zones.push(zone);
    }
    if zones.is_empty() { Err(EnergyProblem::NoZone) } else { Ok(zones) }
}

impl EnergyZone {
    /// What was counted until now.
    ///
    /// # Errors
    /// [`EnergyProblem`], where it cannot be read.
    pub fn read(&self) -> Result<Microjoules, EnergyProblem> {
        let failed = |source| problem(self.counter.clone(), source);
        let file = File::open(&self.counter).map_err(failed)?;
        let mut buffer = Vec::with_capacity(64);
        read_record(&file, &mut buffer).map_err(failed)?;
        microjoules(buffer.trim_ascii(), &self.counter).map(Microjoules)
    }

    /// What was taken between two readings, of which the second may have begun again at 0, once.
    ///
    /// # Errors
    /// [`EnergyProblem::WentBack`].
    pub fn taken(&self, before: Microjoules, after: Microjoules) -> Result<Microjoules, EnergyProblem> {
        let (Microjoules(before), Microjoules(after), range) = (before, after, self.range);
        match (after.checked_sub(before), range.checked_sub(before)) {
            (Some(taken), _) => Ok(Microjoules(taken)),
            (None, Some(rest)) => Ok(Microjoules(rest.saturating_add(after))),
            (None, None) => Err(EnergyProblem::WentBack { path: self.counter.clone(), before, after, range }),
        }
    }
}

fn text(path: PathBuf) -> Result<String, EnergyProblem> {
    slurp(&path).map(|text| text.trim().to_owned()).map_err(|source| problem(path, source))
}

fn microjoules(text: &[u8], path: &std::path::Path) -> Result<u64, EnergyProblem> {
    number(text).ok_or_else(|| EnergyProblem::Malformed {
        path: path.to_owned(),
        found: quoted(&String::from_utf8_lossy(&text[..text.len().min(80)])),
        expected: "a number of microjoules",
    })
}

fn problem(path: PathBuf, source: io::Error) -> EnergyProblem {
    match source.kind() {
        io::ErrorKind::PermissionDenied => EnergyProblem::Forbidden { path },
        _ => EnergyProblem::Unreadable { path, source },
    }
}
