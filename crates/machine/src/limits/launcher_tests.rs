use super::*;
use crate::fixture::Fixture;

fn process(fixture: &Fixture, pid: &str, name: &str, parent: i32, cpus: &str, environment: Option<&str>) {
    let status = format!("Name:\t{name}\nPid:\t1\nPPid:\t{parent}\nCpus_allowed_list:\t{cpus}\n");
    fixture.write(&format!("/proc/{pid}/status"), &status);
    if let Some(environment) = environment {
        fixture.write(&format!("/proc/{pid}/environ"), environment);
    }
}

const RANK: &str = "HOME=/\0MY_RANK=1\0";

fn found(fixture: &Fixture) -> Result<Launcher, LauncherError> {
    launcher(&fixture.roots(), &|variable| variable("MY_RANK").is_some_and(|value| !value.is_empty()))
}

#[test]
fn the_first_process_above_that_is_no_rank() {
    let fixture = Fixture::empty();
    process(&fixture, "self", "numawise", 30, "2", None);
    process(&fixture, "30", "sh", 20, "2", Some(RANK));
    process(&fixture, "20", "hydra_pmi_proxy", 10, "0-7", Some("HOME=/\0MY_RANKS=4\0NOT_MY_RANK=1\0"));
    process(&fixture, "10", "mpiexec", 1, "0-15", Some(""));
    let expected = Launcher {
        pid: Pid(20),
        name: "hydra_pmi_proxy".to_owned(),
        cpus: "0-7".parse().unwrap(),
        words: Vec::new(),
    };
    assert_eq!(found(&fixture), Ok(expected));
}

#[test]
fn what_may_not_be_read_is_said() {
    let fixture = Fixture::empty();
    process(&fixture, "self", "numawise", 30, "2", None);
    process(&fixture, "30", "slurmstepd", 1, "0-7", None);
    let expected = LauncherError::Unreadable { pid: Pid(30), name: "slurmstepd".to_owned() };
    assert_eq!(found(&fixture), Err(expected));
}

#[test]
fn a_proc_without_an_end_or_a_beginning() {
    let fixture = Fixture::empty();
    assert!(matches!(found(&fixture), Err(LauncherError::Unknown { .. })), "no /proc at all");
    process(&fixture, "self", "numawise", 30, "2", None);
    assert_eq!(found(&fixture), Err(LauncherError::Unknown { pid: Pid(30) }), "ended meanwhile");
    process(&fixture, "30", "sh", 0, "2", Some(RANK));
    assert_eq!(found(&fixture), Err(LauncherError::NoneAbove), "a container begins here");
    process(&fixture, "30", "sh", 30, "2", Some(RANK));
    assert_eq!(found(&fixture), Err(LauncherError::NoneAbove), "in circles");
    fixture.write("/proc/30/status", "Name:\tsh\nPPid:\tmany\nCpus_allowed_list:\t2\n");
    assert_eq!(found(&fixture), Err(LauncherError::Unknown { pid: Pid(30) }));
}
