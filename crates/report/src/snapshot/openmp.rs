//! OpenMP in a snapshot.

use numawise_facts::Reading::{self, Measured};
use numawise_facts::activity::OpenMpRuntimes;
use numawise_tables::snapshot::{LoopRow, OpenMpSummary, RegionRow, WaitRow};
use numawise_units::{Nanoseconds, Ratio};
use serde_json::json;

use super::figure::{self, When, declare};
use super::mpi::from_to;
use super::{figures, processes, words};
use crate::document::{self, Bar, BarPart, Bars, Block, Column, Face, Fact, Table, Text};
use crate::object::{each, reading};

pub fn section(of: &OpenMpSummary) -> Block {
    let fact = |name, text: Text| Fact { name, text, code: false };
    let serial = |share: &Ratio| {
        let judged = of.serial.rating.as_ref().map(|_| format!(": {}", words::judgement(&of.serial)));
        format!("{} of the time{}", words::percent(*share), judged.unwrap_or_default())
    };
    let gain =
        |time: &Nanoseconds| format!("{time} of the run, if no thread waited at a barrier of a region");
    let facts = vec![
        fact("Runtime", runtimes(&of.runtimes).into()),
        fact("Serial", Text::of(&of.serial.value, serial)),
        fact("Potential gain", Text::of(&of.potential_gain, gain)),
    ];
    let mut blocks = vec![Block::Facts(facts)];
    blocks.extend(bars(of));
    blocks.push(Block::Table(regions(of)));
    match &of.further_regions {
        Reading::Measured(0) => {}
        Reading::Measured(more) => blocks.push(Block::Legend(format!("and {more} more regions").into())),
        Reading::Unavailable { unavailable } => {
            blocks.push(Block::Legend(format!("and more regions: {unavailable}").into()));
        }
    }
    if let Some(why) = of.regions.first().and_then(|region| region.loops.reason()) {
        let text = Text::unavailable(why.to_string());
        blocks.push(Block::Facts(vec![fact("Loops", text)]));
    }
    let loops = loops(of);
    if !loops.rows.is_empty() {
        blocks.extend([Block::Heading("loops"), Block::Table(loops)]);
    }
    document::section("openmp", "OpenMP", blocks)
}

type TimeOf = fn(&RegionRow) -> Nanoseconds;

/// The CPU time of the first regions by what their threads did.
fn bars(of: &OpenMpSummary) -> Option<Block> {
    const MOST: usize = 12;
    let [useful, _, mpi, barriers, locks, scheduling, ..] = processes::PARTS.map(|(part, _)| part);
    let time: [(BarPart, TimeOf); 5] = [
        (useful, |of| of.useful),
        (mpi, |of| of.mpi),
        (barriers, |of| of.imbalance.saturating_sub(of.lock)),
        (locks, |of| of.lock),
        (scheduling, |of| of.scheduling),
    ];
    let total = |of: &RegionRow| time.iter().fold(Nanoseconds(0), |sum, (_, time)| sum + time(of));
    let shown = of.regions.get(..of.regions.len().min(MOST))?;
    let longest = shown.iter().map(total).max().filter(|longest| longest.0 > 0)?;
    let is_there = |(_, time): &&(BarPart, TimeOf)| shown.iter().any(|of| time(of).0 > 0);
    let parts: Vec<_> = time.iter().filter(is_there).collect();
    let bar = |of: &RegionRow| Bar {
        name: format!(
            "{}{}: {}",
            of.place.measured().map_or_else(|| "a region of no known place".into(), words::place_in_short),
            of.within
                .first()
                .and_then(Reading::measured)
                .map_or_else(String::new, |within| format!(", opened in {}", words::place_in_short(within))),
            total(of)
        ),
        shares: parts.iter().map(|(_, time)| time(of).seconds() / longest.seconds()).collect(),
    };
    Some(Block::Bars(Bars {
        chart: None,
        label: "OpenMP regions by what their threads did; the table holds the figures".to_owned(),
        parts: parts.iter().map(|(part, _)| *part).collect(),
        bars: shown.iter().map(bar).collect(),
        caption: "CPU time of each region, of all its threads; the most potential gain first".to_owned(),
    }))
}

fn runtimes(of: &OpenMpRuntimes) -> String {
    let told = match (of.libgomp, of.ompt) {
        (true, true) => "GCC's and one with OMPT",
        (true, false) => "GCC's",
        (false, true) => "LLVM's, Intel's or another with OMPT",
        (false, false) => "none with OMPT",
    };
    let other = "; another tool of OMPT came first, and was told what we were not";
    format!("{told}{}", if of.has_other_tool { other } else { "" })
}

declare! {
    /// A parallel region.
    pub REGIONS: RegionRow {
        json "construct" Shaped |of| Measured((json!(of.name), words::construct(of.name).into()))
            => text: "construct", when: When::InPage, at: 1;
        csv "construct" Name |of| Measured(words::construct(of.name).to_owned());
        json "name" Json |of| Measured(json!(of.place.measured().map(words::place_in_short)));
        json "file" Name |of| of.place.as_ref().and_then(|place| place.source.file.clone());
        json "line" Number |of| of.place.as_ref().and_then(|place| place.source.line.clone().map(i64::from));
        both "place" Place |of| Measured(of.place.clone()) => code: "region", at: 0;
        json "within" Shaped |of| Measured((each(&of.within, figures::place), within(of).into()))
            => code: "within", expendable: 3, when: When::Within, at: 9;
        csv "within" Name |of| Measured(within(of));
        both "processes" Count |of| Measured(of.processes);
        both "calls" Count |of| Measured(of.calls) => number: "calls", at: 2;
        both "seconds" Time |of| Measured(of.time) => number: "time", at: 4;
        both "longest_seconds" Time |of| Measured(of.longest_time);
        both "share" Share |of| of.share.clone() => number: "of all", at: 5;
        json "team" Shaped |of| Measured((json!(of.team), Text::of(&of.team, |team| from_to((team.least, team.most)))))
            => number: "team", at: 3;
        csv "threads" Count |of| Measured(of.threads);
        both "useful_seconds" Time |of| Measured(of.useful);
        both "mpi_seconds" Time |of| Measured(of.mpi);
        both "imbalance_seconds" Time |of| Measured(of.imbalance);
        both "lock_seconds" Time |of| Measured(of.lock) => number: "locks", expendable: 1, at: 7;
        both "scheduling_seconds" Time |of| Measured(of.scheduling) => number: "scheduling", expendable: 2, at: 8;
        both "potential_gain_seconds" Time |of| of.potential_gain.clone() => number: "potential gain", at: 6;
        json "most_potential_gain_seconds" Time |of| of.most_potential_gain.clone();
        json "loops" Json |of| Measured(reading(&of.loops, |all| each(all, |one| figure::object(LOOPS, one))));
        json "waits" Json |of| Measured(reading(&of.waits, |all| each(all, |one| figure::object(WAITS, one))));
    }

    /// A loop of a region.
    pub LOOPS: LoopRow {
        json "construct" Json |of| Measured(json!(of.name));
        csv "construct" Name |of| Measured(words::construct(of.name).to_owned());
        both "place" Place |of| Measured(of.place.clone()) => code: "loop";
        both "schedule" Name |of| of.schedule.clone().map(|of| words::schedule(of).to_owned()) => text: "schedule";
        both "chunk" Count |of| of.chunk.clone() => number: "chunk", expendable: 2;
        both "calls" Count |of| of.calls.clone();
        both "iterations" Mean |of| of.iterations.clone() => number: "iterations";
        both "threads" Count |of| Measured(of.threads) => number: "threads";
        both "at_best" Efficiency |of| of.at_best.clone() => number: "at best";
        both "chunks" Count |of| of.chunks.clone();
        json "per_thread" Json |of| Measured(reading(&of.per_thread, |of| json!({ "least": of.least, "most": of.most })));
        both "useful_seconds" Time |of| Measured(of.useful);
        both "scheduling_seconds" Time |of| Measured(of.scheduling);
        both "imbalance_seconds" Time |of| of.imbalance.clone() => number: "waits", expendable: 1;
    }

    /// Where threads of a region wait.
    WAITS: WaitRow {
        json "construct" Json |of| Measured(json!(of.name));
        json "place" Place |of| Measured(of.place.clone());
        json "waits" Count |of| Measured(of.waits);
        json "seconds" Time |of| Measured(of.time);
        json "longest_seconds" Time |of| Measured(of.longest);
    }
}

fn within(of: &RegionRow) -> String {
    let all = of.within.iter().filter_map(Reading::measured);
    all.map(words::place_in_short).collect::<Vec<_>>().join(", in ")
}

fn regions(of: &OpenMpSummary) -> Table {
    // In a terminal there is room for it where it says something.
    let has_within = of.regions.iter().any(|region| !region.within.is_empty());
    let is_shown = |when| when != When::Within || has_within;
    figure::table(&[REGIONS], &of.regions, words::limits(6), is_shown)
}

/// Loops of all regions, each with its region.
fn loops(of: &OpenMpSummary) -> Table {
    let all = of.regions.iter().flat_map(|region| {
        let loops = region.loops.measured().map_or(&[][..], Vec::as_slice);
        loops.iter().map(move |of| (region, of))
    });
    let mut table = figure::table(&[LOOPS], all.clone().map(|(_, of)| of), words::limits(4), |_| true);
    table.columns.insert(1, Column { only: Some(Face::Html), ..Column::code("region") });
    for (row, (region, _)) in table.rows.iter_mut().zip(all) {
        row.cells.insert(1, words::place(&region.place).into());
    }
    table
}
