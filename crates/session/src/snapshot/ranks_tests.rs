use std::path::PathBuf;

use numawise_facts::Argument;

use super::*;

fn process(program: &str, rank: Option<[u32; 2]>) -> JobProcess<'_> {
    JobProcess {
        pid: Pid(program.len() as i32),
        program,
        has_ended: true,
        calls_mpi: rank.is_some(),
        world: rank.map(|[rank, size]| WorldRank { rank, size }),
    }
}

fn said(processes: &[JobProcess<'_>], asked: Option<&str>, command: &str) -> Vec<String> {
    let asked: Option<RankSet> = asked.map(|ranks| ranks.parse().unwrap());
    let command =
        RunSpec { command: command.split(' ').map(Argument::from).collect(), directory: PathBuf::new() };
    let started = StartedRanks { command: &command, is_inside: false, through: None };
    missing(processes, asked.as_ref(), started).into_iter().map(|notice| format!("{notice:?}")).collect()
}

#[test]
fn a_rank_beyond_the_job_is_named() {
    let ranks: RankSet = "0,3-5".parse().unwrap();
    assert!(exist(&ranks, 6).is_ok());
    let text = exist(&ranks, 4).unwrap_err().to_string();
    assert!(text.contains("no rank 5 among the 4 of this job, which are 0 to 3"), "{text}");
}

#[test]
fn only_what_was_asked_for_is_missing() {
    let seen = [process("app", Some([1, 4])), process("app", Some([2, 4]))];
    assert!(said(&seen, Some("1-2"), "mpirun ./app").is_empty());
    let all = said(&seen, None, "mpirun ./app");
    assert!(all.len() == 1 && all[0].contains("RanksNotSeen") && all[0].contains("\"0,3\""), "{all:?}");
    let some = said(&seen, Some("1-3"), "mpirun ./app");
    assert!(some.len() == 1 && some[0].contains("\"3\""), "{some:?}");
}

#[test]
fn a_rank_that_the_job_does_not_have_is_beyond_and_not_missing() {
    let found = said(&[process("app", Some([0, 2]))], Some("0,2,7"), "mpirun ./app");
    assert!(
        found.len() == 1 && found[0].contains("RanksBeyondJob") && found[0].contains("\"2,7\""),
        "{found:?}"
    );
}

#[test]
fn a_launcher_without_ranks_is_told() {
    let launcher = [process("/usr/bin/mpirun", None), process("/usr/bin/orted", None)];
    let found = said(&launcher, None, "mpirun -n 2 ./app");
    assert!(found.len() == 1 && found[0].contains("NoRankSeen"), "{found:?}");
    // A shell that took us out of the environment was seen, and what it became was not.
    let with_app = [process("/usr/bin/mpirun", None), process("./app", None)];
    let found = said(&with_app, None, "mpirun -n 2 ./app");
    assert!(found.len() == 1 && found[0].contains("NoRankSeen"), "{found:?}");
    let unknown = [JobProcess { calls_mpi: true, ..process("./app", None) }];
    assert!(said(&unknown, None, "mpirun -n 2 ./app").is_empty(), "an MPI of which the ranks are not known");
    assert!(said(&[process("./app", None)], None, "./app").is_empty());
    let asked = said(&with_app, Some("7"), "mpirun -n 2 ./app");
    assert!(asked.len() == 1 && asked[0].contains("NoRankSeen") && asked[0].contains("\"7\""), "{asked:?}");
}

#[test]
fn programs_without_mpi_that_were_watched_to_their_end_miss_nothing() {
    let own = std::env::current_exe().unwrap();
    let own = own.to_str().unwrap();
    let line = format!("mpirun -n 2 {own} --list");
    let launcher = process("/usr/bin/mpirun", None);
    let whole = process(own, None);
    assert!(said(&[launcher, whole], None, &line).is_empty());
    // It became another one, or was killed; and it was not watched at all.
    let cut = JobProcess { has_ended: false, ..whole };
    for seen in [&[launcher, cut][..], &[launcher]] {
        let found = said(seen, None, &line);
        assert!(found.len() == 1 && found[0].contains("NoRankSeen"), "{found:?}");
    }
    // numactl became the program, which was watched.
    let before = JobProcess { program: "/usr/bin/numactl", ..cut };
    assert!(said(&[launcher, before, whole], None, &format!("mpirun -n 2 numactl -l {own}")).is_empty());
    // A shell may have started what was not.
    let shell = process("/bin/sh", None);
    assert_eq!(said(&[launcher, shell], None, "mpirun -n 2 /bin/sh -c ./app").len(), 1);
    // Who asks for ranks is told that there are none.
    assert_eq!(said(&[launcher, whole], Some("0"), &line).len(), 1);
}

#[test]
fn what_is_no_rank_is_shown_with_those_that_were_asked_for() {
    let asked: RankSet = "1".parse().unwrap();
    let shown = |rank| is_shown(process("app", rank), Some(&asked));
    assert_eq!([shown(Some([0, 2])), shown(Some([1, 2])), shown(None)], [false, true, true]);
}
