//! Threads on their CPUs, sizes of pages, and NUMA balancing, as the kernel tells them.

use std::time::Duration;

use testbed::Mpi;

use crate::json;
use crate::probe::{Line, lines, with_probe};

const PROBE: &str = "place_probe threads";

fn by_thread(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by_key(|line| (line.text("rank").to_owned(), line.number("thread")));
    lines
}

/// The k-th thread that a program with plain pthreads creates stays on the CPU of the plan; without the library it may move
/// inside the task's CPUs.
#[test]
fn emulated_threads_stay_where_the_plan_wants_them() {
    if !testbed::ready() || !testbed::mpi_ready(Mpi::Mpich) {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let requests = [
        ("--place distributed --threads 4", 4),
        ("--place local --threads 2", 2),
        ("--place semi --threads 2", 2),
    ];
    let mut commands: Vec<String> = requests
        .iter()
        .flat_map(|(options, threads)| {
            let command = format!("{options} -- {PROBE} {threads} 0.4");
            [format!("numawise run --dry-run --json {command}"), format!("numawise run {command}")]
        })
        .collect();
    commands.push(format!("numawise run --no-preload --place distributed --threads 4 -- {PROBE} 4 0.2"));
    commands
        .push(format!("numawise run --dry-run --json --ranks 2 --place semi --threads 2 -- {PROBE} 2 0.2"));
    let ranks = format!("numawise run --place semi --threads 2 -- {PROBE} 2 0.4");
    commands.push(format!("{} -np 2 {ranks}", Mpi::Mpich.launcher()));
    commands.push(format!("numawise run --copies 2 --place semi --threads 2 -- {PROBE} 2 0.4"));
    let run = with_probe(&machine).mpi(Mpi::Mpich).limit(Duration::from_secs(300)).run(&commands).unwrap();

    let stay = |line: &Line, cpu: &serde_json::Value, of: &str| {
        assert_eq!(line.text("cpus"), cpu, "{of}: {line:?}");
        assert_eq!((line.text("seen"), line.text("migrations")), (line.text("cpus"), "0"), "{of}: {line:?}");
    };
    for ((options, threads), pair) in requests.iter().zip(run[..6].chunks(2)) {
        let plan = json(&pair[0]);
        let told = by_thread(lines(&pair[1]));
        assert_eq!(told.len(), *threads, "{}", pair[1].stdout);
        for (k, line) in told.iter().enumerate() {
            stay(line, &plan["tasks"][0]["threads"][k], options);
        }
    }
    for line in lines(&run[6]) {
        assert_eq!(line.text("cpus"), "0-3", "free inside the task without the library: {line:?}");
    }
    let plan = json(&run[7]);
    for started in &run[8..10] {
        for (k, line) in by_thread(lines(started)).iter().enumerate() {
            stay(line, &plan["tasks"][k / 2]["threads"][k % 2], &started.command);
        }
    }
}

/// The flag of NUMA balancing in the policy; a policy without it; and huge pages where they were asked for and nowhere else.
#[test]
fn emulated_balancing_and_sizes_of_pages() {
    if !testbed::ready() {
        return;
    }
    const THP: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    let machine = testbed::load("two-socket").unwrap();
    let run = with_probe(&machine)
        .run(&[
            "numawise run -m 0 --balancing -- place_probe self 2".to_owned(),
            "numawise run -m 0 -- place_probe self 2".to_owned(),
            "numawise run --balancing=off -- place_probe self 2".to_owned(),
            format!("echo madvise > {THP}; numawise run --page-size thp -- place_probe heap 32"),
            "numawise run --page-size default --threads 1 -- place_probe heap 32".to_owned(),
            format!("echo always > {THP}; numawise run --page-size small -- place_probe heap 32"),
            "place_probe heap 32".to_owned(),
            format!("echo never > {THP}; numawise run --page-size thp -- true"),
        ])
        .unwrap();
    let told = |k: usize| lines(&run[k]).remove(0);
    // MPOL_F_NUMA_BALANCING of linux/mempolicy.h.
    assert_eq!((told(0).text("policy"), told(0).text("nodes"), told(0).text("flags")), ("bind", "0", "2000"));
    assert_eq!((told(1).text("policy"), told(1).text("flags")), ("bind", "0"));
    assert_eq!((told(2).text("policy"), told(2).text("flags")), ("local", "0"));
    let huge = |k: usize| told(k).number("huge_kib");
    assert!(huge(3) >= 30 << 10, "thp, where programs must ask: {} KiB", huge(3));
    assert_eq!(huge(4), 0, "nobody asked");
    assert_eq!(huge(5), 0, "small, where all programs get huge ones");
    assert!(huge(6) >= 30 << 10, "the same without numawise: {} KiB", huge(6));
    assert_eq!(run[7].status, 0, "{}", run[7].stderr);
    assert!(run[7].stderr.contains("transparent"), "thp where there are none: {}", run[7].stderr);
}
