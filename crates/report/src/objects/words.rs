//! The words for parts of objects.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{
    AccessMethod, BandwidthOverTime, BandwidthSource, DataSource, FaultSamples, LoadSampler, LoadSamples,
    MemoryBoundSource, ObjectWatching, TouchMethod,
};
use numawise_tables::objects::{LoadRow, NodeShare, ObjectRow, ThreadShare, TouchRow, UseRow};
use numawise_units::{Arrange, Bytes, BytesPerSecond, NodeId, Ratio};

use crate::amount::{many, small_share};
use crate::document::Text;
use crate::findings::objects as object_findings;
use crate::program::{function_in_short, place_in_short};

/// What an object is called: its variable, else what kind of memory it is.
pub fn name(row: &ObjectRow) -> String {
    match row.name.measured() {
        Some(name) => name.clone(),
        None => object_findings::kind(row.kind).to_owned(),
    }
}

/// What it has at its peak: of memory of which no allocation was seen nobody knows it.
pub fn size(row: &ObjectRow) -> Reading<Bytes> {
    if row.count == 0 && row.bytes == Bytes(0) {
        return Reading::unavailable("no allocation of it was recorded");
    }
    Reading::Measured(row.bytes)
}

/// `41 %`: shares of samples are known within some points. What is not nothing is never shown as nothing, nor what is not all as all.
pub fn percent(share: Ratio) -> String {
    match share.0 * 100.0 {
        of if of > 0.0 && of < 0.5 => "< 1 %".to_owned(),
        of if of < 100.0 && of > 99.5 => "> 99 %".to_owned(),
        of => format!("{of:.0} %"),
    }
}

/// What watching took.
pub fn cost(cost: &Reading<Ratio>, watching: &ObjectWatching) -> Text {
    Text::of(cost, |share| {
        let own = watching.own_time.measured();
        let own = own.map(|time| format!("; numawise's own threads {time}")).unwrap_or_default();
        format!("{} of the program's CPU time{own}", small_share(*share))
    })
}

pub fn place(place: &Reading<CodePlace>) -> Text {
    Text::of(place, at)
}

/// Where the line that allocates was called, for those that share it.
pub fn called(row: &ObjectRow) -> String {
    row.called_at.as_ref().map(|place| format!(", called at {}", at(place))).unwrap_or_default()
}

/// `kernel.cpp:88 (step)`; without a line the function and the file that was loaded.
pub fn at(place: &CodePlace) -> String {
    let source = &place.source;
    match (source.file.measured(), source.line.measured(), source.function.measured()) {
        (Some(file), Some(line), Some(function)) => {
            let function = function_in_short(function);
            format!("{}:{line} ({function})", file.rsplit('/').next().unwrap_or(file))
        }
        _ => place_in_short(place),
    }
}

/// `node 0 49 %, node 1 51 %`, in the order of the nodes.
pub fn nodes(shares: &[NodeShare]) -> String {
    let one = |of: &NodeShare| match of.node {
        Some(node) => format!("node {node} {}", percent(of.share)),
        None => format!("CPUs of no node {}", percent(of.share)),
    };
    let mut sorted: Vec<&NodeShare> = shares.iter().filter(|of| of.share.0 > 0.0).collect();
    sorted.arrange_by_key(|of| (of.node.is_none(), of.node));
    sorted.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The node that has nearly all, or all of them.
pub fn lies(shares: &[NodeShare]) -> String {
    match shares {
        [] => "on no node yet".to_owned(),
        [NodeShare { node: Some(node), share }] => format!("on node {node}: {}", percent(*share)),
        _ => format!("on {}", nodes(shares)),
    }
}

/// `thread 0 on node 0, 100 %`; of several how many, and by which nodes.
fn threads(threads: &[ThreadShare], by_node: &[NodeShare]) -> String {
    match threads {
        [] => "nobody".to_owned(),
        [first, ..] if first.share.0 >= 0.9 => {
            format!("{}, {}", object_findings::thread(first.number, first.node), percent(first.share))
        }
        _ => format!("{}, {}", many(threads.len() as u64, "thread"), nodes(by_node)),
    }
}

/// `thread 0 on node 0, 100 %, at grid.cpp:17 (fill)`, with a mark where it was one thread that the others have to wait for.
pub fn touched(touch: &TouchRow, marked: bool) -> String {
    let by = threads(&touch.threads, &touch.nodes);
    let place = touch.place.measured().map(|place| format!(", at {}", at(place))).unwrap_or_default();
    let mark = if marked { "   <- one thread" } else { "" };
    let estimate = match touch.method {
        TouchMethod::Faults => "",
        TouchMethod::Counted => ", an estimate",
    };
    format!("{by}{place}{estimate}{mark}")
}

/// The same without the place.
pub fn touched_by(touch: &TouchRow) -> String {
    threads(&touch.threads, &touch.nodes)
}

/// What shares of time are of.
pub fn whole(method: AccessMethod) -> &'static str {
    match method {
        AccessMethod::Waited => "all time for memory",
        AccessMethod::Passes => "all accesses in loops",
    }
}

/// `node 0 49 %, node 1 51 % of its memory time, kernel.cpp:88 (step), reads 74 %`.
pub fn used(used: &UseRow, method: AccessMethod) -> String {
    let by = match used.threads.as_slice() {
        [first, ..] if first.share.0 >= 0.9 => threads(&used.threads, &used.nodes),
        _ => nodes(&used.nodes),
    };
    let place = used.places.first().map(|(place, _)| format!(", {}", at(place))).unwrap_or_default();
    let remote = used.remote.measured().map(|remote| format!(", remote {}", percent(*remote)));
    let reads = percent(used.reads);
    let of = match method {
        AccessMethod::Waited => "memory time",
        AccessMethod::Passes => "accesses",
    };
    format!("{by} of its {of}{place}, reads {reads}{}", remote.unwrap_or_default())
}

/// How many loads the processor sampled.
pub fn load_samples(of: &LoadSamples) -> String {
    let by = match of.sampler {
        LoadSampler::MemLoads { least: Some(least) } => {
            format!("one in {} that took {least} and more", of.period)
        }
        LoadSampler::MemLoads { least: None } => format!("one in {}", of.period),
        LoadSampler::Ibs => format!("one instruction in {} cycles (IBS)", of.period),
        LoadSampler::Spe { least: Some(least) } => {
            format!(
                "one operation in {} (SPE), kept where it was a load that took {least} and more",
                of.period
            )
        }
        LoadSampler::Spe { least: None } => format!("one operation in {} (SPE)", of.period),
    };
    let without = match of.without_address {
        0 => String::new(),
        without => format!("; {without} of them without an address"),
    };
    format!("{} sampled by the processor, {by}{without}", many(of.samples, "load"))
}

/// `local memory 60 % (214 cycles), L3 40 % (51 cycles); 12 % modified in another core`.
pub fn loads(of: &LoadRow) -> String {
    let sources = of.sources.iter().map(|one| {
        let latency = one.latency.measured().map(|cycles| format!(" ({cycles})"));
        format!("{} {}{}", data_source(one.from), percent(one.share), latency.unwrap_or_default())
    });
    let mut text = sources.collect::<Vec<_>>().join(", ");
    if let Some(remote) = of.remote.measured() {
        text += &format!("; remote {}", percent(*remote));
    }
    if of.modified.0 > 0.0 {
        text += &format!("; {} found modified in the cache of another core", percent(of.modified));
    }
    text
}

fn data_source(of: DataSource) -> &'static str {
    match of {
        DataSource::L1 => "L1",
        DataSource::LineFillBuffer => "line fill buffer",
        DataSource::L2 => "L2",
        DataSource::L3 => "L3",
        DataSource::OtherCore => "another core of the node",
        DataSource::RemoteCache => "remote cache",
        DataSource::LocalMemory => "local memory",
        DataSource::RemoteMemory => "remote memory",
        DataSource::CxlMemory => "CXL memory",
        DataSource::PersistentMemory => "persistent memory",
        DataSource::Uncached => "uncached memory",
        DataSource::Unknown => "not told",
    }
}

/// The mean of each node over the run.
pub fn bandwidth(of: &BandwidthOverTime) -> String {
    let mean = of.mean();
    let node = |(node, total): &(NodeId, BytesPerSecond)| {
        let remote = mean.remote.iter().find(|(of, _)| of == node);
        let remote = remote.map_or_else(String::new, |(_, remote)| format!(", of it {remote} remote"));
        format!("node {node} {total}{remote}")
    };
    mean.by_node.iter().map(node).collect::<Vec<_>>().join("; ")
}

pub fn bandwidth_source(source: BandwidthSource) -> &'static str {
    match source {
        BandwidthSource::Samples => "an estimate from samples of accesses",
        BandwidthSource::MemoryControllers => {
            "of the memory of each node, whoever used it; measured by the memory controllers, of all programs of the machine while it ran"
        }
        BandwidthSource::Resctrl => {
            "measured by the processor (resctrl), of all programs of the machine while it ran"
        }
    }
}

pub fn memory_bound_source(source: MemoryBoundSource) -> &'static str {
    match source {
        MemoryBoundSource::Samples => "by samples after an access to memory, hits in caches included",
        MemoryBoundSource::Slots => {
            "by counters of the processor: places of its pipeline that stayed empty because of memory"
        }
        MemoryBoundSource::StallCycles => {
            "by counters of the processor: cycles in which nothing was executed and a load had not come back"
        }
    }
}

/// What is known of first accesses to pages.
pub fn faults(of: &FaultSamples) -> String {
    let (samples, faults) = (of.samples, of.faults);
    let mut text = match of.method {
        TouchMethod::Faults => format!("{samples} samples, which stand for {faults} first accesses to pages"),
        TouchMethod::Counted => format!(
            "{faults} first accesses to pages, counted by thread; which objects they were of is an estimate from {}",
            many(samples, "sample")
        ),
    };
    if let Some(unseen @ 1..) = of.in_system_calls.measured() {
        text += &format!("; {unseen} more in system calls (read and others), of no object that is known");
    }
    if let Some(again @ 1..) = of.again.measured() {
        text += &format!(
            "; {again} more of pages that were there before (NUMA balancing, or copies after a fork)"
        );
    }
    text
}
