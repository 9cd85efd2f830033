//! Runs by hand, for tests: what a program of four threads did with its memory.

use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::objects::{
    AccessMethod, AllocationLog, FaultSamples, FirstTouch, LineUse, MemoryObject, ObjectKind, ObjectPages,
    ObjectRunHeader, ObjectThread, ObjectUse, ObjectWatching, PARTS, PartUse, PlaceCount, PlaceUse, Skid,
    TimeSamples, TouchMethod,
};
use numawise_facts::{Argument, Exit, HostFacts, Machine, ObjectRun, Reading, ResourceUsage, RunSpec};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid};

/// A process that is there in each of these runs.
pub const PROCESS: Pid = Pid(4711);

/// Threads 0 to 3, of which the first two are on node 0 and the others on node 1 of a machine of four CPUs a node.
pub fn cpu_of(thread: u32) -> CpuId {
    CpuId([0, 1, 4, 5][thread as usize % 4])
}

/// Places 0 to 4: of the allocation in a header, in the program; of the first touch; of the use; in a library without lines.
fn places() -> Vec<CodePlace> {
    let place = |file: &str, source: &str, function: &str, line: u32| CodePlace {
        file: file.to_owned(),
        address: u64::from(line) * 16,
        source: SourcePlace {
            function: Reading::Measured(function.to_owned()),
            file: Reading::Measured(source.to_owned()),
            line: Reading::Measured(line),
        },
    };
    let mut places = vec![
        place("/wave", "/usr/include/c++/12/bits/new_allocator.h", "allocate", 137),
        place("/wave", "/home/me/wave/wave.cpp", "Grid::Grid", 41),
        place("/wave", "/home/me/wave/grid.cpp", "fill", 17),
        place("/wave", "/home/me/wave/kernel.cpp", "step", 88),
        place("/libfast.so", "", "inner", 0),
    ];
    places[4].source.line = Reading::unavailable("libfast.so has no debugging information");
    places[4].source.file = places[4].source.line.clone().map(|_| String::new());
    places
}

/// A run of a machine, with the objects; of their samples all are in it.
pub fn run(machine: Machine, objects: Vec<MemoryObject>) -> ObjectRun {
    let with_memory: f64 = objects.iter().flat_map(|object| &object.uses).map(|of| of.samples).sum();
    let faults: u64 = objects.iter().flat_map(|object| &object.first_touch).map(|of| of.faults).sum();
    let thread = |number: u32| ObjectThread {
        process: PROCESS,
        tid: Pid(4711 + number as i32),
        name: Reading::Measured("wave".to_owned()),
        number,
    };
    ObjectRun {
        header: header(machine),
        watching: ObjectWatching {
            least: Bytes::kib(16),
            allocations: Reading::Measured(AllocationLog {
                processes: 1,
                events: 12,
                ..AllocationLog::default()
            }),
            time: Reading::Measured(TimeSamples {
                period: Nanoseconds(1_000_000),
                samples: with_memory as u64 * 2,
                with_memory: with_memory.round() as u64,
                unknown_address: 0,
                spinning: 0,
                lost: 0,
                skid: Skid { samples: 100, one_after: 93 },
                method: AccessMethod::Waited,
            }),
            faults: Reading::Measured(FaultSamples {
                samples: faults / 17,
                faults,
                lost: 0,
                method: TouchMethod::Faults,
                in_system_calls: Reading::unavailable("they are not sampled"),
                again: Reading::Measured(0),
            }),
            loads: Reading::unavailable("no event samples loads here"),
            cost: Reading::Measured(Nanoseconds(15_000_000)),
            own_time: Reading::Measured(Nanoseconds(40_000_000)),
            page_size: Reading::Measured(Bytes::kib(4)),
        },
        threads: (0..4).map(thread).collect(),
        places: places(),
        objects,
        sources: vec![],
        bandwidth: Reading::unavailable("it was not collected"),
        ranks: Vec::new(),
        memory_bound: Reading::unavailable("it was not collected"),
        trials: vec![],
        code: Reading::unavailable("its loops were not surveyed"),
    }
}

fn header(machine: Machine) -> ObjectRunHeader {
    let host = HostFacts {
        hostname: Reading::Measured("h".to_owned()),
        kernel: Reading::Measured("6.12".to_owned()),
        cpu_model: Reading::Measured("a processor".to_owned()),
        environment: vec![],
        numa_balancing: Reading::Measured("0".to_owned()),
        transparent_huge_pages: Reading::Measured("madvise".to_owned()),
        frequency: Reading::unavailable("by hand"),
        pid: Pid(4710),
    };
    ObjectRunHeader {
        tool_version: "0.0.0".to_owned(),
        begun: Nanoseconds(1_700_000_000_000_000_000),
        command: RunSpec {
            command: vec![Argument::from("./wave"), Argument::from("512")],
            directory: "/home/me/wave".into(),
        },
        host,
        machine,
        placement: None,
        exit: Some(Exit::Code(0)),
        wall: Nanoseconds(1_000_000_000),
        usage: usage(),
        notices: vec![],
    }
}

fn usage() -> ResourceUsage {
    ResourceUsage {
        user: Reading::Measured(Nanoseconds(900_000_000)),
        system: Reading::Measured(Nanoseconds(100_000_000)),
        peak_memory: Reading::Measured(Bytes::mib(300)),
        ..ResourceUsage::unavailable("by hand")
    }
}

/// An object of which nothing was seen but its allocation.
pub fn object(name: &str, bytes: Bytes) -> MemoryObject {
    MemoryObject {
        kind: ObjectKind::Heap,
        process: PROCESS,
        name: Reading::Measured(name.to_owned()),
        allocated: Reading::Measured(vec![0, 1]),
        count: 1,
        is_estimate: false,
        bytes,
        total: bytes,
        begun: Nanoseconds(1_000_000),
        ended: Reading::unavailable("it was there to the end"),
        pages: Reading::unavailable("not allocated when pages were sampled"),
        first_touch: vec![],
        touch_places: vec![],
        uses: vec![],
        parts: vec![],
        use_places: vec![],
        lines: vec![],
        loads: vec![],
        huge_pages: Reading::unavailable("the size of its pages was not asked for"),
        site: Reading::unavailable("by hand"),
    }
}

/// How threads go over an object.
#[derive(Clone, Copy, PartialEq)]
pub enum Pattern {
    /// Each has a part of its own, one behind the other.
    Divided,
    /// Each uses all of it.
    Everything,
    /// All use all pages, but each has lines of its own in them.
    Lines,
}

/// What is done to an object, step by step.
pub trait Done {
    /// Its pages lie so.
    fn lying(self, on_nodes: &[(u32, u64)]) -> Self;
    /// Each thread took so many page faults, all at place 2.
    fn touched(self, by: &[(u32, u64)]) -> Self;
    /// Each thread has so many samples, half of them reads; pages lie as `nodes` says.
    fn used(self, by: &[(u32, f64)], pattern: Pattern, page: impl Fn(u32) -> Option<u32>) -> Self;
}

impl Done for MemoryObject {
    fn lying(self, on_nodes: &[(u32, u64)]) -> Self {
        let moment = ObjectPages {
            at: Nanoseconds(20_000_000),
            looked_at: 256,
            on_nodes: on_nodes.iter().map(|(node, pages)| (NodeId(*node), *pages)).collect(),
            bytes: self.bytes,
        };
        let mut all = self.pages.measured().cloned().unwrap_or_default();
        all.push(ObjectPages { at: Nanoseconds(20_000_000 * (all.len() as u64 + 1)), ..moment });
        MemoryObject { pages: Reading::Measured(all), ..self }
    }

    fn touched(mut self, by: &[(u32, u64)]) -> Self {
        for (thread, faults) in by {
            self.first_touch.push(FirstTouch {
                thread: *thread,
                cpu: cpu_of(*thread),
                place: Some(2),
                samples: faults / 17,
                faults: *faults,
            });
        }
        let faults = self.first_touch.iter().map(|of| of.faults).sum();
        self.touch_places = vec![PlaceCount { place: 2, faults }];
        self
    }

    fn used(mut self, by: &[(u32, f64)], pattern: Pattern, page: impl Fn(u32) -> Option<u32>) -> Self {
        for (thread, samples) in by {
            let (thread, samples) = (*thread, *samples);
            let node = page(thread).map(NodeId);
            let reads = samples / 2.0;
            self.uses.push(ObjectUse { thread, cpu: cpu_of(thread), node, samples, reads });
            let parts: Vec<u8> = match pattern {
                Pattern::Divided => (16 * thread as u8..16 * (thread as u8 + 1)).collect(),
                Pattern::Everything | Pattern::Lines => (0..PARTS).collect(),
            };
            let each = samples / parts.len() as f64;
            self.parts.extend(parts.iter().map(|part| PartUse { thread, part: *part, samples: each }));
            // Four pages, of each eight lines.
            for (page, line) in (0..4u32).flat_map(|page| (0..8u8).map(move |line| (page, line))) {
                let is_own = match pattern {
                    Pattern::Divided => page == thread,
                    Pattern::Everything => true,
                    Pattern::Lines => u32::from(line) / 2 == thread,
                };
                let lines = match pattern {
                    Pattern::Divided | Pattern::Lines => 8.0,
                    Pattern::Everything => 32.0,
                };
                if is_own {
                    self.lines.push(LineUse { page, line, thread, samples: samples / lines });
                }
            }
        }
        let samples: f64 = self.uses.iter().map(|of| of.samples).sum();
        self.use_places = vec![
            PlaceUse { place: 4, samples: samples * 0.25, reads: 0.0 },
            PlaceUse { place: 3, samples: samples * 0.75, reads: samples * 0.5 },
        ];
        self
    }
}
