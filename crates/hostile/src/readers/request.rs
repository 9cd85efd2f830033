//! Readers of what people type: requests for CPUs and memory, quantities, metrics.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::OnceLock;

use numawise_facts::{
    EquivalentTool, Exit, Machine, MemoryRequest, Metric, Mix, Order, PageSize, PlacementRequest, Smt,
    Strategy, ThreadBinding,
};
use numawise_machine::Policy;
use numawise_study::{MetricReader, TaskRun};
use numawise_units::{Bytes, CpuSet, Nanoseconds, NodeSet, Share};

use super::text;
use crate::{Read, Reader, sane, tree};

/// A reader of words.
const fn typed(name: &'static str, read: fn(&[u8]) -> Read, corpus: &'static [&'static str]) -> Reader {
    let words = &[
        ":", ",", "0-3", "bind", "local", "all", "-", ".", "core", "node", "package", "pu", "~", " ", "1e9",
        "%", "s",
    ];
    Reader { name, read, corpus, words, inputs: 900 }
}

pub(crate) const READERS: [Reader; 6] = [
    typed("memory-request", memory, &["crates/hostile/testdata/memory"]),
    typed("choice-word", choices, &["crates/hostile/testdata/words"]),
    typed("quantity", quantities, &["crates/hostile/testdata/quantities"]),
    typed("location", location, &["crates/hostile/testdata/locations"]),
    Reader {
        name: "placement-request",
        read: placement,
        corpus: &["crates/hostile/testdata/placements"],
        words: &[
            "strategy local\n",
            "strategy distributed\n",
            "strategy semi\n",
            "pinned\n",
            "tasks 4294967295\n",
            "threads 4294967295\n",
            "cpus 0-3\n",
            "nodes 0-1\n",
            "memory hbm\n",
            "memory remote\n",
            "step 4294967295\n",
            "smt 1\n",
            "order scatter\n",
            "order balanced\n",
            "order 0,3-7:2\n",
        ],
        inputs: 900,
    },
    Reader {
        name: "metric",
        read: metric,
        corpus: &["crates/hostile/testdata/metrics"],
        words: &[
            "([0-9.]+)",
            "(.*)",
            "{1000}",
            "{100000}",
            "(?i)",
            "\\pL",
            "*",
            "(a|b|c)*",
            "time: 1e308",
            "NaN",
            "-inf",
            "[^",
        ],
        inputs: 700,
    },
];

/// The value of a text, or the error of `T`'s reader.
fn parsed<T: FromStr>(text: &str) -> Read
where
    T::Err: Display,
{
    Read::of(text.parse::<T>(), |_| None)
}

/// The first that is nonsense, else the last.
fn all(reads: impl IntoIterator<Item = Read>) -> Read {
    let mut last = Read::Accepted;
    for read in reads {
        last = read;
        if matches!(last, Read::Nonsense(_)) {
            break;
        }
    }
    last
}

fn memory(input: &[u8]) -> Read {
    Read::of(text(input).parse::<MemoryRequest>(), |request| match request {
        MemoryRequest::Bind(Some(nodes)) | MemoryRequest::PreferredMany(nodes) => sane::nodes(nodes),
        MemoryRequest::Preferred(Some(node)) if node.0 >= 65_536 => Some(format!("node {node}")),
        _ => None,
    })
}

fn choices(input: &[u8]) -> Read {
    let text = text(input);
    all([
        parsed::<Order>(&text),
        parsed::<Smt>(&text),
        parsed::<PageSize>(&text),
        parsed::<EquivalentTool>(&text),
        parsed::<Mix>(&text),
        parsed::<Strategy>(&text),
    ])
}

fn quantities(input: &[u8]) -> Read {
    let text = text(input);
    let share =
        |share: &Share| (!(share.value() > 0.0 && share.value() < 1.0)).then(|| format!("share {share}"));
    let bytes = |bytes: &Bytes| (bytes.0 >= 1 << 57).then(|| format!("{bytes} of memory"));
    all([
        Read::of(text.parse::<Bytes>(), bytes),
        Read::of(text.parse::<Share>(), share),
        Read::of(text.parse::<Nanoseconds>(), |span| {
            (span.0 == u64::MAX).then(|| format!("a span of {span}"))
        }),
    ])
}

/// Two packages, two nodes, sixteen CPUs.
pub(super) fn two_sockets() -> &'static Machine {
    static MACHINE: OnceLock<Machine> = OnceLock::new();
    MACHINE.get_or_init(|| {
        let recorded = include_bytes!("../../../machine/testdata/two-socket.tree");
        tree::with_tree(recorded, |roots| {
            numawise_machine::without_hwloc(roots, &Policy::Default).expect("a recorded machine")
        })
    })
}

fn location(input: &[u8]) -> Read {
    Read::of(numawise_placement::locate(two_sockets(), &text(input)), sane::cpus)
}

/// Lines of a name and a value become a request, which is placed.
fn placement(input: &[u8]) -> Read {
    let machine = two_sockets();
    let mut request = PlacementRequest::as_the_os_does();
    for line in text(input).lines() {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        if let Err(read) = add(&mut request, name, value) {
            return read;
        }
    }
    Read::of(numawise_placement::place(machine, &request), |placement| {
        let outside = placement.tasks.iter().find(|task| {
            !task.cpus.is_subset(&machine.allowed_cpus) || task.threads.iter().any(|cpus| cpus.is_empty())
        });
        outside.map(|task| format!("task {} has CPUs {}", task.task, task.cpus))
    })
}

fn add(request: &mut PlacementRequest, name: &str, value: &str) -> Result<(), Read> {
    fn read<T: FromStr>(value: &str) -> Result<T, Read>
    where
        T::Err: Display,
    {
        value.parse().map_err(|error: T::Err| Read::refused(&error))
    }
    match name {
        "strategy" => request.strategy = read(value)?,
        "pinned" => request.binding = ThreadBinding::Pinned,
        "tasks" => request.tasks = read(value)?,
        "threads" => request.threads = Some(read(value)?),
        "cpus" => request.cpus = Some(read::<CpuSet>(value)?),
        "nodes" => request.nodes = Some(read::<NodeSet>(value)?),
        "memory" => request.memory = read(value)?,
        "step" => request.choice.step = read(value)?,
        "smt" => request.choice.smt = read(value)?,
        "order" => request.choice.order = read(value)?,
        "skip" => request.choice.skip = read(value)?,
        _ => return Err(Read::Refused(String::new())),
    }
    Ok(())
}

/// The first line is the regular expression, the others are what a program printed.
fn metric(input: &[u8]) -> Read {
    let text = text(input);
    let (regex, output) = text.split_once('\n').unwrap_or((&text, ""));
    let metric = Metric::Output { regex: regex.to_owned(), higher_is_better: true };
    Read::of(MetricReader::new(&metric), |reader| {
        let wall = Nanoseconds(1_000_000_000);
        let task = TaskRun {
            exit: Exit::Code(0),
            ended_by: None,
            wall,
            output: output.to_owned(),
            dropped: 0,
            file: None,
        };
        let value = reader.value(&task).ok()?;
        (!(value.is_finite() && value > 0.0)).then(|| format!("a metric of {value}"))
    })
}
