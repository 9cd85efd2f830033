use numawise_facts::notice::{BindingLauncher, PlacementGroup, StudyNotice};
use numawise_facts::{ContrastRole, Notice, RankBinding, RanksLeft, Reading, StudyHeader};
use numawise_tables::{PlacedWell, VerdictKind};
use numawise_units::{CpuId, Pid};

use super::*;
use crate::sample::{observation, see, study, two_sockets};
use crate::{analyse, decided};

const PAIRS: [(&str, &str, ContrastRole); 2] =
    [("os", "pinned", ContrastRole::BothWays), ("os", "all-nodes", ContrastRole::BothWays)];

/// Four threads pinned on CPUs 0, 2, 4 and 6 at two points, all as fast as the operating system's.
fn check() -> Study {
    let points = [("os", 1.0), ("pinned", 1.0), ("all-nodes", 1.0)];
    let mut study = study(two_sockets(), &points, &PAIRS, 8);
    for point in study.header.points.iter_mut().filter(|point| point.id.0 != "os") {
        point.placement.binding = ThreadBinding::Pinned;
        let task = &mut point.placement.tasks[0];
        task.cpus = "0,2,4,6".parse().unwrap();
        task.threads = ["0", "2", "4", "6"].map(|cpu| cpu.parse().unwrap()).to_vec();
    }
    study
}

/// Threads with these masks, the first of which is the main one; each was seen on the first CPU of its mask.
fn with_masks(masks: &[&str]) -> Observation {
    let cpus: Vec<(u32, u64)> =
        masks.iter().map(|mask| (mask.parse::<CpuSet>().unwrap().first().unwrap().0, 1)).collect();
    let mut seen = observation(&[], &cpus);
    let Reading::Measured(threads) = &mut seen.threads else { panic!() };
    for (thread, mask) in threads.iter_mut().zip(masks) {
        thread.mask = Reading::Measured(mask.parse().unwrap());
    }
    seen
}

fn caveats_at(point: &str, seen: &Observation) -> Vec<Notice> {
    let mut study = check();
    see(&mut study, point, seen);
    analyse(&study).verdict.caveats
}

fn not_obeyed_at(point: &str, found: &str) -> Notice {
    StudyNotice::NotObeyed {
        point: point.into(),
        asked: "0,2,4,6".parse().unwrap(),
        each: 1,
        found: found.parse().unwrap(),
        evidence: PlacementEvidence::Masks,
        trials: 8,
    }
    .into()
}

#[test]
fn threads_that_are_where_the_plan_has_them_are_no_matter() {
    let in_place: [&[&str]; 6] = [
        &["0", "2", "4", "6"],
        // In another order, and more than planned.
        &["6", "4", "2", "0", "0"],
        // A main thread that waits for three others has all CPUs until they are there; one thread was seen too early.
        &["0,2,4,6", "2", "4"],
        &["0", "2", "4", "0,2,4,6"],
        // A helper of MPI beside four that work.
        &["0", "2", "4", "6", "0,2,4,6"],
        // Fewer threads than the plan has.
        &["0,2,4,6", "2"],
    ];
    for masks in in_place {
        let told = caveats_at("pinned", &with_masks(masks));
        assert_eq!(told, [], "{masks:?}");
    }
}

#[test]
fn threads_that_are_not_are_named_with_what_was_asked_and_found() {
    for (masks, found) in [
        (&["0-7", "0-7", "0-7", "0-7"][..], "0-7"),
        (&["0,2,4,6", "0,2,4,6"], "0,2,4,6"),
        // Other CPUs than the plan's, as a program has them that binds itself.
        (&["1", "1", "1", "1"], "1"),
        (&["1"], "1"),
        (&["0-7", "2", "0-7", "0-7"], "0-7"),
    ] {
        assert_eq!(caveats_at("pinned", &with_masks(masks)), [not_obeyed_at("pinned", found)], "{masks:?}");
    }
}

#[test]
fn threads_that_are_seen_at_their_beginning_only_say_nothing() {
    let mut seen = with_masks(&["0-7", "2", "0-7", "0-7"]);
    let works_for = |seen: &mut Observation, micros: u64| {
        let Reading::Measured(threads) = &mut seen.threads else { panic!() };
        threads.iter_mut().for_each(|thread| thread.cpu_time = Nanoseconds(1000 * micros));
    };
    works_for(&mut seen, 4_999);
    assert_eq!(caveats_at("pinned", &seen), []);
    works_for(&mut seen, 5_000);
    assert_eq!(caveats_at("pinned", &seen), [not_obeyed_at("pinned", "0-7")]);
}

#[test]
fn a_sandbox_that_reports_masks_and_does_not_keep_to_them_is_seen() {
    let mut seen = with_masks(&["0", "2", "4", "6"]);
    let Reading::Measured(threads) = &mut seen.threads else { panic!() };
    threads.iter_mut().for_each(|thread| thread.cpu_time_on[0].0 = CpuId(0));
    let told = caveats_at("pinned", &seen);
    let [Notice::Study(StudyNotice::NotObeyed { found, evidence, .. })] = told.as_slice() else { panic!() };
    assert_eq!((found.to_string().as_str(), *evidence), ("0", PlacementEvidence::SeenOnCpus));
}

#[test]
fn no_verdict_rests_on_what_was_not_obeyed() {
    let mut study = check();
    assert_eq!(analyse(&study).verdict.kind, VerdictKind::NotAffected);
    see(&mut study, "pinned", &with_masks(&["0-7"; 4]));
    let analysis = analyse(&study);
    assert_eq!(analysis.verdict.kind, VerdictKind::Undecided, "what was left out might have shown it");
    assert_eq!(analysis.verdict.placed_well, PlacedWell::NotDecided { points: vec!["pinned".into()] });
    assert_eq!(analysis.verdict.more_repeats, None);
    assert!(analysis.contrasts.iter().all(|contrast| contrast.to.0 == "all-nodes"));
    see(&mut study, "all-nodes", &with_masks(&["0-7"; 4]));
    let analysis = analyse(&study);
    assert_eq!((analysis.verdict.kind, analysis.contrasts.len()), (VerdictKind::Undecided, 0));
    assert!(decided(&study, &[]), "more of the same would show nothing");
}

#[test]
fn what_shows_that_placement_matters_shows_it_whatever_else_failed() {
    let mut study = study(two_sockets(), &[("os", 2.0), ("pinned", 2.0), ("all-nodes", 1.0)], &PAIRS, 8);
    let pinned = study.header.points.iter_mut().find(|point| point.id.0 == "pinned").unwrap();
    pinned.placement.binding = ThreadBinding::Pinned;
    pinned.placement.tasks[0].threads = vec!["0".parse().unwrap(); 4];
    see(&mut study, "pinned", &with_masks(&["0-7"; 4]));
    let analysis = analyse(&study);
    assert_eq!(analysis.verdict.kind, VerdictKind::Affected);
    assert_eq!(analysis.recommended.map(|point| point.0).as_deref(), Some("all-nodes"));
}

#[test]
fn a_launcher_that_binds_its_ranks_is_named_and_counts_as_none_of_them() {
    let by = RankBinding::LeftToLauncher { launcher: "mpirun".to_owned(), why: RanksLeft::AsTyped };
    // The launcher is seen first, and may use all CPUs.
    let mut seen = with_masks(&["0-7", "0", "0"]);
    let Reading::Measured(threads) = &mut seen.threads else { panic!() };
    for (k, thread) in threads.iter_mut().enumerate() {
        thread.pid = Pid(100 + k as i32);
        thread.tid = thread.pid;
    }
    let mut study = check();
    study.header.points[0].ranks = Some(by);
    see(&mut study, "os", &seen);
    let caveats = analyse(&study).verdict.caveats;
    let [Notice::Study(StudyNotice::BoundByOthers { found, launcher, .. })] = caveats.as_slice() else {
        panic!("{caveats:?}")
    };
    assert_eq!(found.to_string(), "0");
    assert_eq!(launcher, &Some(BindingLauncher { name: "mpirun".to_owned(), asked_by: None }));
    study.header.points[0].ranks = None;
    assert_eq!(analyse(&study).verdict.caveats, [], "a process that is bound to no CPUs works as well");
}

#[test]
fn a_program_that_binds_its_threads_itself_is_known_by_the_baseline() {
    let told = caveats_at("os", &with_masks(&["0", "1"]));
    let expected = StudyNotice::BoundByOthers {
        point: "os".into(),
        found: "0-1".parse().unwrap(),
        allowed: "0-7".parse().unwrap(),
        launcher: None,
    };
    assert_eq!(told, [expected.into()]);
    assert_eq!(caveats_at("os", &with_masks(&["0-7", "1"])), [], "one thread is bound, as a logger may be");
    let workers = caveats_at("os", &with_masks(&["0-7", "0-1", "0-1"]));
    assert!(matches!(workers.as_slice(), [Notice::Study(StudyNotice::BoundByOthers { .. })]), "{workers:?}");
}

#[test]
fn what_could_not_be_tried_is_not_what_cannot_matter() {
    let reason = numawise_facts::notice::NotTriedReason::PinningLibraryMissing;
    let not_tried = StudyNotice::NotTried { placements: PlacementGroup::Pinned, reason };
    let mut study = study(two_sockets(), &[("os", 1.0)], &[], 6);
    assert_eq!(analyse(&study).verdict.kind, VerdictKind::NotAffected);
    study.header = StudyHeader { not_tried: vec![not_tried.into()], ..study.header };
    let verdict = analyse(&study).verdict;
    assert_eq!(verdict.kind, VerdictKind::Undecided);
    assert_eq!(verdict.placed_well, PlacedWell::NotDecided { points: vec![] });
}

/// What takes no library is placed by the mask of its task and by its memory: those were obeyed.
#[test]
fn a_program_that_takes_no_library_is_asked_for_the_cpus_of_its_task() {
    use numawise_facts::notice::{LaunchNotice, NotPreloadableReason, PreloadObstacle};
    let astray = |cpus: &str, mode: MemoryMode| {
        let mut study = check();
        let point = &mut study.header.points[1];
        let (program, reason) = ("app".to_owned(), NotPreloadableReason::StaticallyLinked);
        let obstacle = PreloadObstacle::Program { program, reason };
        point.placement.warnings = vec![LaunchNotice::NotPreloadable { obstacle }.into()];
        point.placement.tasks[0].cpus = cpus.parse().unwrap();
        point.placement.tasks[0].memory.mode = mode;
        see(&mut study, "pinned", &with_masks(&[cpus; 4]));
        not_obeyed(&study, &study.header.points[1]).is_some()
    };
    let all = two_sockets().allowed_cpus.to_string();
    assert!(!astray("0,2,4,6", MemoryMode::Default));
    assert!(!astray(&all, MemoryMode::Interleave));
    assert!(astray(&all, MemoryMode::Default), "nothing is placed");
}
