//! What merged ranks did in MPI.

use numawise_facts::activity::{CallTime, CodePlace, MpiLibrary};
use numawise_facts::merged::{CallSum, MergedCalls, MergedCommunicator, MergedSite};
use numawise_facts::{MergedRanks, Reading};
use numawise_tables::snapshot::{
    CommunicatorRow, MessageSizeRow, MpiCallRow, MpiSiteRow, MpiSummary, RankSpread, TrafficCell,
    TrafficMatrix, VolumeTables,
};
use numawise_units::{Arrange, Nanoseconds, Ratio};

use super::{MOST_SITES, TOO_LONG, comes_once, imbalance, share, waiting, waiting_in_calls};
use crate::snapshot::efficiency::{MpiTimes, mpi_times};
use crate::snapshot::merge::neighbours;
use crate::snapshot::waiting::KnownWaiting;
use crate::snapshot::{Run, compared, rating};

/// All that is said of it.
pub fn summary(run: &Run<'_>, merged: &MergedRanks) -> Reading<MpiSummary> {
    let tables = Tables::of(run, merged);
    let Some(Tables { calls, sites, further_sites, communicators }) = tables else {
        return Reading::unavailable(TOO_LONG);
    };
    let times = mpi_times(run);
    let imbalance = imbalance(&times);
    let waiting_in_calls = waiting_in_calls(&sites, merged.callers);
    let (messages, traffic) = (&merged.messages, &merged.traffic);
    let group = neighbours(merged.world);
    let cell = |(pair, flow): (&(u32, u32), &(u64, _))| TrafficCell {
        from: pair.0,
        to: pair.1,
        messages: flow.0,
        bytes: flow.1,
    };
    Reading::Measured(MpiSummary {
        library: merged.library.unwrap_or(MpiLibrary::Other),
        has_several: merged.has_several_mpis,
        share: rating::loss(times.as_ref().map(|times| Ratio(times.mean / times.elapsed))),
        share_by_rank: by_rank(merged, &times),
        imbalance_share: imbalance.as_ref().and_then(|imbalance| run.share(*imbalance)),
        waiting_share: rating::loss(waiting(&imbalance, &waiting_in_calls).and_then(|time| run.share(time))),
        imbalance: imbalance.map(Nanoseconds::from_seconds),
        waiting_in_calls,
        late: Reading::unavailable(
            "the ranks are so many that their calls are kept merged, and not who waited for whom",
        ),
        calls,
        sites,
        further_sites,
        messages: messages
            .iter()
            .map(|((_, bits), (family, messages))| MessageSizeRow {
                family: *family,
                bits: *bits,
                messages: *messages,
            })
            .collect(),
        communicators,
        volume: VolumeTables {
            by_rank: TrafficMatrix {
                size: merged.world.div_ceil(group),
                group,
                cells: traffic.iter().map(cell).collect(),
            },
            by_host: Reading::unavailable("messages are merged by neighbouring ranks, not by computers"),
            hosts: merged.hosts.keys().cloned().collect(),
            lost: merged.lost_messages,
        },
    })
}

fn by_rank(merged: &MergedRanks, times: &Reading<MpiTimes>) -> Reading<RankSpread> {
    times.as_ref().and_then(|times| {
        let share = |(time, rank): &(Nanoseconds, u32)| (*rank, Ratio(time.seconds() / times.elapsed));
        match (merged.mpi.least.first(), merged.mpi.most.first()) {
            (Some(least), Some(most)) => Reading::Measured(RankSpread {
                mean: Ratio(times.mean / times.elapsed),
                least: share(least),
                most: share(most),
            }),
            _ => Reading::unavailable("no time of a rank was measured"),
        }
    })
}

/// The tables with sums of times.
struct Tables {
    calls: Vec<MpiCallRow>,
    sites: Vec<MpiSiteRow>,
    further_sites: CallTime,
    communicators: Vec<CommunicatorRow>,
}

impl Tables {
    /// None where a sum is longer than a span can be.
    fn of(run: &Run<'_>, merged: &MergedRanks) -> Option<Tables> {
        let mut all = merged.lost_calls;
        merged.calls.values().for_each(|of| all = all.plus(of.calls));
        // All of it, and without what comes once, which has no share.
        let time = span(all)?.time;
        let once = merged.calls.iter().filter(|(name, _)| comes_once(name));
        let once = once.fold(CallSum::default(), |sum, (_, of)| sum.plus(of.calls));
        let shared = time.saturating_sub(span(once)?.time);
        let calls = merged.calls.iter().map(|(name, of)| call_row(name, of, shared));
        let mut calls = calls.collect::<Option<Vec<MpiCallRow>>>()?;
        calls.arrange_by_key(|row| (std::cmp::Reverse(row.calls.time), row.call.clone()));
        let known = compared::known_waiting(merged);
        let sites = merged.sites.iter().map(|(number, site)| site_row(run, site, known.get(number), shared));
        let mut sites = sites.collect::<Option<Vec<MpiSiteRow>>>()?;
        sites.arrange_by_key(|row| std::cmp::Reverse(row.calls.time));
        sites.truncate(MOST_SITES);
        let shown = sites.iter().fold(CallTime::default(), |sum, row| CallTime {
            count: sum.count.saturating_add(row.calls.count),
            time: sum.time + row.calls.time,
        });
        let further_sites =
            CallTime { count: all.count.saturating_sub(shown.count), time: time.saturating_sub(shown.time) };
        let rows = merged.communicators.values().map(communicator_row);
        let mut communicators = rows.collect::<Option<Vec<CommunicatorRow>>>()?;
        communicators.arrange_by_key(|row| (std::cmp::Reverse(row.calls.time), row.name.clone()));
        Some(Tables { calls, sites, further_sites, communicators })
    }
}

fn span(of: CallSum) -> Option<CallTime> {
    Some(CallTime { count: of.count, time: of.time.span()? })
}

fn call_row(name: &str, of: &MergedCalls, all: Nanoseconds) -> Option<MpiCallRow> {
    let calls = span(of.calls)?;
    Some(MpiCallRow {
        call: name.to_owned(),
        calls,
        share: share(name, calls.time, all),
        longest: of.longest,
        sent: of.sent.sum(),
        received: of.received.sum(),
        ranks: of.ranks,
    })
}

fn site_row(
    run: &Run<'_>,
    site: &MergedSite,
    known: Option<&KnownWaiting>,
    all: Nanoseconds,
) -> Option<MpiSiteRow> {
    let calls = span(site.of.calls)?;
    let of_rank = |(time, rank): (Nanoseconds, u32)| Reading::Measured((rank, time));
    Some(MpiSiteRow {
        call: site.call.clone(),
        place: match &site.place {
            Some((file, address)) => Reading::Measured(CodePlace::of(run.parts.places, file, *address)),
            None => Reading::unavailable("where it is called was not noted"),
        },
        communicator: match &site.communicator {
            Some(name) => Reading::Measured(name.clone()),
            None => Reading::unavailable("the call has none, or it found no place in the table"),
        },
        calls,
        share: share(&site.call, calls.time, all),
        longest: site.of.longest,
        sent: site.of.sent.sum(),
        received: site.of.received.sum(),
        ranks: site.of.ranks,
        least: of_rank(site.least),
        most: of_rank(site.most),
        waiting: compared::waiting_of(site, known)?.waiting(&site.call),
    })
}

fn communicator_row(of: &MergedCommunicator) -> Option<CommunicatorRow> {
    Some(CommunicatorRow {
        name: of.name.clone(),
        sizes: of.sizes,
        groups: if of.has_further_groups {
            Reading::unavailable("more than 64 are not counted where ranks are merged")
        } else {
            Reading::Measured((of.groups.len() as u64).saturating_add(of.unknown_groups))
        },
        calls: span(of.calls)?,
        ranks: of.ranks,
    })
}
