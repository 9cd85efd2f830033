use numawise_facts::MemoryPlan;
use numawise_units::{CpuSet, TaskId};

use super::*;

fn task(threads: &[&str]) -> TaskPlacement {
    let threads: Vec<CpuSet> = threads.iter().map(|cpus| cpus.parse().unwrap()).collect();
    let cpus = threads.iter().fold(CpuSet::new(), |all, cpus| all.union(cpus));
    TaskPlacement { task: TaskId(0), cpus, threads, memory: MemoryPlan::default_policy(), gpus: Vec::new() }
}

fn pinner() -> Pinner {
    Pinner { library: "/opt/lib/libnumawise_agent.so".into(), verbose: false }
}

#[test]
fn the_plan_is_the_task_and_then_its_threads() {
    assert_eq!(encoded(PlanEffect::Places, &task(&["4", "0", "8-9"])), "1;0,4,8-9;4;0;8-9");
}

#[test]
fn what_is_preloaded_already_stays_behind_ours() {
    let ours = "/opt/lib/libnumawise_agent.so";
    for (now, then) in [
        (None, ours.to_owned()),
        (Some(""), ours.to_owned()),
        (Some("/a/b.so c.so"), format!("{ours}:/a/b.so:c.so")),
        (Some("/a.so:/old/libnumawise_agent.so:/b.so"), format!("{ours}:/a.so:/b.so")),
        (Some(ours), ours.to_owned()),
    ] {
        assert_eq!(preloaded(ours, now.map(std::ffi::OsStr::new)), then, "{now:?}");
    }
}

#[test]
fn the_variables_are_those_that_the_library_reads() {
    let changes =
        pinning(PlanEffect::Places, &task(&["0", "1"]), &Pinner { verbose: true, ..pinner() }, &|_| None);
    let names: Vec<&str> = changes.iter().map(|change| change.name).collect();
    assert_eq!(names, ["LD_PRELOAD", "NUMAWISE_PIN", "ASAN_OPTIONS", "NUMAWISE_PIN_VERBOSE"]);
    assert_eq!(changes[1].value.as_deref(), Some("1;0-1;0;1"));
}

#[test]
fn an_outer_plan_is_taken_out() {
    assert_eq!(no_pinning(&|_| None), None);
    let outer = |name: &str| (name == "NUMAWISE_PIN").then(|| "1;0;0".into());
    assert_eq!(no_pinning(&outer), Some(Change { name: "NUMAWISE_PIN", value: None }));
    let loud = |name: &str| (name == "NUMAWISE_PIN_VERBOSE").then(|| "1".into());
    assert!(
        pinning(PlanEffect::Places, &task(&["0"]), &pinner(), &loud)
            .contains(&Change { name: "NUMAWISE_PIN_VERBOSE", value: None })
    );
}

#[test]
fn the_library_is_found_beside_the_program_or_where_it_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let exe = folder.path().join("bin/numawise");
    std::fs::create_dir_all(folder.path().join("bin")).unwrap();
    std::fs::create_dir_all(folder.path().join("lib/numawise")).unwrap();
    assert_eq!(find_agent(&exe), None);
    std::fs::write(folder.path().join("lib/numawise/libnumawise_agent.so"), "").unwrap();
    let installed = find_agent(&exe).unwrap();
    assert!(installed.ends_with("lib/numawise/libnumawise_agent.so"));
    std::fs::write(folder.path().join("bin/libnumawise_agent.so"), "").unwrap();
    assert_eq!(find_agent(&exe).unwrap(), folder.path().join("bin/libnumawise_agent.so"));
    assert_eq!(find_agent(Path::new("/")), None);
}

#[test]
fn a_library_that_cannot_be_preloaded_is_told_before() {
    let folder = tempfile::tempdir().unwrap();
    let gone = Pinner { library: folder.path().join("libnumawise_agent.so"), verbose: false };
    let obstacle = gone.own_obstacle();
    assert!(matches!(obstacle, Some(PreloadObstacle::LibraryUnreadable { .. })), "{obstacle:?}");
    let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    // The loader ignores some of these in the middle of the output, and ends the program over others.
    for damaged in [&b""[..], b"text", &whole[..64], &whole[..3000], &whole[..whole.len() / 2]] {
        std::fs::write(&gone.library, damaged).unwrap();
        let obstacle = gone.own_obstacle();
        let told = |error: &str| error.contains("damaged");
        assert!(
            matches!(&obstacle, Some(PreloadObstacle::LibraryUnreadable { error, .. }) if told(error)),
            "{} bytes: {obstacle:?}",
            damaged.len()
        );
    }
    std::fs::write(&gone.library, &whole).unwrap();
    assert_eq!(gone.own_obstacle(), None);
    for name in ["a b.so", "a:b.so", "$LIB.so"] {
        let library = folder.path().join(name);
        std::fs::write(&library, "").unwrap();
        let path = library.display().to_string();
        let obstacle = Pinner { library, verbose: false }.own_obstacle();
        assert_eq!(obstacle, Some(PreloadObstacle::LibraryPath { library: path }));
    }
}
