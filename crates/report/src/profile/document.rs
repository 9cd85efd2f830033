//! A profile as people read it.

use numawise_facts::{Mix, Reading, Reason};
use numawise_tables::{FigureUnit, MatrixMeasure, NodeCores, NodeMatrix, Peak, TransferGroup};

use super::matrices::{self, by_core, by_node, one_reason, scale};
use super::{Measured, curves, data, figure, loops, meaning, words};
use crate::document::{
    Block, Cell, Chart, Charts, Column, Document, Face, Fact, Matrix, Opening, Row, Section, Span, Table,
    Text, Tone, list, section,
};
use crate::page_text::{PageText, page_text};

const SCRIPT: PageText = page_text!("src/profile/charts.js");
/// Up to so many cores have their matrix: on a terminal, in a page.
const CORES_ON_TERMINAL: usize = 16;
const CORES_IN_PAGE: usize = 64;
/// Up to so many columns of a matrix have room for ratios below the figures.
const RATIOS_BELOW: usize = 4;

/// One profile as a document.
pub fn document(measured: &Measured) -> Document {
    let tables = measured.tables;
    let mut facts: Vec<Fact> = words::summary(measured.profile)
        .into_iter()
        .map(|(name, text)| Fact { name, text: text.into(), code: false })
        .collect();
    let loops = loops::winners(measured.profile).map(|text| ("Loops", text));
    let buffers = loops::between_buffers(measured.profile).map(|text| ("Buffers", text));
    let known = loops.into_iter().chain(buffers);
    facts.extend(known.map(|(name, text)| Fact { name, text: text.into(), code: false }));
    facts.extend(measured.saved.map(|file| Fact { name: "Record", text: file.into(), code: true }));
    let mut blocks = vec![Block::Facts(facts), nodes(measured)];
    let meaning: Vec<String> = tables.meaning.iter().map(meaning::of_profile).collect();
    blocks.extend(list("meaning", "What it means", &meaning));
    blocks.extend(list("notices", "Notes", &words::notices(&tables.notices)));
    blocks.extend(latency(measured));
    blocks.extend(bandwidth(measured));
    blocks.extend(curves::working_sets(measured));
    blocks.extend(curves::loaded(measured));
    blocks.extend(transfers(measured));
    blocks.push(Block::Reasons { title: "Could not be measured" });
    let headline = words::heading(measured.profile);
    Document {
        tool: "numawise machine measure",
        title: headline.clone(),
        opening: Opening { headline, ..Opening::default() },
        blocks,
        charts: Some(Charts { data: data::data(measured), scripts: vec![SCRIPT] }),
        width: 200,
    }
}

fn nodes(measured: &Measured) -> Block {
    let columns = vec![
        Column::number("node"),
        Column::text("kind"),
        Column::number("memory"),
        Column::text("CPUs that measured"),
    ];
    let rows = words::node_rows(measured.profile).into_iter().map(|row| row.into_iter().collect()).collect();
    section("nodes", "Nodes", vec![Block::Table(Table { columns, rows, most: None })])
}

/// Matrices; on a terminal, in the place of one without any figure its reason.
fn shown(measured: &Measured, all: &[(&NodeMatrix, Option<&NodeMatrix>)]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut matrices: Vec<Matrix> = Vec::new();
    for (matrix, ratios) in all {
        match one_reason(matrix) {
            Some(reason) => {
                let name = Span::Plain(format!("{}: unavailable ", words::matrix(matrix.measure)));
                let legend = Block::Legend(Text(vec![name, Span::Unavailable(reason)]));
                blocks.push(Block::Only(Face::Terminal, Box::new(legend)));
                let matrix = by_node(measured, matrix, *ratios);
                blocks.push(Block::Only(Face::Html, Box::new(Block::Matrices(vec![matrix]))));
            }
            None => matrices.push(by_node(measured, matrix, *ratios)),
        }
    }
    if !matrices.is_empty() {
        blocks.push(Block::Matrices(matrices));
    }
    blocks
}

/// Ratios to local memory: below the figures of a page where there is room, on a terminal always a matrix of their own.
fn ratios(measured: &Measured, ratios: Option<&NodeMatrix>) -> Vec<Block> {
    let Some(ratios) = ratios else { return Vec::new() };
    let blocks = shown(measured, &[(ratios, None)]);
    if ratios.columns.len() > RATIOS_BELOW {
        return blocks;
    }
    blocks.into_iter().map(|block| Block::Only(Face::Terminal, Box::new(block))).collect()
}

fn latency(measured: &Measured) -> Option<Block> {
    let of = |measure| measured.tables.matrix(measure);
    let idle = of(MatrixMeasure::IdleLatency)?;
    let vs_local = of(MatrixMeasure::LatencyVsLocal);
    let lead = "How long a load takes that has to wait for the one before, with nothing else going on. Rows are the nodes \
                whose CPUs wait, columns the nodes whose memory answers.";
    let mut blocks = vec![Block::Legend(lead.into())];
    blocks.extend(shown(measured, &[(idle, vs_local)]));
    blocks.extend(ratios(measured, vs_local));
    if let Some(misses) = of(MatrixMeasure::LatencyWithTlbMisses) {
        blocks.extend(shown(measured, &[(misses, None)]));
    }
    Some(section("latency", "Idle latency", blocks))
}

fn bandwidth(measured: &Measured) -> Option<Block> {
    let tables = measured.tables;
    let of = |cores| {
        let matrix = move |mix| tables.matrix(MatrixMeasure::Bandwidth { cores, mix });
        Mix::ALL.into_iter().filter_map(matrix).collect::<Vec<_>>()
    };
    let (nodes, cores) = (of(NodeCores::All), of(NodeCores::One));
    if tables.peaks.is_empty() && nodes.is_empty() {
        return None;
    }
    let vs_local = tables.matrix(MatrixMeasure::ReadVsLocal);
    let lead = "Bytes that the program loads and stores, all threads running from the first byte counted to the last.";
    let mut blocks = vec![Block::Legend(lead.into())];
    blocks.extend(peaks(&tables.peaks).map(|block| Block::Only(Face::Html, Box::new(block))));
    // Where nodes are few a terminal has the other mixes in one matrix.
    let (reads, others): (Vec<_>, Vec<_>) =
        nodes.into_iter().partition(|matrix| matrix.measure == mix(NodeCores::All, Mix::Read));
    let reads: Vec<_> = reads.into_iter().map(|matrix| (matrix, vs_local)).collect();
    let others: Vec<_> = others.into_iter().map(|matrix| (matrix, None)).collect();
    blocks.extend(shown(measured, &reads));
    blocks.extend(ratios(measured, vs_local));
    let by_mix = matrices::by_mix(measured).map(|matrix| Block::Matrices(vec![matrix]));
    blocks.extend(by_mix.map(|block| Block::Only(Face::Terminal, Box::new(block))));
    let many = matrices::are_many(measured);
    let others = shown(measured, &others);
    let html_only = |block| if many { block } else { Block::Only(Face::Html, Box::new(block)) };
    blocks.extend(others.into_iter().map(html_only));
    if !cores.is_empty() {
        let cores: Vec<_> = cores.into_iter().map(|matrix| (matrix, None)).collect();
        let summary = "From node to node, one core, GB/s".to_owned();
        blocks.push(Block::Folded { summary, blocks: shown(measured, &cores) });
        if many {
            blocks.extend(
                shown(measured, &cores[..1])
                    .into_iter()
                    .map(|block| Block::Only(Face::Terminal, Box::new(block))),
            );
        }
    }
    blocks.extend(loops::trials(measured.profile));
    blocks.extend(loops::buffers(measured.profile));
    blocks.push(declared(measured));
    Some(section("bandwidth", "Bandwidth", blocks))
}

fn mix(cores: NodeCores, mix: Mix) -> MatrixMeasure {
    MatrixMeasure::Bandwidth { cores, mix }
}

fn peaks(peaks: &[Peak]) -> Option<Block> {
    let shown = matrices::mixes(peaks);
    let mut columns = vec![Column::text("threads and memory"), Column::number("threads")];
    columns.extend(shown.iter().map(|mix| Column::number(mix.to_string())));
    let row = |peak: &Peak| {
        let threads = peak.threads.measured().map_or_else(|| "?".to_owned(), u32::to_string);
        let mut cells: Vec<Cell> = vec![format!("{}, {}", peak.workers, peak.target).into(), threads.into()];
        cells.extend(shown.iter().map(|mix| {
            let text = figure(&matrices::peak_cell(peak, *mix), FigureUnit::BytesPerSecond);
            let best = peak.best == Some(*mix) && shown.len() > 1;
            Cell { tone: if best { Tone::Good } else { Tone::Plain }, ..text.into() }
        }));
        Row { cells, ..Row::default() }
    };
    let table = Table { columns, rows: peaks.iter().map(row).collect(), most: None };
    (!peaks.is_empty()).then(|| {
        Block::Section(Section {
            id: None,
            title: "By mix of reads and writes, GB/s".to_owned(),
            blocks: vec![Block::Table(table)],
        })
    })
}

fn declared(measured: &Measured) -> Block {
    let missing = |reason: Option<&Reason>| {
        reason.map_or_else(Text::default, |reason| Text::unavailable(reason.to_string()))
    };
    let block = match &measured.tables.declared {
        Reading::Unavailable { unavailable } => Block::Legend(format!("unavailable ({unavailable})").into()),
        Reading::Measured(shares) => {
            let columns = vec![
                Column::text(""),
                Column::text("mix"),
                Column::number("measured"),
                Column::number("declared"),
                Column::number("share"),
            ];
            let row = |cell: &numawise_tables::DeclaredShare| {
                let rate = cell.measured.measured().map(|estimate| estimate.median.to_string().into());
                let share = cell.share.measured().map(|share| share.percent().into());
                [
                    Text::from(words::pair(cell.workers, cell.target)),
                    cell.mix.to_string().into(),
                    rate.unwrap_or_else(|| missing(cell.measured.reason())),
                    cell.declared.to_string().into(),
                    share.unwrap_or_else(|| missing(cell.share.reason())),
                ]
                .into_iter()
                .collect()
            };
            Block::Table(Table { columns, rows: shares.iter().map(row).collect(), most: None })
        }
    };
    let title = "Share of the bandwidth that the firmware declares".to_owned();
    Block::Section(Section { id: None, title, blocks: vec![block] })
}

fn transfers(measured: &Measured) -> Option<Block> {
    let tables = measured.tables;
    let known: Vec<_> = tables.cores.iter().filter(|cores| cores.range.is_some()).collect();
    let mut blocks = vec![Block::Legend(words::TRANSFERS.into())];
    for (k, cores) in known.iter().enumerate() {
        blocks.push(Block::Chart(Chart {
            id: format!("chart-cores-{k}"),
            label: "Latency from core to core".to_owned(),
            scale: scale(cores.range, FigureUnit::Nanoseconds),
            caption: None,
        }));
        let n = cores.cpus.len();
        if n > CORES_IN_PAGE {
            let thinned = if n > data::CORES { "The picture leaves cores out, evenly. " } else { "" };
            let text = format!("{thinned}All {n} cores to each other are in the JSON.");
            blocks.push(Block::Only(Face::Html, Box::new(Block::Legend(text.into()))));
        }
    }
    blocks.push(groups(&tables.transfers));
    let by_home =
        matrices::HOMES.into_iter().filter_map(|home| tables.matrix(MatrixMeasure::Transfers(home)));
    let by_home: Vec<_> = by_home.map(|matrix| (matrix, None)).collect();
    blocks.extend(shown(measured, &by_home));
    for cores in known {
        let n = cores.cpus.len();
        let on_terminal = if n <= CORES_ON_TERMINAL {
            Block::Matrices(vec![by_core(cores)])
        } else {
            Block::Legend(
                format!("Each of the {n} cores to each other: in the page of --html and in the JSON.").into(),
            )
        };
        blocks.push(Block::Only(Face::Terminal, Box::new(on_terminal)));
        if n <= CORES_IN_PAGE {
            let summary = format!(
                "Every core to every other, ns; rows changed the line; {}",
                words::line_home(cores.home)
            );
            blocks.push(Block::Folded { summary, blocks: vec![Block::Matrices(vec![by_core(cores)])] });
        }
    }
    (!tables.transfers.is_empty()).then(|| section("cores", "From core to core", blocks))
}

fn groups(groups: &[TransferGroup]) -> Block {
    let mut columns = vec![
        Column::text("cores"),
        Column::text("memory of the line").expendable(2),
        Column::number("pairs").expendable(1),
        Column::number("median"),
        Column::number("least"),
        Column::number("most"),
    ];
    let some_missing = groups.iter().any(|group| group.unavailable > 0);
    if some_missing {
        columns.push(Column::number("missing").expendable(3));
    }
    let row = |group: &TransferGroup| {
        let figures: [Text; 3] = match &group.spread {
            Reading::Measured(spread) => {
                [spread.median, spread.least, spread.most].map(|latency| latency.to_string().into())
            }
            Reading::Unavailable { unavailable } => {
                [Text::unavailable(unavailable.to_string()), "-".into(), "-".into()]
            }
        };
        let names = [words::cores(group.same_node), words::home(group)].map(Text::from);
        let missing = some_missing.then(|| group.unavailable.to_string().into());
        names.into_iter().chain([group.pairs.to_string().into()]).chain(figures).chain(missing).collect()
    };
    Block::Table(Table { columns, rows: groups.iter().map(row).collect(), most: None })
}
