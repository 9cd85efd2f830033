use numawise_facts::Notice;
use numawise_facts::notice::{LaunchNotice, NotPreloadableReason, PreloadObstacle};
use numawise_facts::{ContrastRole, Observation, Reading};
use numawise_units::CpuSet;

use super::*;
use crate::analyse;
use crate::sample::{ready_together, see, study, two_sockets};

/// Four threads pinned on CPUs 0, 2, 4 and 6, as good as free ones.
fn check() -> Study {
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let mut study = study(two_sockets(), &[("os", 1.0), ("pinned", 1.0)], &pairs, 8);
    let point = &mut study.header.points[1];
    point.placement.binding = ThreadBinding::Pinned;
    let task = &mut point.placement.tasks[0];
    task.cpus = "0,2,4,6".parse().unwrap();
    task.threads = ["0", "2", "4", "6"].map(|cpu| cpu.parse().unwrap()).to_vec();
    study
}

/// Threads of these processes with these masks, main threads where the process is new, in so many samples.
fn seen(samples: u64, threads: &[(i32, &str)]) -> Observation {
    let mut seen = ready_together(samples, samples, &vec![samples; threads.len()]);
    let Reading::Measured(all) = &mut seen.threads else { panic!() };
    for (k, (thread, (pid, mask))) in all.iter_mut().zip(threads).enumerate() {
        let is_main = threads[..k].iter().all(|(before, _)| before != pid);
        (thread.pid, thread.tid) = (Pid(*pid), Pid(if is_main { *pid } else { pid + k as i32 }));
        let mask: CpuSet = mask.parse().unwrap();
        thread.cpu_time_on = vec![(mask.first().unwrap(), thread.cpu_time)];
        thread.mask = Reading::Measured(mask);
    }
    seen
}

fn said(study: &Study) -> Vec<Notice> {
    analyse(study).verdict.caveats
}

fn said_of(run: &Observation) -> Vec<Notice> {
    let mut study = check();
    see(&mut study, "pinned", run);
    said(&study)
}

#[test]
fn the_reason_is_what_was_seen() {
    let all = "0,2,4,6";
    let not_pinned = |reason| vec![StudyNotice::NotPinned { point: "pinned".into(), reason }.into()];
    let forked = seen(100, &[(10, all), (11, all), (12, all), (13, all)]);
    assert_eq!(said_of(&forked), not_pinned(NotPinnedReason::Processes { processes: 4 }));
    let alone = seen(100, &[(10, all)]);
    assert_eq!(said_of(&alone), not_pinned(NotPinnedReason::FewerThreads { ran: 1, planned: 4 }));
    assert_eq!(said_of(&seen(9, &[(10, all)])), [], "too short to tell");
    assert_eq!(said_of(&seen(100, &[(10, "0"), (10, "2"), (10, "4"), (10, "6")])), []);
}

#[test]
fn what_another_notice_says_is_not_said_twice() {
    let all = "0,2,4,6";
    let mut study = check();
    see(&mut study, "pinned", &seen(100, &[(10, all)]));
    let obstacle = PreloadObstacle::Program {
        program: "app".to_owned(),
        reason: NotPreloadableReason::StaticallyLinked,
    };
    study.header.points[1].placement.warnings = vec![LaunchNotice::NotPreloadable { obstacle }.into()];
    let [Notice::Study(StudyNotice::OfPlacement { .. })] = said(&study).as_slice() else {
        panic!("{:?}", said(&study));
    };
    // A program that binds its threads at every point.
    let mut study = check();
    see(&mut study, "os", &seen(100, &[(10, "0,2"), (11, "0,2")]));
    see(&mut study, "pinned", &seen(100, &[(10, "0,2"), (11, "0,2")]));
    let [Notice::Study(StudyNotice::BoundByOthers { .. })] = said(&study).as_slice() else {
        panic!("{:?}", said(&study));
    };
}
