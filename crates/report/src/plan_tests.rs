use numawise_facts::notice::{LaunchNotice, PlanNotice};
use numawise_facts::{Cpu, MemoryMode, MemoryPlan, Reading, Source, Strategy};
use numawise_units::{CpuId, NodeId, TaskId};

use super::*;
use crate::document::{Style, terminal};

fn machine() -> Machine {
    let cpu = |id| Cpu {
        id: CpuId(id),
        node: Some(NodeId(id / 2)),
        package: Some(id / 2),
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
        allowed_nodes: "0-1".parse().unwrap(),
        limits: vec![],
    }
}

fn placement(binding: ThreadBinding) -> Placement {
    let task = |number: u32, cpus: &str, threads: &[&str], mode, nodes: &str| TaskPlacement {
        task: TaskId(number),
        cpus: cpus.parse().unwrap(),
        threads: threads.iter().map(|cpus| cpus.parse().unwrap()).collect(),
        memory: MemoryPlan::new(mode, nodes.parse().unwrap()),
        gpus: Vec::new(),
    };
    Placement {
        strategy: Strategy::Semi,
        binding,
        tasks: vec![
            task(0, "0-1", &["0", "1"], MemoryMode::Bind, "0"),
            task(1, "2-3", &["2", "3"], MemoryMode::WeightedInterleave, "0-1"),
        ],
        warnings: vec![PlanNotice::PoliciesDiffer.into()],
    }
}

fn shown(placement: &Placement, show: impl Fn(&View<'_>) -> String) -> String {
    let environment =
        [("OMP_NUM_THREADS".to_owned(), Some("2".to_owned())), ("KMP_AFFINITY".to_owned(), None)];
    let commands = [
        ToolCommands {
            tool: EquivalentTool::Numactl,
            lines: vec!["numactl ./app".to_owned()],
            missing: vec![],
        },
        ToolCommands {
            tool: EquivalentTool::Taskset,
            lines: vec![],
            missing: vec![PlanNotice::NoMask.into()],
        },
    ];
    let machine = machine();
    let notes = [LaunchNotice::NothingToRebind.into()];
    show(&View {
        machine: &machine,
        placement,
        command: "./app",
        environment: &environment,
        commands: &commands,
        inputs: &[],
        notes: &notes,
        ours: Some(1),
    })
}

fn text(view: &View<'_>) -> String {
    terminal(&document(view), Style::plain())
}

#[test]
fn a_pinned_plan_has_a_row_for_each_thread() {
    let text = shown(&placement(ThreadBinding::Pinned), text);
    let expected = "\
Plan for: ./app
Strategy semi; each thread stays on its CPU.

  Note: --rebind changes nothing: no launcher's variables are in the environment, so that this
  is not a rank of a job.

  task  threads  CPUs  on nodes  memory
  0     2        0-1   0         bind:0
  1     2        2-3   1         weighted:0-1

  This process is task 1.

  task  thread  CPU  core  node  package
  0     0       0    0     0     0
  0     1       1    1     0     0
  1     0       2    2     1     1
  1     1       3    3     1     1

  warning: memory policies that differ between tasks

The program's environment:
  OMP_NUM_THREADS=2
  KMP_AFFINITY is taken out

Equivalent with numactl:
  numactl ./app

Equivalent with taskset:
  (no command does this)
  left out: no mask is needed
";
    assert_eq!(text, expected);
}

#[test]
fn a_free_plan_has_no_rows_of_threads() {
    let text = shown(&placement(ThreadBinding::Free), text);
    assert!(text.contains("threads move inside") && !text.contains("core"), "{text}");
}

#[test]
fn what_the_machine_does_not_tell_is_not_invented() {
    let mut plan = placement(ThreadBinding::Pinned);
    plan.tasks.truncate(1);
    plan.tasks[0].cpus = "9".parse().unwrap();
    plan.tasks[0].threads = vec!["9".parse().unwrap()];
    let text = shown(&plan, text);
    assert!(text.contains("\n  0     0       9    ?     ?     ?\n"), "{text}");
}

#[test]
fn json_has_the_words_that_one_types() {
    let text = shown(&placement(ThreadBinding::Pinned), |view| json(view).to_string());
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], SCHEMA);
    let memory = json!({ "policy": "weighted", "nodes": "0-1", "weights": [], "balancing": false, "pages": "default" });
    assert_eq!(value["tasks"][1]["memory"], memory);
    assert_eq!((&value["notes"][0]["code"], &value["ours"]), (&json!("NW607"), &json!(1)));
    assert_eq!(value["tasks"][1]["threads"], json!(["2", "3"]));
    assert_eq!(value["environment"], json!({ "OMP_NUM_THREADS": "2", "KMP_AFFINITY": null }));
    let missing = json!({ "code": "NW137", "arguments": {}, "text": "no mask is needed" });
    assert_eq!(value["equivalents"][1], json!({ "tool": "taskset", "lines": [], "missing": [missing] }));
}

#[test]
fn weights_balancing_and_pages_are_shown() {
    let mut plan = placement(ThreadBinding::Free);
    let weight = |node, weight| NodeWeight { node: NodeId(node), weight };
    plan.tasks[1].memory.weights = vec![weight(0, 3), weight(1, 1)];
    plan.tasks[0].memory.balancing = true;
    plan.tasks[0].memory.pages = PageSize::Thp;
    let text = shown(&plan, text);
    assert!(
        text.contains("weighted:0-1 (3:1)\n") && text.contains("bind:0, balancing, thp pages\n"),
        "{text}"
    );
    let value: Value = serde_json::from_str(&shown(&plan, |view| json(view).to_string())).unwrap();
    assert_eq!(value["tasks"][1]["memory"]["weights"][0], json!({ "node": 0, "weight": 3 }));
    assert_eq!(value["tasks"][0]["memory"]["balancing"], true);
    assert_eq!(value["tasks"][0]["memory"]["pages"], "thp");
}

#[test]
fn a_script_says_what_its_lines_leave_out() {
    let commands = |lines: &[&str], missing: &[Notice]| ToolCommands {
        tool: EquivalentTool::Taskset,
        lines: lines.iter().map(ToString::to_string).collect(),
        missing: missing.to_vec(),
    };
    assert_eq!(script(&commands(&["a", "b"], &[])), "a\nb\n");
    let hostile =
        numawise_facts::notice::LaunchNotice::ThreadsPinnedBy { library: "two\nlines; rm x".to_owned() };
    let text = script(&commands(&["a"], &[PlanNotice::NoMask.into(), hostile.into()]));
    let expected =
        "# left out: no mask is needed\n# left out: threads of every kind are pinned by two lines; rm x\na\n";
    assert_eq!(text, expected);
}

#[test]
fn input_files_have_a_row_each_and_say_whether_they_stay() {
    let file = |task, stays| InputFile {
        task: TaskId(task),
        template: "in/job.com".to_owned(),
        path: format!("/tmp/numawise-XXXXXX/{task}/job.com"),
        stays,
    };
    let with = |stays| {
        let files = [file(0, stays), file(1, stays)];
        let of = |show: &dyn Fn(&View<'_>) -> String| {
            shown(&placement(ThreadBinding::Free), |view| {
                show(&View { inputs: &files, commands: &[], ..*view })
            })
        };
        (of(&text), of(&|view| json(view)["inputs"].to_string()))
    };
    let (text, json) = with(false);
    let table = "\
Input files, filled in:
  task  template    path
  0     in/job.com  /tmp/numawise-XXXXXX/0/job.com
  1     in/job.com  /tmp/numawise-XXXXXX/1/job.com
";
    assert!(text.contains(table), "{text}");
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("goes with it; what the program puts beside them stays."), "{text}");
    assert!(
        text.contains("No other tool fills input files in") && !text.contains("Equivalent with"),
        "{text}"
    );
    let expected =
        r#"{"task":0,"template":"in/job.com","path":"/tmp/numawise-XXXXXX/0/job.com","stays":false}"#;
    assert!(json.contains(expected), "{json}");
    assert!(with(true).0.contains("They stay when the program has ended."));
}
