//! The library and the command plan alike: each request of a program gives the CPUs that `run --dry-run` shows for the same words, on every
//! machine that we have a description of, also those with holes in their numbers, with two kinds of cores, and with more than 1,024 CPUs.

use std::path::{Path, PathBuf};
use std::process::Command;

use numawise_inside::{Asked, cpus_of, plan};
use numawise_machine::{Machine, from_input};
use serde_json::Value;

/// hwloc's synthetic descriptions: two sockets, four threads a core, and 2,048 CPUs.
const SYNTHETIC: [&str; 3] =
    ["pack:2 [numa] core:4 pu:2", "pack:2 [numa] core:3 pu:4", "pack:8 [numa] core:128 pu:2"];

fn recorded() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = root.join("testdata/machines");
    let mut found: Vec<PathBuf> = own.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    let shared = root.join("../shared/machines");
    match shared.read_dir() {
        Ok(files) => found.extend(files.map(|file| file.unwrap().path())),
        Err(_) => eprintln!("SKIPPED in part: {} is not there", shared.display()),
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "xml"));
    found.sort();
    found
}

/// Requests in words of both; 0 threads are none that were asked for, which the two count differently, and so are left out.
fn requests() -> Vec<Asked<'static>> {
    let of = |strategy, tasks, threads| Asked { strategy, tasks, threads, ..Asked::default() };
    let mut all: Vec<Asked<'static>> = Vec::new();
    for strategy in ["local", "distributed", "semi"] {
        all.extend(
            [(1, 1), (1, 3), (2, 2), (3, 5)].map(|(tasks, threads)| of(Some(strategy), tasks, threads)),
        );
        all.push(Asked { step: 3, ..of(Some(strategy), 1, 4) });
        all.push(Asked { skip_os_core: true, ..of(Some(strategy), 1, 4) });
        all.push(Asked { smt: Some("1"), order: Some("compact"), ..of(Some(strategy), 1, 2) });
        all.push(Asked { efficient_cores: true, ..of(Some(strategy), 1, 6) });
        // More threads than CPUs begin again.
        all.push(of(Some(strategy), 1, 20));
    }
    all.push(Asked { skip: Some("0"), ..of(Some("local"), 1, 2) });
    for order in ["scatter", "balanced", "0,2,1"] {
        all.push(Asked { order: Some(order), ..of(None, 1, 3) });
    }
    all.push(Asked { cpus: Some("0-2"), ..of(Some("explicit"), 1, 3) });
    all
}

fn words(asked: &Asked<'_>) -> Vec<String> {
    let mut words = vec![format!("--threads={}", asked.threads)];
    let mut option = |name: &str, value: Option<&str>| {
        words.extend(value.map(|value| format!("--{name}={value}")));
    };
    option("place", asked.strategy.filter(|strategy| *strategy != "explicit"));
    option("order", asked.order);
    option("smt", asked.smt);
    option("cpus", asked.cpus);
    option("skip-cpus", asked.skip);
    let tasks = (asked.tasks > 1).then(|| asked.tasks.to_string());
    option("copies", tasks.as_deref());
    let step = (asked.step > 0).then(|| asked.step.to_string());
    option("step", step.as_deref());
    // Lists of CPUs leave threads free in them, unless they are to be held; a library has no other use for a list.
    words.extend((asked.strategy == Some("explicit")).then(|| "--pin".to_owned()));
    words.extend(asked.skip_os_core.then(|| "--skip-os-core".to_owned()));
    words.extend(asked.efficient_cores.then(|| "--efficient-cores".to_owned()));
    words
}

/// The CPUs of each thread of each task; what the command says where it refuses.
fn of_command(input: &str, words: &[String]) -> Result<Vec<Vec<String>>, String> {
    let mut run = Command::new(env!("CARGO_BIN_EXE_numawise"));
    run.args(["run", "--dry-run", "--json", "--input", input]).args(words).args(["--", "true"]);
    let said = run.env_remove("OMP_NUM_THREADS").output().unwrap();
    if !said.status.success() {
        return Err(String::from_utf8_lossy(&said.stderr).into_owned());
    }
    let found: Value = serde_json::from_slice(&said.stdout).unwrap();
    let texts =
        |list: &Value| list.as_array().unwrap().iter().map(|of| of.as_str().unwrap().to_owned()).collect();
    Ok(found["tasks"].as_array().unwrap().iter().map(|task| texts(&task["threads"])).collect())
}

fn of_library(machine: &Machine, asked: &Asked<'_>) -> Result<Vec<Vec<String>>, String> {
    let placement = plan(machine, asked).map_err(|error| error.to_string())?;
    let cpus = |task: usize| {
        let threads = (0..asked.threads).map(|k| cpus_of(&placement, task as u32, k).unwrap().to_string());
        threads.collect()
    };
    Ok((0..placement.tasks.len()).map(cpus).collect())
}

/// How many plans were equal, and how many requests both refused.
fn compared(inputs: &[&str]) -> (usize, usize) {
    let (mut planned, mut refused) = (0, 0);
    for input in inputs {
        let machine = match from_input(input) {
            Ok(machine) => machine,
            Err(error) => {
                eprintln!("SKIPPED: {input}: {error}");
                continue;
            }
        };
        for asked in requests() {
            let words = words(&asked);
            match (of_library(&machine, &asked), of_command(input, &words)) {
                (Ok(ours), Ok(theirs)) => {
                    assert_eq!(ours, theirs, "{input} {words:?}");
                    planned += 1;
                }
                (Err(ours), Err(theirs)) => {
                    assert!(theirs.contains(&ours), "{input} {words:?}: {ours}\n{theirs}");
                    refused += 1;
                }
                (ours, theirs) => panic!("{input} {words:?}: {ours:?}\n{theirs:?}"),
            }
        }
    }
    (planned, refused)
}

#[test]
fn the_library_plans_as_the_command_does() {
    let recorded = recorded();
    let inputs: Vec<&str> = recorded.iter().map(|path| path.to_str().unwrap()).chain(SYNTHETIC).collect();
    let parts: Vec<&[&str]> = inputs.chunks(inputs.len().div_ceil(4)).collect();
    let counts = std::thread::scope(|scope| {
        let running: Vec<_> = parts.iter().map(|part| scope.spawn(|| compared(part))).collect();
        running.into_iter().map(|part| part.join().expect("the plans are equal")).collect::<Vec<_>>()
    });
    let planned: usize = counts.iter().map(|(planned, _)| planned).sum();
    let refused: usize = counts.iter().map(|(_, refused)| refused).sum();
    assert!(planned > 300 && refused > 0, "{planned} were planned, {refused} refused");
}
