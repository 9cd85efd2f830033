//! What ranks did in OpenMP, merged: regions by their places, without their loops and waits, of which there may be any number.

use std::collections::BTreeMap;

use numawise_facts::activity::{CodePlace, ConstructName, OpenMpRuntimes};
use numawise_facts::merged::{
    LoadedPlace, MOST_MERGED_REGIONS, MergedOpenMp, MergedRegion, PARTS_OF_A_SHARE,
};
use numawise_facts::{Reading, SourcePlaces};
use numawise_tables::snapshot::{OpenMpSummary, RegionRow};
use numawise_units::{Nanoseconds, Ratio};

use super::constructs::{Constructs, join};
use super::region::{self, RegionSum, Surrounding};
use super::serial;
use crate::snapshot::input::RunParts;
use crate::snapshot::numbers::{keep_lowest, number_of};
use crate::snapshot::process::Process;
use crate::snapshot::{Run, rating, sum};

/// One rank.
pub fn of_rank(process: &Process<'_>) -> MergedOpenMp {
    let Some(runtimes) = process.activity.openmp.measured().filter(|_| process.uses_openmp()) else {
        return MergedOpenMp::default();
    };
    let (places, machines) = (SourcePlaces::new(), BTreeMap::new());
    // Names are given when all are merged.
    let parts = RunParts {
        trace_part: None,
        activities: &[],
        merged: None,
        places: &places,
        asked: None,
        exit: None,
        unwatched: Nanoseconds(0),
        machines: &machines,
    };
    let constructs = Constructs::of(&parts, process);
    let mut all = MergedOpenMp {
        ranks: 1,
        libgomp: runtimes.libgomp,
        ompt: runtimes.ompt,
        has_other_tool: runtimes.has_other_tool,
        unmeasured: u64::from(process.activity.threads.measured().is_none()),
        lost: sum(process.threads().map(|thread| thread.lost_constructs)),
        ..MergedOpenMp::default()
    };
    match serial::of(process, &constructs) {
        Reading::Measured(share) => all.serial = (share.0 * PARTS_OF_A_SHARE as f64).round() as u64,
        Reading::Unavailable { .. } => all.serial_unknown = 1,
    }
    for key in constructs.regions() {
        let (surrounding, one) = region::of_process(&constructs, key);
        all.most_gain = all.most_gain + one.gain();
        let one = merged(&surrounding, &one);
        let number = number(&one);
        match all.regions.get_mut(&number) {
            Some(region) => add(region, &one),
            None => drop(all.regions.insert(number, one)),
        }
    }
    bound(&mut all);
    all
}

fn merged(surrounding: &Surrounding, of: &RegionSum) -> MergedRegion {
    let place =
        |place: &Reading<CodePlace>| place.measured().map(|place| (place.file.clone(), place.address));
    let [useful, mpi, barrier, scheduling, _, lock] = of.times.each().map(Into::into);
    MergedRegion {
        surrounding: surrounding.iter().map(|(name, at)| (*name, place(at))).collect(),
        ranks: of.processes,
        calls: of.calls,
        time: of.time.into(),
        longest_time: of.longest_time,
        team: of.team,
        threads: of.threads,
        useful,
        mpi,
        barrier,
        lock,
        scheduling,
        gain: of.gain.into(),
        most_gain: of.most_gain,
    }
}

fn number(of: &MergedRegion) -> u64 {
    let one = |(name, place): &(ConstructName, Option<LoadedPlace>)| {
        let (file, address) = place.as_ref().map_or(("", 0), |(file, address)| (file.as_str(), *address));
        [&[*name as u8, 0xff], file.as_bytes(), &address.to_le_bytes()].concat()
    };
    let parts: Vec<Vec<u8>> = of.surrounding.iter().map(one).collect();
    number_of(parts.iter().map(Vec::as_slice))
}

/// Adds what other ranks did.
pub fn merge(into: &mut MergedOpenMp, other: &MergedOpenMp) {
    into.ranks = into.ranks.saturating_add(other.ranks);
    into.libgomp |= other.libgomp;
    into.ompt |= other.ompt;
    into.has_other_tool |= other.has_other_tool;
    into.serial = into.serial.saturating_add(other.serial);
    into.serial_unknown = into.serial_unknown.saturating_add(other.serial_unknown);
    into.unmeasured = into.unmeasured.saturating_add(other.unmeasured);
    into.most_gain = into.most_gain.max(other.most_gain);
    into.has_further_regions |= other.has_further_regions;
    into.lost = into.lost.saturating_add(other.lost);
    for (number, one) in &other.regions {
        match into.regions.get_mut(number) {
            Some(region) => add(region, one),
            None => drop(into.regions.insert(*number, one.clone())),
        }
    }
    bound(into);
}

fn add(into: &mut MergedRegion, one: &MergedRegion) {
    into.ranks = into.ranks.saturating_add(one.ranks);
    into.calls = into.calls.saturating_add(one.calls);
    into.time = into.time + one.time;
    into.longest_time = into.longest_time.max(one.longest_time);
    into.team = join(into.team, one.team);
    into.threads = into.threads.saturating_add(one.threads);
    into.useful = into.useful + one.useful;
    into.mpi = into.mpi + one.mpi;
    into.barrier = into.barrier + one.barrier;
    into.lock = into.lock + one.lock;
    into.scheduling = into.scheduling + one.scheduling;
    into.gain = into.gain + one.gain;
    into.most_gain = into.most_gain.max(one.most_gain);
}

fn bound(of: &mut MergedOpenMp) {
    of.has_further_regions |= keep_lowest(&mut of.regions, MOST_MERGED_REGIONS);
}

/// What is said of merged ranks that used it.
pub fn summary(run: &Run<'_>, of: &MergedOpenMp) -> Reading<OpenMpSummary> {
    let rows: Option<Vec<RegionRow>> = of.regions.values().map(|region| row(run, region)).collect();
    let Some(mut regions) = rows else {
        return Reading::unavailable(super::TOO_LONG);
    };
    super::sort(&mut regions);
    let further = super::shorten(&mut regions);
    let gain = match of.unmeasured {
        0 => Reading::Measured(of.most_gain),
        some => Reading::unavailable(format!("the times of {some} ranks are not known")),
    };
    let serial = match of.serial_unknown {
        0 => {
            let mean = of.serial as f64 / PARTS_OF_A_SHARE as f64 / of.ranks.max(1) as f64;
            Reading::Measured(Ratio(mean))
        }
        some => Reading::unavailable(format!("the share of {some} ranks is not known")),
    };
    Reading::Measured(OpenMpSummary {
        runtimes: OpenMpRuntimes { libgomp: of.libgomp, ompt: of.ompt, has_other_tool: of.has_other_tool },
        processes: of.ranks,
        serial: rating::loss(serial),
        imbalance_share: rating::loss(gain.as_ref().and_then(|gain| run.share(gain.seconds()))),
        potential_gain: gain,
        further_regions: if of.has_further_regions {
            Reading::unavailable("regions beyond 256 are not counted where ranks are merged")
        } else {
            Reading::Measured(further)
        },
        regions,
        lost: of.lost,
    })
}

/// None where a sum is longer than a span can be.
fn row(run: &Run<'_>, of: &MergedRegion) -> Option<RegionRow> {
    const NOT_MERGED: &str = "ranks are merged without the loops and waits of their regions";
    let mean = of.time.each_of(of.ranks);
    let place = |place: &Option<LoadedPlace>| match place {
        Some((file, address)) => Reading::Measured(CodePlace::of(run.parts.places, file, *address)),
        None => Reading::unavailable("where it stands was not noted"),
    };
    let (name, at) = of.surrounding.first()?;
    Some(RegionRow {
        name: *name,
        place: place(at),
        within: of.surrounding.iter().skip(1).map(|(_, at)| place(at)).collect(),
        processes: of.ranks,
        calls: of.calls,
        time: mean,
        longest_time: of.longest_time,
        share: run.share(mean.seconds()),
        team: match of.team {
            Some(team) => Reading::Measured(team),
            None => Reading::unavailable("it had not ended, or the runtime does not tell"),
        },
        threads: of.threads,
        useful: of.useful.span()?,
        mpi: of.mpi.span()?,
        imbalance: of.barrier.span()?,
        lock: of.lock.span()?,
        scheduling: of.scheduling.span()?,
        potential_gain: Reading::Measured(of.gain.each_of(of.ranks)),
        most_potential_gain: Reading::Measured(of.most_gain),
        loops: Reading::unavailable(NOT_MERGED),
        waits: Reading::unavailable(NOT_MERGED),
    })
}
