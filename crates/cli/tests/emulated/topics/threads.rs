//! Threads on their CPUs, sizes of pages, and NUMA balancing, as the kernel tells them.

use testbed::{CommandResult, Mpi};

use crate::json;
use crate::probe::{Line, lines};
use crate::shared::Topic;

pub const THREADS: &str = "threads";
pub const THREADS_OF_RANKS: &str = "threads-of-ranks";
pub const SIZES_OF_PAGES: &str = "sizes-of-pages";

const PROBE: &str = "place_probe threads";

fn by_thread(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by_key(|line| (line.text("rank").to_owned(), line.number("thread")));
    lines
}

const REQUESTS: [(&str, usize); 3] = [
    ("--place distributed --threads 4", 4),
    ("--place local --threads 2", 2),
    ("--place semi --threads 2", 2),
];

pub fn placed() -> Topic {
    let both = |(options, threads): (&str, usize)| {
        let command = format!("{options} -- {PROBE} {threads} 0.1");
        [format!("numawise run --dry-run --json {command}"), format!("numawise run {command}")]
    };
    let mut commands: Vec<String> = REQUESTS.into_iter().flat_map(both).collect();
    commands.push(format!("numawise run --no-preload --place distributed --threads 4 -- {PROBE} 4 0.05"));
    Topic::new(THREADS, commands)
}

fn stays(line: &Line, cpu: &serde_json::Value, of: &str) {
    assert_eq!(line.text("cpus"), cpu, "{of}: {line:?}");
    assert_eq!((line.text("seen"), line.text("migrations")), (line.text("cpus"), "0"), "{of}: {line:?}");
}

/// The k-th thread that a program with plain pthreads creates stays on the CPU of the plan; without the library it may move
/// inside the task's CPUs.
pub fn stay_where_the_plan_wants_them(run: &[CommandResult]) {
    for ((options, threads), pair) in REQUESTS.iter().zip(run.chunks(2)) {
        let plan = json(&pair[0]);
        let told = by_thread(lines(&pair[1]));
        assert_eq!(told.len(), *threads, "{}", pair[1].stdout);
        for (k, line) in told.iter().enumerate() {
            stays(line, &plan["tasks"][0]["threads"][k], options);
        }
    }
    for line in lines(run.last().unwrap()) {
        assert_eq!(line.text("cpus"), "0-3", "free inside the task without the library: {line:?}");
    }
}

pub fn of_ranks() -> Topic {
    let threads = format!("--place semi --threads 2 -- {PROBE} 2 0.1");
    Topic::new(
        THREADS_OF_RANKS,
        [
            format!("numawise run --dry-run --json --ranks 2 {threads}"),
            format!("numawise run --copies 2 {threads}"),
            format!("{} -np 2 numawise run {threads}", Mpi::Mpich.launcher()),
        ],
    )
}

/// The same of the threads of each rank.
pub fn of_ranks_stay_where_the_plan_wants_them(run: &[CommandResult]) {
    let plan = json(&run[0]);
    for started in &run[1..] {
        let told = by_thread(lines(started));
        assert_eq!(told.len(), 4, "{}", started.stdout);
        for (k, line) in told.iter().enumerate() {
            stays(line, &plan["tasks"][k / 2]["threads"][k % 2], &started.command);
        }
    }
}

pub fn sizes_of_pages() -> Topic {
    const THP: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    Topic::new(
        SIZES_OF_PAGES,
        [
            "numawise run -m 0 --balancing -- place_probe self 2".to_owned(),
            "numawise run -m 0 -- place_probe self 2".to_owned(),
            "numawise run --balancing=off -- place_probe self 2".to_owned(),
            format!("echo madvise > {THP}; numawise run --page-size thp -- place_probe heap 32"),
            "numawise run --page-size default --threads 1 -- place_probe heap 32".to_owned(),
            format!("echo always > {THP}; numawise run --page-size small -- place_probe heap 32"),
            "place_probe heap 32".to_owned(),
            format!("echo never > {THP}; numawise run --page-size thp -- true"),
        ],
    )
}

/// The flag of NUMA balancing in the policy; a policy without it; and huge pages where they were asked for and nowhere else.
pub fn balancing_and_sizes_of_pages(run: &[CommandResult]) {
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
