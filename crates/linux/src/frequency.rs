//! The frequency of CPUs: what sets it and within which limits (cpufreq), and what it is at the moment.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use numawise_units::harmless::quoted;
use numawise_units::{CpuId, CpuSet, Hertz};

use crate::error::{Error, Malformed};
use crate::file::{number, read_path, read_record, slurp};
use crate::roots::Roots;

#[cfg(test)]
#[path = "frequency_tests.rs"]
mod tests;

const CPUS: &str = "/sys/devices/system/cpu";

/// Why there is no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoValue {
    #[error("the driver does not give it")]
    NotThere,
    #[error("it cannot be read ({0})")]
    Unreadable(io::ErrorKind),
    #[error("its file reads '{0}'")]
    Malformed(String),
}

/// How the frequency of some CPUs is set, by the files of cpufreq.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub cpus: CpuSet,
    pub driver: Result<String, NoValue>,
    pub governor: Result<String, NoValue>,
    /// What drivers that choose the frequency themselves are asked to prefer (`energy_performance_preference`).
    pub preference: Result<String, NoValue>,
    /// The least that may be chosen (`scaling_min_freq`).
    pub least: Result<Hertz, NoValue>,
    /// The most that may be chosen (`scaling_max_freq`).
    pub most: Result<Hertz, NoValue>,
    /// The most that the processor can do (`cpuinfo_max_freq`).
    pub hardware_most: Result<Hertz, NoValue>,
    /// Without boost (`base_frequency`).
    pub base: Result<Hertz, NoValue>,
}

/// How the frequency of each CPU is set, alike CPUs together, in the order of their first; none without cpufreq, as in most virtual
/// machines. CPUs that are offline have no policy.
pub fn policies(roots: &Roots) -> Vec<Policy> {
    let mut all: Vec<Policy> = Vec::new();
    for cpu in cpus(roots).into_iter().filter(|cpu| has_cpufreq(roots, *cpu)) {
        let text = |name| text(roots, cpu, name);
        let hertz = |name| text(name).and_then(|text| hertz(&text).ok_or(NoValue::Malformed(quoted(&text))));
        let policy = Policy {
            cpus: CpuSet::default(),
            driver: text("scaling_driver"),
            governor: text("scaling_governor"),
            preference: text("energy_performance_preference"),
            least: hertz("scaling_min_freq"),
            most: hertz("scaling_max_freq"),
            hardware_most: hertz("cpuinfo_max_freq"),
            base: hertz("base_frequency"),
        };
        let alike = |one: &&mut Policy| Policy { cpus: CpuSet::default(), ..(**one).clone() } == policy;
        match all.iter_mut().find(alike) {
            Some(known) => {
                known.cpus.insert(cpu);
            }
            None => all.push(Policy { cpus: CpuSet::single(cpu), ..policy }),
        }
    }
    all
}

/// Whether CPUs may run faster than their base frequency while there is power for it (turbo, boost).
pub fn boost(roots: &Roots) -> Result<bool, NoValue> {
    let switch = |name: &str| match line(roots.path(&format!("{CPUS}/{name}")))?.as_str() {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err(NoValue::Malformed(quoted(other))),
    };
    match switch("intel_pstate/no_turbo") {
        Err(NoValue::NotThere) => switch("cpufreq/boost"),
        no_turbo => no_turbo.map(|no_turbo| !no_turbo),
    }
}

/// True when the processor counts the cycles of each CPU (APERF and MPERF) and the kernel reads the count. Where it does not,
/// `scaling_cur_freq` is what was asked for, and without cpufreq `cpu MHz` in `/proc/cpuinfo` is a constant.
///
/// # Errors
/// When `/proc/cpuinfo` cannot be read.
pub fn counts_cycles(roots: &Roots) -> Result<bool, Error> {
    let path = roots.path("/proc/cpuinfo");
    // The flags of the first CPU are enough, and the kernel writes no more than what is asked for.
    let mut head = vec![0; 8 << 10];
    let read = File::open(&path).and_then(|mut file| file.read(&mut head));
    let read = read.map_err(|error| Error::from_io(&path, error))?;
    let flags = head[..read].split(|&byte| byte == b'\n').find(|line| line.starts_with(b"flags"));
    let mut flags = flags.unwrap_or_default().split(u8::is_ascii_whitespace);
    Ok(flags.any(|flag| flag == b"aperfmperf"))
}

/// What a CPU's frequency at the moment is read from.
#[derive(Debug)]
pub struct FrequencyFile {
    file: File,
    path: PathBuf,
}

impl FrequencyFile {
    /// Opens the file of a CPU: the frequency that was counted over the last ticks (`cpuinfo_avg_freq`, since Linux 6.15), or else
    /// `scaling_cur_freq`, which is counted too where [`counts_cycles`] and else what was asked for.
    ///
    /// # Errors
    /// When there is neither.
    pub fn open(roots: &Roots, cpu: CpuId) -> Result<Self, Error> {
        let open = |name| {
            let path = of(roots, cpu, name);
            let file = File::open(&path).map_err(|error| Error::from_io(&path, error))?;
            Ok(FrequencyFile { file, path })
        };
        open("cpuinfo_avg_freq").or_else(|_: Error| open("scaling_cur_freq"))
    }

    /// The frequency now.
    ///
    /// # Errors
    /// When the file can no longer be read (the CPU went offline), or holds no frequency (`<unknown>`).
    pub fn read(&self, buffer: &mut Vec<u8>) -> Result<Hertz, Error> {
        read_record(&self.file, buffer).map_err(|error| Error::from_io(&self.path, error))?;
        let text = std::str::from_utf8(buffer).unwrap_or_default();
        let malformed = || Malformed::new(buffer, "a number of kHz").at(&self.path);
        hertz(text.trim()).ok_or_else(malformed)
    }
}

/// True when cpufreq sets the frequency of a CPU.
pub fn has_cpufreq(roots: &Roots, cpu: CpuId) -> bool {
    roots.path(&format!("{CPUS}/cpu{cpu}/cpufreq")).is_dir()
}

/// The frequency of every CPU by `/proc/cpuinfo`, which means something only where [`counts_cycles`]: x86. CPUs whose line holds no
/// frequency are left out.
///
/// # Errors
/// When the file cannot be read.
pub fn by_cpuinfo(roots: &Roots, buffer: &mut Vec<u8>) -> Result<Vec<(CpuId, Hertz)>, Error> {
    read_path(&roots.path("/proc/cpuinfo"), buffer)?;
    let mut cpu = None;
    let mut all = Vec::new();
    for line in buffer.split(|&byte| byte == b'\n') {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
        let value = line[colon + 1..].trim_ascii();
        match line[..colon].trim_ascii() {
            b"processor" => cpu = number(value).map(CpuId),
            b"cpu MHz" => all.extend(cpu.zip(megahertz(value))),
            _ => {}
        }
    }
    Ok(all)
}

/// The CPUs of which there is a folder, in ascending order.
fn cpus(roots: &Roots) -> Vec<CpuId> {
    let entries = std::fs::read_dir(roots.path(CPUS)).into_iter().flatten().flatten();
    let cpu = |name: &str| number::<u32>(name.strip_prefix("cpu")?.as_bytes()).map(CpuId);
    let mut all: Vec<CpuId> = entries.filter_map(|entry| cpu(entry.file_name().to_str()?)).collect();
    all.sort_unstable();
    all
}

fn of(roots: &Roots, cpu: CpuId, name: &str) -> PathBuf {
    roots.path(&format!("{CPUS}/cpu{cpu}/cpufreq/{name}"))
}

fn text(roots: &Roots, cpu: CpuId, name: &str) -> Result<String, NoValue> {
    line(of(roots, cpu, name))
}

fn line(path: PathBuf) -> Result<String, NoValue> {
    let text = slurp(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => NoValue::NotThere,
        kind => NoValue::Unreadable(kind),
    })?;
    let text = text.trim();
    let sound = !text.is_empty() && text.len() <= 64 && !text.contains(|c: char| c.is_control());
    if sound { Ok(text.to_owned()) } else { Err(NoValue::Malformed(quoted(text))) }
}

/// A number of kHz that a CPU can run at.
fn hertz(text: &str) -> Option<Hertz> {
    let hertz = Hertz(number::<u64>(text.as_bytes())?.checked_mul(1000)?);
    (hertz > Hertz(0) && hertz <= Hertz::FASTEST).then_some(hertz)
}

fn megahertz(text: &[u8]) -> Option<Hertz> {
    let value: f64 = number(text)?;
    let hertz = Hertz((value * 1e6).round() as u64);
    (value.is_finite() && hertz > Hertz(0) && hertz <= Hertz::FASTEST).then_some(hertz)
}
