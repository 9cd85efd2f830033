//! Where the data of an object's loads came from.

use numawise_facts::objects::{MemoryObject, SampledLoads};
use numawise_facts::{ObjectRun, Reading};
use numawise_tables::objects::{LoadRow, SourceShare};
use numawise_units::{Arrange, Cycles, Ratio};

use super::LEAST_OF_OBJECT;

#[cfg(test)]
#[path = "loads_tests.rs"]
mod tests;

/// Shares of the loads that the processor sampled of it.
pub fn loads(run: &ObjectRun, object: &MemoryObject) -> Reading<LoadRow> {
    run.watching.loads.clone().and_then(|_| {
        let samples = sum(&object.loads, |of| of.samples);
        if (samples as f64) < LEAST_OF_OBJECT {
            return Reading::unavailable("too few of its loads were sampled");
        }
        let share = |part: u64| Ratio(part as f64 / samples as f64);
        let source = |of: &SampledLoads| SourceShare {
            from: of.from,
            share: share(of.samples),
            latency: mean(std::slice::from_ref(of)),
        };
        let mut sources: Vec<SourceShare> = object.loads.iter().map(source).collect();
        sources
            .arrange_by(|one, other| other.share.0.total_cmp(&one.share.0).then(one.from.cmp(&other.from)));
        Reading::Measured(LoadRow {
            samples,
            sources,
            remote: remote(&object.loads),
            modified: share(sum(&object.loads, |of| of.modified)),
            latency: mean(&object.loads),
        })
    })
}

/// Of those of which it is told whether they came from another node.
fn remote(loads: &[SampledLoads]) -> Reading<Ratio> {
    let of = |remote: bool| {
        let these = loads.iter().filter(|of| of.from.is_remote() == Some(remote));
        these.fold(0, |sum: u64, of| sum.saturating_add(of.samples)) as f64
    };
    let (local, remote) = (of(false), of(true));
    if local + remote < LEAST_OF_OBJECT {
        return Reading::unavailable("of too few loads the processor told where their data came from");
    }
    Reading::Measured(Ratio(remote / (local + remote)))
}

/// Cycles of a load, on average over those of which the processor told the time.
fn mean(loads: &[SampledLoads]) -> Reading<Cycles> {
    let (timed, cycles) = (sum(loads, |of| of.timed), sum(loads, |of| of.cycles.0));
    match timed {
        0 => Reading::unavailable("the processor did not tell how long these loads took"),
        _ => Reading::Measured(Cycles((cycles as f64 / timed as f64).round() as u64)),
    }
}

fn sum(loads: &[SampledLoads], of: impl Fn(&SampledLoads) -> u64) -> u64 {
    loads.iter().fold(0, |sum, one| sum.saturating_add(of(one)))
}
