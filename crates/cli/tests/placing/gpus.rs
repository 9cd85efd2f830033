//! Plans near devices, and GPUs shared out over tasks, as a user sees them: on a recorded machine, since few computers have GPUs.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Four nodes of four cores with two threads; one GPU on node 1, two on node 3, a network card on node 2.
fn run(words: &str) -> Output {
    let machine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/machines/gpus.xml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    for variable in ["CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "OMP_NUM_THREADS"] {
        command.env_remove(variable);
    }
    command.arg("run").args(words.split_whitespace()).arg("--input").arg(machine).arg("./app");
    command.output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn plan(words: &str) -> Value {
    serde_json::from_str(&stdout(&run(&format!("{words} --dry-run --json")))).unwrap()
}

/// The values of all tasks, `a;b`.
fn of_tasks(plan: &Value, value: impl Fn(&Value) -> String) -> String {
    plan["tasks"].as_array().unwrap().iter().map(value).collect::<Vec<_>>().join(";")
}

fn gpus(plan: &Value) -> String {
    let gpus = |task: &Value| task["gpus"].as_array().unwrap().clone();
    of_tasks(plan, |task| gpus(task).iter().map(|gpu| gpu["gpu"].to_string()).collect::<Vec<_>>().join(","))
}

fn cpus(plan: &Value) -> String {
    of_tasks(plan, |task| task["cpus"].as_str().unwrap().to_owned())
}

fn warns_of_far_gpus(plan: &Value) -> bool {
    plan["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "NW125")
}

#[test]
fn a_plan_stays_near_to_a_device() {
    assert_eq!(cpus(&plan("--near nic:mlx5_0 --place local --threads 4")), "8-11");
    assert_eq!(cpus(&plan("--near gpu:0")), "4-7,20-23");
    assert_eq!(cpus(&plan("--near pci:c1:0 --memory bind --place local --threads 1")), "12");
    assert_eq!(plan("--near gpu:2 --memory bind")["tasks"][0]["memory"]["nodes"], "3");
    assert_eq!(cpus(&plan("--near gpu --place semi --ranks 4 --threads 2")), "4-5;6-7;12-13;14-15");
}

#[test]
fn a_device_that_is_not_there_is_answered_with_those_that_are() {
    for (words, expected) in [
        ("--near gpu:7", "there is gpu:0 (cuda0, nvml0, 0000:41:00.0), gpu:1"),
        ("--near nic:eth0", "there is nic:0 (ib0, mlx5_0, 0000:81:00.0)"),
        ("--near gpu:0 --nodes 0", "gpu:0 is near to node 1, which is none of the nodes asked for (0)"),
        ("--near disk", "expected gpu (all of them), gpu:0, nic:mlx5_0"),
    ] {
        let output = run(&format!("{words} --dry-run"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{words}: {said}");
    }
}

/// The words that `src/verdict_tests.rs` expects in the lines of a check.
#[test]
fn lines_of_a_check_run() {
    let cpus_of =
        |words: &str| cpus(&plan(&format!("--place local {words} --memory bind --threads 2 --pin")));
    assert_eq!(cpus_of("--near gpu:0"), cpus_of("--nodes 1"));
    assert_eq!(cpus_of("--near gpu --nodes 3"), cpus_of("--nodes 3"));
    assert_eq!(cpus_of("--near gpu:0 --cpus 4-5 --nodes 1"), "4-5");
}

/// No machine has so many GPUs.
#[test]
fn experiments_name_a_device_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    for (command, option) in [("check", "--near=gpu:4097"), ("study", "--near=none,gpu:4097")] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_numawise"));
        let output =
            run.current_dir(folder.path()).args([command, option, "--", "touch", "ran"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(125), "{command}: {said}");
        assert!(said.contains("there is no device gpu:4097 on this machine"), "{command}: {said}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{command} left something");
    }
    for (option, expected) in
        [("--near=disk", "expected gpu (all of them), gpu:0"), ("--near=gpu:0,gpu:0", "is there twice")]
    {
        let mut run = Command::new(env!("CARGO_BIN_EXE_numawise"));
        let output = run.current_dir(folder.path()).args(["study", option, "--", "true"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{option}: {said}");
    }
}

#[test]
fn tasks_see_the_gpus_near_to_their_cpus() {
    let shared = plan("--near gpu --place semi --ranks 4 --threads 2 --gpus");
    assert_eq!(gpus(&shared), "0;0;1;2");
    assert_eq!(shared["environment"]["CUDA_VISIBLE_DEVICES"], "0");
    assert_eq!(shared["environment"]["CUDA_DEVICE_ORDER"], "PCI_BUS_ID");
    assert!(!warns_of_far_gpus(&shared), "{}", shared["warnings"]);
    let everywhere = plan("--place semi --ranks 4 --threads 2 --gpus");
    assert_eq!(gpus(&everywhere), "0;0;1;1,2", "task 2 is on node 2, nearest to node 3");
    assert!(warns_of_far_gpus(&everywhere), "{}", everywhere["warnings"]);
    assert_eq!(gpus(&plan("--near gpu --gpus")), "0,1,2", "a task alone has all");
    assert_eq!(gpus(&plan("--near gpu --place semi --ranks 4")), ";;;", "nobody asked");
    let text = stdout(&run("--near gpu --place semi --ranks 4 --threads 2 --gpus --dry-run"));
    assert!(text.contains("GPUs"), "{text}");
}

#[test]
fn other_tools_are_told_the_gpus() {
    let lines = stdout(&run("--near gpu --place semi --ranks 4 --threads 2 --gpus --emit mpirun-openmpi"));
    for words in
        ["-x CUDA_VISIBLE_DEVICES='0'", "-x CUDA_VISIBLE_DEVICES='2'", "-x CUDA_DEVICE_ORDER='PCI_BUS_ID'"]
    {
        assert!(lines.contains(words), "{words}: {lines}");
    }
    let lines = stdout(&run("--near gpu --gpus --emit numactl"));
    assert!(lines.contains("CUDA_VISIBLE_DEVICES='0,1,2'"), "{lines}");
}
