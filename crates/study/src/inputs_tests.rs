use numawise_facts::{Cpu, MemoryPlan, RanksByThreads, Reading, Source};
use numawise_units::{CpuId, NodeId, TaskId};

use super::*;
use crate::grid::GridFactor;
use crate::input_files::hostname;

fn task(number: u32, threads: usize) -> TaskPlacement {
    TaskPlacement {
        task: TaskId(number),
        cpus: Default::default(),
        threads: vec![Default::default(); threads],
        memory: MemoryPlan::default_policy(),
        gpus: Vec::new(),
    }
}

/// CPUs 0 to 3 on one node.
fn machine() -> Machine {
    let cpu = |id: u32| Cpu {
        id: CpuId(id),
        node: Some(NodeId(1)),
        package: None,
        core: id,
        smt: 0,
        efficiency: Reading::unavailable("all alike"),
    };
    Machine {
        source: Source::Synthetic("by hand".to_owned()),
        packages: vec![],
        nodes: vec![],
        cpus: (0..4).map(cpu).collect(),
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: "0-3".parse().unwrap(),
        allowed_nodes: "1".parse().unwrap(),
        limits: vec![],
    }
}

fn run(levels: &[u32]) -> GridRun {
    GridRun {
        point: "p".into(),
        levels: levels.to_vec(),
        workers: None,
        command: RunSpec { command: vec!["app".into()], directory: "/".into() },
        environment: vec![],
    }
}

fn inputs(folder: &Path, files: &[(&str, &str)]) -> TrialInputs {
    let values = vec!["1".to_owned(), "2".to_owned()];
    let factors = vec![
        GridFactor::RanksTimesThreads(vec![
            RanksByThreads { ranks: 4, threads: 1 },
            RanksByThreads { ranks: 2, threads: 2 },
        ]),
        GridFactor::Parameter { name: "n".to_owned(), values },
    ];
    let templates: Vec<InputTemplate> = files
        .iter()
        .map(|(file, text)| InputTemplate { file: (*file).to_owned(), text: (*text).to_owned() })
        .collect();
    TrialInputs::new(&Grid::new(factors, vec![]).unwrap(), &templates, folder.join("in"))
}

#[test]
fn each_task_gets_its_own_files_and_they_go_with_the_trial() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{n} {n:+more}{n=1:+one} {ranks}x{threads} {ranks:+not first} {task} {{n}} {template_dir}\n";
    let inputs = inputs(folder.path(), &[("a/x.nml", text)]);
    let file = |of: u32| folder.path().join(format!("in/{of}/x.nml"));
    let written = |of: u32| std::fs::read_to_string(file(of)).unwrap();
    inputs.write(&run(&[0, 0]), &[task(0, 1)], &machine()).unwrap();
    let shown = folder.path().display();
    assert_eq!(written(0), format!("1 one 4x1  0 {{n}} {shown}/in/0\n"));
    std::fs::write(folder.path().join("in/0/out"), "of the program").unwrap();
    inputs.write(&run(&[1, 1]), &[task(0, 2), task(1, 2)], &machine()).unwrap();
    assert!(!folder.path().join("in/0/out").exists(), "nothing of an earlier trial is there");
    assert_eq!(written(1), format!("2 more 2x2 not first 1 {{n}} {shown}/in/1\n"));
    inputs.remove();
    assert!(!folder.path().join("in").exists());
}

#[test]
fn a_file_is_told_the_cpus_of_its_task_their_nodes_and_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = inputs(folder.path(), &[("x.gjf", "%cpu={cpus} of {nodes} on {host} {{cpus}}")]);
    let placed = |cpus: &str| TaskPlacement { cpus: cpus.parse().unwrap(), ..task(0, 2) };
    inputs.write(&run(&[0, 0]), &[placed("2-3")], &machine()).unwrap();
    let host = hostname().measured().unwrap().clone();
    let written = std::fs::read_to_string(folder.path().join("in/0/x.gjf")).unwrap();
    assert_eq!(written, format!("%cpu=2-3 of 1 on {host} {{cpus}}"));
    let unknown = inputs.write(&run(&[0, 0]), &[placed("9")], &machine()).unwrap_err();
    assert_eq!(unknown.to_string(), "{nodes} is not known: of none of CPUs 9 the node is known");
}

#[test]
fn paths_stand_in_the_command_with_the_number_of_the_task_left_open() {
    let folder = tempfile::tempdir().unwrap();
    let one = inputs(folder.path(), &[("a/x.nml", "")]);
    let of = |inputs: &TrialInputs, text: &str| inputs.in_word(&text.into()).0.into_string().unwrap();
    let base = folder.path().join("in/{task}").display().to_string();
    assert_eq!(of(&one, "-i={template}"), format!("-i={base}/x.nml"));
    assert_eq!(
        of(&one, "cd {template_dir}; cat {template:x.nml} {x}"),
        format!("cd {base}; cat {base}/x.nml {{x}}")
    );
    let two = inputs(folder.path(), &[("x", ""), ("y", "")]);
    assert_eq!(of(&two, "{template:y} {template}"), format!("{base}/y {{template}}"));
}

#[test]
fn what_is_not_ours_stays_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("in/notes");
    std::fs::create_dir_all(&mine).unwrap();
    let inputs = inputs(folder.path(), &[("x", "")]);
    let said = inputs.write(&run(&[0, 0]), &[task(0, 1)], &machine()).unwrap_err().to_string();
    assert!(said.contains("notes is there already, which is not ours"), "{said}");
    drop(inputs);
    assert!(mine.is_dir());
}
