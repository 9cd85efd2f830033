//! With which loops bandwidths were taken, and how far they differ between buffers.

use std::cmp::Ordering::Equal;

use numawise_facts::{Bandwidth, BufferSpread, Estimate, LoopChoice, MemoryLoop, Profile, Reading};
use numawise_tables::FigureUnit;
use numawise_units::{Arrange, BytesPerSecond};

use super::{Plain, figure, plain, words};
use crate::document::{Block, Column, Table, Text};

/// Which loops won their trials, the most frequent first; nothing where no figure names its loop.
pub fn winners(profile: &Profile) -> Option<String> {
    let choices: Vec<&LoopChoice> =
        profile.bandwidth.iter().filter_map(|cell| cell.with.measured()).collect();
    let tried = choices.iter().map(|choice| choice.trials.len()).max()?;
    let mut counts: Vec<(MemoryLoop, usize)> = Vec::new();
    for choice in &choices {
        match counts.iter_mut().find(|(which, _)| *which == choice.chosen) {
            Some((_, count)) => *count += 1,
            None => counts.push((choice.chosen, 1)),
        }
    }
    counts.arrange_by_key(|(which, count)| (std::cmp::Reverse(*count), *which));
    let named: Vec<String> =
        counts.iter().map(|(which, count)| format!("{which} ({count} of {})", choices.len())).collect();
    Some(format!("{}; the fastest of {} in a trial before each figure", named.join(", "), tried.max(1)))
}

/// Every figure with its loop, and with what all that were tried came to.
pub fn trials(profile: &Profile) -> Option<Block> {
    let known: Vec<(&Bandwidth, &LoopChoice)> =
        profile.bandwidth.iter().filter_map(|cell| Some((cell, cell.with.measured()?))).collect();
    let mut all: Vec<MemoryLoop> = Vec::new();
    for trial in known.iter().flat_map(|(_, choice)| &choice.trials) {
        if !all.contains(&trial.candidate) {
            all.push(trial.candidate);
        }
    }
    let mut columns = vec![Column::text(""), Column::text("mix"), Column::text("taken with")];
    columns.extend(all.iter().map(|which| Column::number(which.to_string())));
    let row = |(cell, choice): &(&Bandwidth, &LoopChoice)| {
        let mut cells: Vec<Text> = vec![
            words::pair(cell.workers, cell.target).into(),
            cell.mix.to_string().into(),
            choice.chosen.to_string().into(),
        ];
        let of = |which: &MemoryLoop| choice.trials.iter().find(|trial| trial.candidate == *which);
        cells.extend(
            all.iter()
                .map(|which| figure(&of(which).map(|trial| plain(&trial.rate)), FigureUnit::BytesPerSecond)),
        );
        cells.into_iter().collect()
    };
    let table = Table { columns, rows: known.iter().map(row).collect(), most: None };
    let summary = "Loops and what they came to in their trials, GB/s".to_owned();
    (!known.is_empty()).then(|| Block::Folded { summary, blocks: vec![Block::Table(table)] })
}

/// How far figures differ between buffers: the one that does most.
pub fn between_buffers(profile: &Profile) -> Option<String> {
    let rates = profile.bandwidth.iter().filter_map(|cell| {
        let name = format!("{}, {}", cell.mix, words::pair(cell.workers, cell.target));
        spread(name, &cell.rate, &cell.buffers, FigureUnit::BytesPerSecond)
    });
    let latencies = profile.latency.iter().filter_map(|cell| {
        let name = format!("idle latency, node {} -> {}", cell.from, cell.to);
        spread(name, &cell.latency, &cell.buffers, FigureUnit::Nanoseconds)
    });
    let all: Vec<Spread> = rates.chain(latencies).collect();
    let most =
        all.iter().max_by(|a, b| (a.apart, a.share).partial_cmp(&(b.apart, b.share)).unwrap_or(Equal))?;
    let Spread { name, lowest, highest, unit, buffers, .. } = most;
    Some(format!(
        "figures differ by {:.1} % at most between {buffers} buffers in different places of the memory ({name}: {} to {}{})",
        most.share * 100.0,
        words::number(*unit, *lowest),
        words::quantity(*unit, *highest),
        if most.apart { "" } else { "; repetitions on one buffer differ as much" },
    ))
}

struct Spread {
    name: String,
    lowest: f64,
    highest: f64,
    unit: FigureUnit,
    buffers: u32,
    /// Of the median.
    share: f64,
    /// Further than repetitions explain.
    apart: bool,
}

fn spread<T: Plain>(
    name: String,
    figure: &Reading<Estimate<T>>,
    buffers: &Reading<BufferSpread<T>>,
    unit: FigureUnit,
) -> Option<Spread> {
    let (spread, median) = (buffers.measured()?, figure.measured()?.median.plain());
    let (lowest, highest) = (spread.lowest.plain(), spread.highest.plain());
    let share = (highest - lowest) / median;
    let BufferSpread { buffers, apart, .. } = *spread;
    Some(Spread { name, lowest, highest, unit, buffers, share, apart })
}

/// The rows of figures with what each came to on its buffers.
pub fn buffers(profile: &Profile) -> Option<Block> {
    let columns = vec![
        Column::text(""),
        Column::text("mix"),
        Column::number("figure"),
        Column::number("buffers"),
        Column::number("lowest"),
        Column::number("highest"),
    ];
    let row = |cell: &Bandwidth| {
        let spread = cell.buffers.measured()?;
        let rate = |rate: BytesPerSecond| Text::from(words::number(FigureUnit::BytesPerSecond, rate.0));
        let cells: [Text; 6] = [
            words::pair(cell.workers, cell.target).into(),
            cell.mix.to_string().into(),
            figure(&Some(plain(&cell.rate)), FigureUnit::BytesPerSecond),
            spread.buffers.to_string().into(),
            rate(spread.lowest),
            rate(spread.highest),
        ];
        Some(cells.into_iter().collect())
    };
    let rows: Vec<_> = profile.bandwidth.iter().filter_map(row).collect();
    let summary = "What each figure came to on its buffers, GB/s".to_owned();
    let blocks = |rows| vec![Block::Table(Table { columns, rows, most: None })];
    (!rows.is_empty()).then(|| Block::Folded { summary, blocks: blocks(rows) })
}
