//! Runs of programs with their memory objects, as `numawise objects` keeps them.

#[allow(dead_code)] // each test uses a part
#[path = "../../../analyse/src/sample.rs"]
pub mod machines;
#[allow(dead_code)] // each test uses a part
#[path = "../../../analyse/src/objects/sample.rs"]
pub mod runs;

use numawise_analyse::objects;
use numawise_facts::notice::MachineNotice;
use numawise_facts::objects::{
    BandwidthMoment, BandwidthOverTime, BandwidthSource, DataSource, HugePages, LoadSampler, LoadSamples,
    MemoryBound, MemoryBoundSource, MemoryObject, ObjectCure, ObjectKind, ObjectPages, SampledLoads,
    SourceExcerpt, TriedCure,
};
use numawise_facts::{Effect, Notice, ObjectRun, Reading};
use numawise_report::objects::Shown;
use numawise_tables::ObjectTables;
use numawise_units::{Bytes, BytesPerSecond, Cycles, Nanoseconds, NodeId, Ratio};
use runs::{Done as _, Pattern, object, run};

const EQUALLY: [(u32, f64); 4] = [(0, 250.0), (1, 240.0), (2, 260.0), (3, 250.0)];

/// A run and what is said of it.
pub struct Watched {
    pub run: ObjectRun,
    pub tables: ObjectTables,
}

impl Watched {
    pub fn of(run: ObjectRun) -> Watched {
        Watched { tables: objects(&run), run }
    }

    pub fn shown(&self) -> Shown<'_> {
        Shown { run: &self.run, tables: &self.tables, record: None }
    }
}

/// Grows for ten moments; pages lie where `node` says of each moment.
fn over_time(mut of: MemoryObject, nodes: impl Fn(u64) -> Vec<(NodeId, u64)>) -> MemoryObject {
    let moment = |k: u64| ObjectPages {
        at: Nanoseconds(k * 100_000_000),
        looked_at: 256,
        on_nodes: nodes(k),
        bytes: Bytes(of.bytes.0 / 10 * k + of.bytes.0 % 10 * (k / 10)),
    };
    of.pages = Reading::Measured((1..=10).map(moment).collect());
    of
}

/// Two sockets: one object for each finding that such a machine has, two that are well, and memory that is none.
pub fn wave() -> ObjectRun {
    let u =
        object("u", Bytes(4_509_715_660))
            .touched(&[(0, 110_000)])
            .used(&EQUALLY, Pattern::Divided, |_| Some(0));
    let u = over_time(u, |_| vec![(NodeId(0), 256)]);
    let table = object("table", Bytes::mib(96)).lying(&[(0, 256)]).touched(&[(1, 2000)]).used(
        &[(0, 60.0), (1, 60.0), (2, 70.0), (3, 70.0)],
        Pattern::Everything,
        |_| Some(0),
    );
    let counters = object("counters", Bytes::kib(16)).lying(&[(0, 4)]).touched(&[(0, 9)]).used(
        &[(0, 50.0), (1, 50.0), (2, 60.0), (3, 60.0)],
        Pattern::Lines,
        |_| Some(0),
    );
    let mut tree = object("tree", Bytes::mib(700)).touched(&[(0, 90_000), (1, 90_000)]).used(
        &[(0, 350.0), (1, 330.0)],
        Pattern::Everything,
        |_| Some(0),
    );
    tree = over_time(tree, |k| vec![(NodeId(0), 256 - 10 * k), (NodeId(1), 2 * k)]);
    tree.huge_pages =
        Reading::Measured(HugePages { page: Bytes::kib(4), resident: Bytes::mib(690), huge: Bytes(0) });
    let u = MemoryObject { loads: loads(), ..u };
    let inbox = object("inbox", Bytes::mib(12)).lying(&[(0, 256)]).touched(&[(0, 3000)]).used(
        &[(3, 200.0)],
        Pattern::Divided,
        |_| Some(0),
    );
    let halo = object("halo", Bytes::mib(3))
        .lying(&[(0, 100), (1, 100)])
        .touched(&[(0, 100), (2, 100)])
        .used(&[(0, 40.0), (2, 40.0)], Pattern::Divided, |thread| Some(thread / 2));
    let stack = MemoryObject {
        kind: ObjectKind::Stack,
        name: Reading::unavailable("it is the sum of all memory of this kind"),
        allocated: Reading::unavailable("it is the sum of all memory of this kind"),
        count: 0,
        ..object("", Bytes(0)).used(&[(0, 30.0)], Pattern::Divided, |_| None)
    };
    let small = MemoryObject { kind: ObjectKind::Small, count: 8211, bytes: Bytes::mib(9), ..stack.clone() };
    let unused = object("names<&>", Bytes::mib(1));
    let mut run =
        run(machines::two_sockets(), vec![small, halo, u, table, counters, tree, inbox, stack, unused]);
    let quota = MachineNotice::CpuQuota { cpus: 6.0, file: "cpu.max".to_owned() };
    run.header.notices = vec![Notice::from(quota)];
    run.trials = vec![TriedCure {
        object: None,
        cure: ObjectCure::Interleave,
        command: "numawise run --memory interleave:0-1 -- ./wave 512".to_owned(),
        effect: Reading::Measured(Effect::new(1.77, 1.60, 1.95)),
    }];
    run.sources = vec![
        SourceExcerpt {
            file: "/home/me/wave/wave.cpp".to_owned(),
            line: 41,
            text: "    u = std::vector<float>(cells);".to_owned(),
        },
        SourceExcerpt {
            file: "/home/me/wave/kernel.cpp".to_owned(),
            line: 88,
            text: "        u[i] += c * (v[i - 1] - 2 * v[i] + v[i + 1]);  // </script><b>".to_owned(),
        },
    ];
    run.watching.loads = Reading::Measured(load_samples());
    run.memory_bound =
        Reading::Measured(MemoryBound { share: Ratio(0.61), source: MemoryBoundSource::Samples });
    let moments = (0..20u64).map(|k| BandwidthMoment {
        at: Nanoseconds((k + 1) * 50_000_000),
        by_node: vec![(NodeId(0), BytesPerSecond(2e10 + 1e9 * k as f64)), (NodeId(1), BytesPerSecond(1.5e9))],
        remote: vec![(NodeId(0), BytesPerSecond(0.0)), (NodeId(1), BytesPerSecond(1.5e9))],
    });
    run.bandwidth =
        Reading::Measured(BandwidthOverTime { source: BandwidthSource::Resctrl, moments: moments.collect() });
    run
}

/// Of `u` in [`wave`].
fn loads() -> Vec<SampledLoads> {
    let of = |from, samples: u64, modified, cycles: u64| SampledLoads {
        from,
        samples,
        modified,
        timed: samples,
        cycles: Cycles(cycles * samples),
    };
    vec![
        of(DataSource::L2, 20, 0, 38),
        of(DataSource::L3, 120, 14, 71),
        of(DataSource::LocalMemory, 510, 0, 214),
        of(DataSource::RemoteMemory, 350, 0, 377),
    ]
}

fn load_samples() -> LoadSamples {
    let sampler = LoadSampler::MemLoads { least: Some(Cycles(30)) };
    LoadSamples { sampler, period: 100_003, samples: 1040, without_address: 3 }
}

/// Two sockets with 2 GiB of fast memory, and objects that do not fit there together.
pub fn hbm() -> ObjectRun {
    let used = |name: &str, mib: u64, samples: f64| {
        object(name, Bytes::mib(mib)).lying(&[(0, 256)]).touched(&[(0, 100)]).used(
            &[(0, samples / 2.0), (1, samples / 2.0)],
            Pattern::Divided,
            |_| Some(0),
        )
    };
    run(
        machines::with_hbm(),
        vec![
            used("dense", 1100, 450.0),
            used("left", 1024, 400.0),
            used("right", 1024, 390.0),
            used("cold", 1, 2.0),
        ],
    )
}

/// A program of which nothing but its end is known.
pub fn nothing() -> ObjectRun {
    let mut run = run(machines::two_sockets(), vec![object("u", Bytes::mib(1))]);
    let refused = "the kernel refuses to sample: kernel.perf_event_paranoid is 3";
    run.watching.allocations = Reading::unavailable("the program is linked statically");
    run.watching.time = Reading::unavailable(refused);
    run.watching.faults = Reading::unavailable(refused);
    run.watching.cost = Reading::unavailable("nothing was measured");
    run.watching.page_size = Reading::unavailable("nothing was measured");
    run.header.usage = numawise_facts::ResourceUsage::unavailable("it could not be read");
    run
}
