//! Where threads ran, when: what was seen of them from outside, as marks.

use numawise_tables::snapshot::{PlacedChange, PlacedMark, RunTrace, TracedRank};
use numawise_units::{Bytes, Nanoseconds};

use super::{LINE, rank_name};
use crate::document::{BarPart, Block, Cell, Column, Face, Row, Table, Timeline, TimelineRow, section};

/// Spans of a drawing in a page.
const BINS: usize = 200;

/// A kind of change: its part of a drawing, its sign, its word in JSON and CSV. Of several in one place the first one is shown: what lasts comes last.
const KINDS: [(BarPart, char, &str); 5] = [
    (BarPart { name: "memory on another node", colour: "--n5" }, 'm', "memory_moved"),
    (BarPart { name: "thread on another node", colour: "--bad" }, 'n', "node"),
    (BarPart { name: "thread on another CPU", colour: "--n0" }, '>', "cpu"),
    (BarPart { name: "burst of page faults", colour: "--n4" }, 'f', "page_faults"),
    (BarPart { name: "others had its CPU", colour: "--n1" }, 'c', "no_cpu"),
];

pub static PARTS: [BarPart; 5] = [KINDS[0].0, KINDS[1].0, KINDS[2].0, KINDS[3].0, KINDS[4].0];

/// The number of its kind, and what it was.
pub fn mark(what: &PlacedChange) -> (usize, String) {
    (kind(what), change(what))
}

fn kind(what: &PlacedChange) -> usize {
    match what {
        PlacedChange::Memory { .. } => 0,
        PlacedChange::Cpu { nodes: Some((from, to)), .. } if from != to => 1,
        PlacedChange::Cpu { .. } => 2,
        PlacedChange::Faults(_) => 3,
        PlacedChange::NoCpu(_) => 4,
    }
}

/// As JSON and CSV have it.
pub fn change_word(what: &PlacedChange) -> &'static str {
    KINDS.get(kind(what)).map_or("", |(_, _, word)| word)
}

/// "CPU 3 of node 0 to CPU 9 of node 1".
pub fn change(what: &PlacedChange) -> String {
    match what {
        PlacedChange::Cpu { from, to, nodes: Some((one, other)) } if one != other => {
            format!("from CPU {from} of node {one} to CPU {to} of node {other}")
        }
        PlacedChange::Cpu { from, to, .. } => format!("from CPU {from} to CPU {to}"),
        PlacedChange::Faults(faults) => format!("{faults} page faults"),
        PlacedChange::NoCpu(time) => format!("ready without a CPU for {time}"),
        PlacedChange::Memory { from, to, bytes } => {
            format!("{bytes} of memory from node {from} to node {to}")
        }
    }
}

fn marks(of: &RunTrace) -> &[PlacedMark] {
    of.placed.measured().map_or(&[], |placed| &placed.marks)
}

fn is_of<'r>(rank: &'r TracedRank) -> impl Fn(&&PlacedMark) -> bool + 'r {
    move |mark| (mark.world, mark.rank) == (rank.world, rank.rank)
}

/// Of a rank, the number of the first kind in each of equal spans; none where it has no mark.
fn bins(of: &RunTrace, rank: &TracedRank, bins: usize) -> Option<Vec<Option<usize>>> {
    let mut all: Vec<Option<usize>> = vec![None; bins];
    let place = |moment: Nanoseconds| {
        let since = u128::from(moment.saturating_sub(of.begin).0) * bins as u128;
        ((since / u128::from(of.span.0.max(1))) as usize).min(bins.saturating_sub(1))
    };
    let mut has_any = false;
    for mark in marks(of).iter().filter(is_of(rank)) {
        has_any = true;
        let kind = kind(&mark.what);
        // What takes time is drawn over the time in which it lies.
        let lasts = matches!(mark.what, PlacedChange::NoCpu(_) | PlacedChange::Faults(_));
        let first = if lasts { place(mark.begin) } else { place(mark.end) };
        for bin in all.iter_mut().take(place(mark.end) + 1).skip(first) {
            *bin = Some(bin.map_or(kind, |known| known.min(kind)));
        }
    }
    has_any.then_some(all)
}

/// The line below that of a rank on a terminal, where it has marks.
pub fn line(of: &RunTrace, rank: &TracedRank) -> Option<String> {
    let sign = |kind: Option<usize>| kind.and_then(|kind| KINDS.get(kind)).map_or(' ', |(_, sign, _)| *sign);
    Some(bins(of, rank, LINE)?.into_iter().map(sign).collect())
}

/// What the signs of these lines are; nothing where there are none.
pub fn legend(of: &RunTrace) -> Option<String> {
    let is_there = |number: usize| marks(of).iter().any(|mark| kind(&mark.what) == number);
    let signs = (0..).zip(&KINDS).filter(|(number, _)| is_there(*number)).map(|(_, kind)| kind);
    let signs: Vec<String> = signs.map(|(part, sign, _)| format!("{sign} {}", part.name)).collect();
    let interval = of.placed.measured()?.interval;
    (!signs.is_empty())
        .then(|| format!("; marks below a rank, to {interval} (from look to look): {}", signs.join(", ")))
}

/// A table of all kinds, and in a page a drawing.
pub fn section_of(of: &RunTrace) -> Option<Block> {
    let all = marks(of);
    let rows: Vec<Row> = (0..KINDS.len()).filter_map(|kind| row(of, all, kind)).collect();
    if rows.is_empty() {
        return None;
    }
    let columns = vec![
        Column::text("what was seen"),
        Column::number("times"),
        Column::number("in all"),
        Column::number("ranks"),
        Column::text("the most").expendable(1),
    ];
    let table = Table { columns, rows, most: super::words::limits(KINDS.len()) };
    let page = Block::Only(Face::Html, Box::new(Block::Timeline(drawing(of))));
    Some(section("placed", "Placement in time", vec![page, Block::Table(table)]))
}

fn row(of: &RunTrace, all: &[PlacedMark], number: usize) -> Option<Row> {
    let own = || all.iter().filter(|mark| kind(&mark.what) == number);
    let most = own().max_by_key(|mark| amount(&mark.what))?;
    let sum = own().fold(0u64, |sum, mark| sum.saturating_add(amount(&mark.what)));
    // In their order.
    let mut ranks: Vec<_> = own().map(|mark| (mark.world, mark.rank)).collect();
    ranks.dedup();
    let in_all = match most.what {
        PlacedChange::Cpu { .. } => String::new(),
        PlacedChange::Faults(_) => sum.to_string(),
        PlacedChange::NoCpu(_) => Nanoseconds(sum).to_string(),
        PlacedChange::Memory { .. } => Bytes(sum).to_string(),
    };
    let who = rank_name(of, most.world, most.rank, None);
    let said =
        format!("{who}, thread {}, {} to {}: {}", most.thread, most.begin, most.end, change(&most.what));
    let (part, ..) = KINDS.get(number)?;
    let cells: [Cell; 5] = [
        part.name.into(),
        own().count().to_string().into(),
        in_all.into(),
        ranks.len().to_string().into(),
        said.into(),
    ];
    Some(cells.into_iter().collect())
}

fn amount(what: &PlacedChange) -> u64 {
    match what {
        PlacedChange::Cpu { .. } => 1,
        PlacedChange::Faults(faults) => *faults,
        PlacedChange::NoCpu(time) => time.0,
        PlacedChange::Memory { bytes, .. } => bytes.0,
    }
}

fn drawing(of: &RunTrace) -> Timeline {
    let row = |rank: &TracedRank| {
        let share = |of: Option<usize>| (0..KINDS.len()).map(|kind| f64::from(of == Some(kind))).collect();
        let bins = bins(of, rank, BINS)?.into_iter().map(share).collect();
        Some(TimelineRow { name: super::name(of, rank), bins })
    };
    Timeline {
        until: None,
        label: "Ranks from top to bottom, time from left to right, by what was seen of their threads"
            .to_owned(),
        parts: PARTS.to_vec(),
        rows: of.ranks.iter().filter_map(row).collect(),
        begin: of.begin.to_string(),
        end: (of.begin + of.span).to_string(),
    }
}

/// Why there are no marks.
pub fn missing(of: &RunTrace) -> Option<String> {
    of.placed.reason().map(|why| format!("where threads ran, and page faults, in time: {why}"))
}

/// Page faults, seconds, bytes.
pub fn amount_of(mark: &PlacedMark) -> Option<f64> {
    match mark.what {
        PlacedChange::Cpu { .. } => None,
        PlacedChange::NoCpu(time) => Some(time.seconds()),
        PlacedChange::Faults(amount) | PlacedChange::Memory { bytes: Bytes(amount), .. } => {
            Some(amount as f64)
        }
    }
}
