//! The ranks of real launchers: each one's environment tells its place, and the places of all make up the job.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use numawise_launch::{Launcher, LocalRank, is_rank_variable, rank};

/// What every rank of `launcher` has in its environment; `None`, having said so, where it is not installed. hydra may end by SIGPIPE where ranks have
/// ended before all was told to them; then it is asked again, up to so many `times`.
fn environments(launcher: &str, options: &[&str], times: u32) -> Option<Vec<BTreeMap<String, String>>> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(launcher);
    // What started this test is not what started the ranks.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_rank_variable) {
            command.env_remove(name);
        }
    }
    let script = format!("env > {}/$$", folder.path().display());
    let output = match command.args(options).args(["-n", "3", "/bin/sh", "-c", &script]).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("SKIPPED: {launcher}: {error}");
            return None;
        }
    };
    if output.status.signal() == Some(libc::SIGPIPE) && times > 1 {
        return environments(launcher, options, times - 1);
    }
    assert!(output.status.success(), "{launcher}: {output:?}");
    let read = |file: &Path| {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        text.lines()
            .filter_map(|line| line.split_once('='))
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect()
    };
    Some(std::fs::read_dir(folder.path()).unwrap().map(|entry| read(&entry.unwrap().path())).collect())
}

fn check(launcher: &str, options: &[&str], expected: Launcher) {
    let Some(environments) = environments(launcher, options, 5) else { return };
    let place = |environment: &BTreeMap<String, String>| -> LocalRank {
        let look_up = |name: &str| environment.get(name).map(OsString::from);
        rank(&look_up).unwrap().unwrap_or_else(|| panic!("no rank in {environment:?}"))
    };
    let mut places: Vec<LocalRank> = environments.iter().map(place).collect();
    places.sort_by_key(|place| place.local_rank);
    let told: Vec<_> =
        places.iter().map(|p| (p.launcher, p.local_rank, p.local_size, p.rank, p.size)).collect();
    assert_eq!(told, [0, 1, 2].map(|k| (expected, k, 3, Some(k), Some(3))));
}

#[test]
fn open_mpi() {
    check("mpirun.openmpi", &["--allow-run-as-root", "--oversubscribe"], Launcher::OpenMpi);
}

#[test]
fn mpich() {
    check("mpiexec.mpich", &[], Launcher::Hydra);
}
