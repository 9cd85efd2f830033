use numawise_facts::notice::{MachineNotice, NotTriedReason};
use numawise_facts::{
    Argument, Exit, Ignore, Levels, Notice, PlacementRequest, PointRole, RankBinding, Strategy,
};

use super::*;
use crate::Cause;

pub fn request(folder: &Path, command: &[&str]) -> ExperimentRequest {
    let command = command.iter().map(|word| Argument::from(*word)).collect();
    ExperimentRequest {
        command: RunSpec { command, directory: folder.to_owned() },
        threads: None,
        near: None,
        metric: Metric::WallTime,
        budget: Nanoseconds(1),
        repeats: None,
        begun: std::time::Instant::now(),
        margin: "5%".parse().unwrap(),
        sampling: "0.5%".parse().unwrap(),
        seed: Some(7),
        record: folder.join("app.nw"),
        fresh: false,
        objects: None,
        version: "0".to_owned(),
        rank_words: |_, _| Vec::new(),
    }
}

pub fn open(request: ExperimentRequest) -> Result<Experiment, Error> {
    Experiment::open(request, here::full().unwrap().machine, &mut Ignore, &AtomicBool::new(false))
}

#[test]
fn the_record_is_named_after_the_program() {
    for (program, record) in [("./build/app", "app.nw"), ("app", "app.nw"), ("/bin/my.app", "my.app.nw")] {
        assert_eq!(ExperimentRequest::usual_record(Path::new(program)), Path::new(record));
    }
}

#[test]
fn requests_that_make_no_sense_are_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let sane = request(folder.path(), &["touch", "ran"]);
    let few = open(ExperimentRequest { repeats: Some(4), ..sane.clone() });
    assert!(matches!(few, Err(Error::TooFewRepeats { asked: 4, least: 5 })));
    let metric = Metric::Output { regex: "(".to_owned(), higher_is_better: false };
    let broken = open(ExperimentRequest { metric, ..sane });
    assert!(matches!(broken, Err(Error::Metric(_))));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_design_needs_no_first_run() {
    let folder = tempfile::tempdir().unwrap();
    let machine = numawise_machine::from_synthetic("pack:2 numa:1 core:2 pu:1").unwrap();
    let header = design(&request(folder.path(), &["no-such-program"]), machine).unwrap();
    // Beside a test there is no library that pins threads, unless somebody puts it there.
    assert_eq!(header.points.len() >= 4, pinning_library().is_some(), "{:?}", header.points);
    let missing = |notice: &Notice| matches!(notice, Notice::Study(StudyNotice::NotTried { reason, .. }) if *reason == NotTriedReason::PinningLibraryMissing);
    assert_eq!(header.not_tried.iter().any(missing), pinning_library().is_none(), "{:?}", header.not_tried);
    assert_eq!((header.seed, header.min_repeats, header.margin), (7, 5, 0.05));
}

#[test]
fn a_first_run_that_fails_leaves_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let failed = open(request(folder.path(), &["sh", "-c", "echo out of cheese; exit 42"]));
    let Err(error @ Error::FirstRunFailed { .. }) = failed else { panic!() };
    assert!(error.to_string().contains("out of cheese"), "{error}");
    assert_eq!(error.cause(), Cause::ProgramFailed(Exit::Code(42)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_flag_that_is_up_ends_it_in_the_first_run() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(folder.path(), &["true"]);
    let machine = here::full().unwrap().machine;
    let stopped = Experiment::open(request, machine, &mut Ignore, &AtomicBool::new(true));
    let Err(error @ Error::InterruptedInFirstRun) = stopped else { panic!() };
    assert_eq!(error.cause(), Cause::Interrupted);
}

#[test]
fn a_point_that_cannot_be_placed_names_the_limits_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let mut machine = numawise_machine::from_synthetic("pack:2 numa:1 core:2 pu:1").unwrap();
    let limit = MachineNotice::AffinityMask {
        allowed: "0-1".parse().unwrap(),
        cgroup: "0-3".parse().unwrap(),
        file: "/proc/self/status".to_owned(),
    };
    machine.allowed_cpus = "0-1".parse().unwrap();
    machine.limits = vec![limit.clone()];
    let mut design = numawise_study::plan(
        &machine,
        &ProgramNeeds {
            threads: None,
            memory: Reading::unavailable("it has not run"),
            one_metric_file: false,
            pinning_library: true,
            seen: FirstRunPlaces::default(),
            pages: FirstRunPages::unknown(),
            near: None,
        },
    );
    let forbidden = PlacementRequest {
        cpus: Some("2-3".parse().unwrap()),
        strategy: Strategy::Explicit,
        ..PlacementRequest::as_the_os_does()
    };
    let (id, levels) = (PointId::from("forbidden"), Levels::of(&forbidden, 2));
    design.points.push(PlannedPoint {
        id,
        levels,
        role: PointRole::Candidate,
        request: forbidden,
        ranks: None,
    });
    let header = request(folder.path(), &["app"]).header(machine, design).unwrap();
    let Some(Notice::Study(StudyNotice::CannotBePlaced { limits, .. })) = header.not_tried.last() else {
        panic!("{:?}", header.not_tried)
    };
    assert_eq!(limits, &[limit]);
}

#[test]
fn the_device_of_a_check_is_known_also_where_its_point_had_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let machine = numawise_machine::from_synthetic("pack:2 numa:1 core:2 pu:1").unwrap();
    let os = PlacementRequest { threads: Some(1), ..PlacementRequest::as_the_os_does() };
    let mut levels = Levels::of(&os, 1);
    let point = PlannedPoint {
        id: "os".into(),
        levels: levels.clone(),
        role: PointRole::Baseline,
        request: os,
        ranks: None,
    };
    let design = StudyDesign { points: vec![point], pairs: Vec::new(), not_tried: Vec::new() };
    let mut header = request(folder.path(), &["app"]).header(machine, design).unwrap();
    assert_eq!(near_device(&header), None);
    let gpu: DeviceName = "gpu:0".parse().unwrap();
    levels.placement.near = Some(gpu.clone());
    let (repeats, needs, budget) = (5, Nanoseconds(2), Nanoseconds(1));
    let no_time =
        StudyNotice::NoTimeFor { point: "near".into(), levels: levels.clone(), repeats, needs, budget };
    header.not_tried = vec![no_time.into()];
    assert_eq!(near_device(&header), Some(&gpu));
    header.not_tried.clear();
    header.points[0].levels = levels;
    assert_eq!(near_device(&header), Some(&gpu));
}

#[test]
fn a_check_of_a_launcher_places_its_ranks_and_runs_the_first_as_it_was_typed() {
    let folder = tempfile::tempdir().unwrap();
    let machine = numawise_machine::from_synthetic("pack:2 numa:1 core:2 pu:1").unwrap();
    let words = |request: &PlacementRequest, _| vec![Argument::from(request.strategy.to_string().as_str())];
    let typed = request(folder.path(), &["mpirun", "-n", "2", "./app"]);
    let request = ExperimentRequest { rank_words: words, ..typed };
    let needs = ProgramNeeds { pinning_library: true, ..request.needs_on(&machine).unwrap() };
    let design = numawise_study::plan(&machine, &needs);
    let header = request.header(machine.clone(), design).unwrap();
    let baseline = header.baseline().unwrap();
    assert!(matches!(baseline.ranks, Some(RankBinding::LeftToLauncher { .. })), "{baseline:?}");
    assert_eq!((baseline.threads(), baseline.request.tasks), (2, 2), "four CPUs for two ranks");
    let placed = header.points.iter().find(|point| point.id.0 == "all-nodes").unwrap();
    assert_eq!((placed.copies(), placed.plan().tasks.len(), placed.threads()), (1, 2, 2));
    assert_eq!(placed.placement.binding, ThreadBinding::Free, "the launcher is not pinned");
    assert!(header.points.iter().all(|point| point.id.0 != "copies"));
    let runner = request.runner(&machine, &header.points);
    assert!(!runner.of_points.contains_key(&baseline.id));
    let strategy = placed.request.strategy;
    assert_eq!(runner.of_points[&placed.id].shell_line(), format!("mpirun -n 2 {strategy} ./app"));
}
