use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{
    Balancing, Cpu, CpuChoice, MemoryRequest, Node, PageSize, RanksByThreads, Reading, Source,
};
use numawise_units::{CpuId, NodeId};

use super::*;

/// Two nodes of two CPUs.
pub fn machine() -> Machine {
    let node = |id: u32, cpus: &str| Node {
        id: NodeId(id),
        cpus: cpus.parse().unwrap(),
        near: cpus.parse().unwrap(),
        memory: Reading::unavailable("by hand"),
        free: Reading::unavailable("by hand"),
        kind: MemoryKind::Dram,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::unavailable("by hand"),
    };
    let cpu = |id| Cpu {
        id: CpuId(id),
        node: Some(NodeId(id / 2)),
        package: Some(id / 2),
        core: id,
        smt: 0,
        efficiency: Reading::unavailable("by hand"),
    };
    Machine {
        source: Source::Live,
        packages: vec![],
        nodes: vec![node(0, "0-1"), node(1, "2-3")],
        cpus: (0..4).map(cpu).collect(),
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: "0-3".parse().unwrap(),
        allowed_nodes: "0-1".parse().unwrap(),
        limits: vec![],
    }
}

fn base() -> GridBase {
    GridBase { request: PlacementRequest::as_the_os_does(), pin: None, ranks: None, templates: vec![] }
}

fn command(words: &[&str]) -> RunSpec {
    RunSpec { command: words.iter().map(|word| Argument::from(*word)).collect(), directory: "/".into() }
}

fn laid_out(
    factors: Vec<GridFactor>,
    conditions: &[&str],
    words: &[&str],
) -> Result<GridLayout, LayoutError> {
    let constraints = conditions.iter().map(|text| text.parse().unwrap()).collect();
    lay_out(&Grid::new(factors, constraints)?, &base(), &command(words), &machine())
}

fn lines(layout: &GridLayout) -> Vec<String> {
    layout.grid.runs.iter().map(|run| run.command.shell_line()).collect()
}

fn parameter(name: &str, values: &[&str]) -> GridFactor {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    GridFactor::Parameter { name: name.to_owned(), values }
}

#[test]
fn a_scaling_study_has_a_point_for_each_number_of_threads_and_strategy() {
    let factors =
        vec![GridFactor::Threads(vec![1, 2]), GridFactor::Place(vec![Strategy::None, Strategy::Semi])];
    let layout = laid_out(factors, &[], &["./app", "{threads}"]).unwrap();
    assert_eq!(lines(&layout), ["./app 1", "./app 1", "./app 2", "./app 2"]);
    let points = &layout.design.points;
    assert_eq!(points[0].id.0, "threads=1 place=none");
    assert_eq!((points[0].role, points[3].role), (PointRole::Baseline, PointRole::Candidate));
    let last = &points[3].request;
    assert_eq!((last.threads, last.strategy, last.binding), (Some(2), Strategy::Semi, ThreadBinding::Pinned));
    assert_eq!(points[2].request.binding, ThreadBinding::Free);
    assert_eq!(layout.design.pairs.len(), 3);
    let workers: Vec<_> = layout.grid.runs.iter().map(|run| run.workers).collect();
    assert_eq!(workers, [Some(1), Some(1), Some(2), Some(2)]);
    let levels: Vec<Vec<&str>> =
        layout.grid.runs.iter().map(|run| layout.grid.levels(run).collect()).collect();
    assert_eq!(levels[3], ["2", "semi"]);
}

#[test]
fn ranks_are_the_launchers_and_copies_are_ours() {
    let divisions = [(4, 1), (2, 2)].map(|(ranks, threads)| RanksByThreads { ranks, threads });
    let factors = vec![GridFactor::RanksTimesThreads(divisions.to_vec())];
    let layout = laid_out(factors, &[], &["mpirun", "-n", "{ranks}", "./bt"]).unwrap();
    assert_eq!(lines(&layout), ["mpirun -n 4 ./bt", "mpirun -n 2 ./bt"]);
    let requests: Vec<_> = layout.design.points.iter().map(|point| &point.request).collect();
    assert_eq!((requests[1].tasks, requests[1].threads), (1, Some(2)));
    assert_eq!(layout.grid.runs[1].workers, Some(4));
    let factors = vec![GridFactor::Copies(vec![1, 4])];
    let layout = laid_out(factors, &[], &["./g16", "{task}.gjf", "{copies}"]).unwrap();
    assert_eq!(
        lines(&layout),
        ["./g16 '{task}.gjf' 1", "./g16 '{task}.gjf' 4"].map(|line| line.replace('\'', ""))
    );
    assert_eq!(layout.design.points[1].request.tasks, 4);
}

#[test]
fn parameters_variables_and_commands_are_filled_in() {
    let factors = vec![
        parameter("schedule", &["static", "dynamic"]),
        parameter("init", &["serial", "first-touch"]),
        GridFactor::Variable { name: "OMP_WAIT_POLICY".to_owned(), values: vec!["active".to_owned()] },
    ];
    let words = ["./iso", "--schedule", "{schedule}", "{init:+--first-touch}"];
    let layout = laid_out(factors, &["schedule==static || init==first-touch"], &words).unwrap();
    assert_eq!(
        lines(&layout),
        [
            "./iso --schedule static",
            "./iso --schedule static --first-touch",
            "./iso --schedule dynamic --first-touch"
        ]
    );
    assert_eq!(layout.grid.runs[0].environment, [("OMP_WAIT_POLICY".to_owned(), "active".to_owned())]);
    assert_eq!(layout.grid.runs[0].workers, None);
    let of = |name: &str, words: &[&str]| super::super::NamedCommand {
        name: name.to_owned(),
        command: command(words),
    };
    let factors = vec![
        GridFactor::Commands(vec![of("gcc", &["./a.gcc", "{n}"]), of("clang", &["./a.clang", "{n}"])]),
        parameter("n", &["1"]),
    ];
    let layout = laid_out(factors, &[], &["unused"]).unwrap();
    assert_eq!(lines(&layout), ["./a.gcc 1", "./a.clang 1"]);
    assert_eq!(layout.design.points[1].id.0, "command=clang n=1");
}

#[test]
fn what_points_have_in_common_stays() {
    let request = PlacementRequest {
        memory: MemoryRequest::Interleave(None),
        balancing: Balancing::Off,
        pages: PageSize::Thp,
        choice: CpuChoice { skip_os_core: true, ..CpuChoice::default() },
        ..PlacementRequest::as_the_os_does()
    };
    let base = GridBase {
        request: request.clone(),
        pin: Some(ThreadBinding::Pinned),
        ranks: None,
        templates: vec![],
    };
    let grid = Grid::new(vec![GridFactor::Step(vec![1, 2])], vec![]).unwrap();
    let layout = lay_out(&grid, &base, &command(&["./app"]), &machine()).unwrap();
    let second = &layout.design.points[1].request;
    assert_eq!(second.choice.step.get(), 2);
    assert!(second.choice.skip_os_core && second.memory == request.memory && second.pages == PageSize::Thp);
    assert_eq!(second.binding, ThreadBinding::Pinned);
}

#[test]
fn figures_of_the_machine_are_known_to_conditions() {
    let factors = || vec![GridFactor::Threads((1..=8).collect())];
    for (condition, count) in [
        ("threads<=cpus", 4),
        ("threads==cores", 1),
        ("threads<=nodes", 2),
        ("threads>packages", 6),
        ("threads>hbm_nodes", 8),
    ] {
        assert_eq!(
            laid_out(factors(), &[condition], &["a"]).unwrap().design.points.len(),
            count,
            "{condition}"
        );
    }
}

#[test]
fn a_factor_that_changes_nothing_and_a_placeholder_of_nothing_are_errors() {
    let unused = laid_out(vec![parameter("n", &["1", "2"])], &[], &["./app"]).unwrap_err();
    assert_eq!(
        unused.to_string(),
        "the factor n changes nothing: {n} stands nowhere in the command; write it where its level belongs, as in ./app --n={n}"
    );
    let unused = laid_out(vec![GridFactor::Ranks(vec![1, 2])], &[], &["mpirun", "./app"]).unwrap_err();
    assert!(unused.to_string().contains("mpirun -n {ranks} ./app"), "{unused}");
    let nothing = laid_out(vec![parameter("n", &["1"])], &[], &["./app", "{n}", "{m}"]).unwrap_err();
    assert!(
        nothing
            .to_string()
            .contains("{m} in '{m}' names nothing; there are: n, threads, task, cpus, nodes, host"),
        "{nothing}"
    );
    let empty = laid_out(vec![parameter("n", &["1", "2"])], &[], &["{n:+./app}"]).unwrap_err();
    assert_eq!(empty, LayoutError::Empty { point: "n=1".into() });
    // Threads set OMP_NUM_THREADS, and need no place in the command.
    assert!(laid_out(vec![GridFactor::Threads(vec![1, 2])], &[], &["./app"]).is_ok());
}

#[test]
fn paths_of_input_files_stay_in_the_command_and_factors_may_stand_in_the_files_alone() {
    let of = |file: &str, text: &str| InputTemplate { file: file.to_owned(), text: text.to_owned() };
    let laid_out = |templates: &[InputTemplate], words: &[&str]| {
        let grid = Grid::new(vec![parameter("n", &["1", "2"])], vec![]).unwrap();
        let base = GridBase { templates: templates.to_vec(), ..base() };
        lay_out(&grid, &base, &command(words), &machine())
    };
    let one = [of("in/a.nml", "n = {n} {task}\n")];
    let layout = laid_out(&one, &["./app", "{template}", "-d{template_dir}"]).unwrap();
    assert_eq!(lines(&layout), vec!["./app {template} -d{template_dir}"; 2]);
    assert_eq!(layout.grid.templates, one);
    let error = laid_out(&[of("a.nml", "{m}")], &["./app", "{template}"]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a.nml, line 1: {m} names nothing; there are: n, threads, task, cpus, nodes, host"),
        "{error}"
    );
    let error = laid_out(&[of("a.nml", "")], &["./app", "{template}"]).unwrap_err();
    assert!(error.to_string().contains("{n} stands nowhere in the command, nor in an input file"), "{error}");
    let two = [of("a.nml", "{n}"), of("b.nml", "")];
    let error = laid_out(&two, &["./app", "{template}"]).unwrap_err();
    assert!(
        error.to_string().contains(
            "there are: n, threads, task, cpus, nodes, host, template:a.nml, template:b.nml, template_dir"
        ),
        "{error}"
    );
}

#[test]
fn both_numbers_of_a_division_are_at_their_first_level_together() {
    let division = GridFactor::RanksTimesThreads(vec![
        RanksByThreads { ranks: 4, threads: 1 },
        RanksByThreads { ranks: 2, threads: 2 },
    ]);
    let layout = laid_out(vec![division], &[], &["mpirun", "-n", "{ranks}", "{threads:+-t}"]).unwrap();
    assert_eq!(lines(&layout), ["mpirun -n 4", "mpirun -n 2 -t"]);
}

#[test]
fn near_a_device_is_a_level_of_its_own_beside_strategies() {
    let gpu: DeviceName = "gpu:0".parse().unwrap();
    let factors = vec![
        GridFactor::Place(vec![Strategy::None, Strategy::Local]),
        GridFactor::Near(vec![None, Some(gpu.clone())]),
    ];
    let layout = laid_out(factors, &[], &["./app", "{near}"]).unwrap();
    assert_eq!(lines(&layout), ["./app none", "./app gpu:0", "./app none", "./app gpu:0"]);
    let points = &layout.design.points;
    assert_eq!(points[3].id.0, "place=local near=gpu:0");
    let level = |k: usize| (points[k].request.strategy, points[k].levels.placement.near.clone());
    assert_eq!(level(0), (Strategy::None, None));
    assert_eq!(level(1), (Strategy::Explicit, Some(gpu.clone())), "without a strategy it is the placement");
    assert_eq!(points[1].request.binding, ThreadBinding::Free);
    assert_eq!(level(3), (Strategy::Local, Some(gpu)));
    assert_eq!(layout.grid.factors[1].kind, FactorKind::Place);
    assert_eq!(
        (&*layout.grid.factors[1].name, &layout.grid.factors[1].levels[1]),
        ("near", &"gpu:0".to_owned())
    );
}
