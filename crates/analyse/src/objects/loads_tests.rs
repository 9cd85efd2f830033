use numawise_facts::objects::{DataSource, LoadSampler, LoadSamples};
use numawise_units::Bytes;

use super::super::sample::{object, run};
use super::*;
use crate::sample::two_sockets;

fn of(from: DataSource, samples: u64, cycles: u64) -> SampledLoads {
    let timed = if cycles > 0 { samples } else { 0 };
    SampledLoads { from, samples, modified: samples / 10, timed, cycles: Cycles(cycles * timed) }
}

fn row(loads: Vec<SampledLoads>) -> Reading<LoadRow> {
    let object = MemoryObject { loads, ..object("u", Bytes::mib(64)) };
    let mut run = run(two_sockets(), vec![object]);
    let sampler = LoadSampler::MemLoads { least: Some(Cycles(30)) };
    run.watching.loads =
        Reading::Measured(LoadSamples { sampler, period: 100_003, samples: 400, without_address: 0 });
    super::loads(&run, &run.objects[0])
}

#[test]
fn shares_are_by_source_the_largest_first() {
    let found = row(vec![
        of(DataSource::L3, 20, 60),
        of(DataSource::LocalMemory, 20, 200),
        of(DataSource::RemoteMemory, 60, 350),
        of(DataSource::Unknown, 100, 0),
    ]);
    let found = found.measured().unwrap();
    let shares: Vec<_> = found.sources.iter().map(|of| (of.from, of.share.0)).collect();
    let expected = [
        (DataSource::Unknown, 0.5),
        (DataSource::RemoteMemory, 0.3),
        (DataSource::L3, 0.1),
        (DataSource::LocalMemory, 0.1),
    ];
    assert_eq!(shares, expected);
    assert_eq!(found.remote, Reading::Measured(Ratio(0.6)), "of the hundred that are told");
    assert_eq!(found.latency, Reading::Measured(Cycles(262)), "of those with a time");
    assert!(found.sources[0].latency.measured().is_none(), "no time is not 0 cycles");
    assert_eq!(found.modified, Ratio(0.1));
}

#[test]
fn too_few_are_withheld() {
    assert!(row(vec![of(DataSource::L2, 49, 14)]).measured().is_none());
    assert!(row(vec![of(DataSource::L2, 50, 14)]).measured().is_some());
    let untold = row(vec![of(DataSource::Unknown, 60, 14), of(DataSource::CxlMemory, 60, 14)]);
    assert!(untold.measured().unwrap().remote.measured().is_none());
    let mut elsewhere = run(two_sockets(), vec![object("u", Bytes::mib(64))]);
    elsewhere.watching.loads = Reading::unavailable("no such event");
    let reason = super::loads(&elsewhere, &elsewhere.objects[0]);
    assert_eq!(reason, Reading::unavailable("no such event"));
}
