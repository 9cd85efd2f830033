//! MLC's tables as the cells of a profile.

use std::collections::BTreeSet;

use numawise_facts::notice::{MembenchNotice, MlcLineGap, MlcTable, MlcTableGap};
use numawise_facts::{
    Bandwidth, IdleLatency, LoadPoint, LoadedLatency, Mix, Reading, Target, Transfer, Workers,
};
use numawise_units::harmless::quoted;
use numawise_units::{Bytes, BytesPerSecond, Latency, NodeId};

use super::matrix::{Matrix, figure, matrix};
use super::sections::Section;
use super::{Broken, absent, once};

/// MLC counts 10^6 bytes as one MB, and says so.
const MB: f64 = 1e6;

/// All tables of a text.
#[derive(Debug, Default)]
pub(super) struct Tables {
    latency: Option<Matrix>,
    /// By the mix that the text names.
    matrix: Option<(Mix, Matrix)>,
    peaks: Option<Vec<(Mix, f64)>>,
    loaded: Option<(Mix, Vec<LoadPoint>)>,
    /// Within a socket, after a change.
    near: Option<f64>,
    /// Home in the writer's node, then in the reader's.
    far: [Option<Matrix>; 2],
}

impl Tables {
    pub fn read(sections: &[Section<'_>], notices: &mut Vec<MembenchNotice>) -> Result<Self, Broken> {
        let mut tables = Tables::default();
        for section in sections {
            if matches!(section.table, MlcTable::IdleLatencies | MlcTable::Transfers)
                && section.unit() != "ns"
            {
                let because = MlcTableGap::Unit(quoted(section.unit()));
                notices.push(MembenchNotice::MlcTableLeftOut { table: section.table, because });
                continue;
            }
            match section.table {
                MlcTable::IdleLatencies => tables.latency = matrix(section.lines())?,
                MlcTable::Bandwidths => {
                    let table = matrix(section.lines())?;
                    tables.matrix = mix(section, notices).zip(table);
                }
                MlcTable::PeakBandwidths | MlcTable::MaximumBandwidths => {
                    tables.peaks = Some(peaks(section, notices)?)
                }
                MlcTable::LoadedLatencies => {
                    let points = points(section)?;
                    tables.loaded =
                        mix(section, notices).filter(|_| !points.is_empty()).map(|mix| (mix, points));
                }
                MlcTable::Transfers => tables.take_transfers(section, notices)?,
            }
        }
        Ok(tables)
    }

    fn take_transfers(
        &mut self,
        section: &Section<'_>,
        notices: &mut Vec<MembenchNotice>,
    ) -> Result<(), Broken> {
        for (k, (line, text)) in section.lines().enumerate() {
            let text = text.trim();
            let last = text.split_whitespace().next_back().unwrap_or_default();
            match text.starts_with("Local Socket") {
                true if text.contains("HITM") => self.near = Some(figure(last, line)?),
                true => {
                    let latency = Latency(figure(last, line)?);
                    notices.push(MembenchNotice::MlcUnchangedLine { latency });
                }
                false if text.starts_with("Remote Socket") && text.contains("HITM") => {
                    let home = usize::from(text.contains("homed in reader"));
                    // Up to the next title, so that a title without a table does not take that of the next.
                    let table = section.lines().skip(k + 1);
                    let table = table.take_while(|(_, text)| !text.trim_start().starts_with("Remote Socket"));
                    self.far[home] = matrix(table.collect::<Vec<_>>().into_iter())?;
                }
                false => {}
            }
        }
        Ok(())
    }

    /// Every node that a table names, in ascending order.
    pub fn nodes(&self) -> Vec<NodeId> {
        let matrices = [self.latency.as_ref(), self.matrix.as_ref().map(|(_, matrix)| matrix)];
        let matrices = matrices.into_iter().chain(self.far.iter().map(Option::as_ref)).flatten();
        let named =
            |m: &Matrix| m.rows.iter().map(|(node, _)| *node).chain(m.columns.clone()).collect::<Vec<_>>();
        matrices.flat_map(named).collect::<BTreeSet<NodeId>>().into_iter().collect()
    }

    /// Pairs of nodes of the matrices of latency and bandwidth.
    fn pairs(&self) -> BTreeSet<(NodeId, NodeId)> {
        let matrices = [self.latency.as_ref(), self.matrix.as_ref().map(|(_, matrix)| matrix)];
        let cells = |m: &Matrix| {
            let row = |from: NodeId| m.columns.iter().map(move |to| (from, *to)).collect::<Vec<_>>();
            m.rows.iter().flat_map(|(from, _)| row(*from)).collect::<Vec<_>>()
        };
        matrices.into_iter().flatten().flat_map(cells).collect()
    }

    pub fn latency(&self, bytes: Reading<Bytes>) -> Vec<IdleLatency> {
        let cell = |(from, to)| IdleLatency {
            from,
            to,
            cpu: absent("CPUs"),
            pages: absent("sizes of pages"),
            bytes: bytes.clone(),
            latency: read(self.latency.as_ref(), from, to, "idle latencies").map(|ns| once(Latency(ns))),
            with_tlb_misses: absent("latencies with misses of the TLB apart"),
            buffers: absent("buffers"),
        };
        self.pairs().into_iter().map(cell).collect()
    }

    pub fn bandwidth(&self) -> Vec<Bandwidth> {
        let row = |workers, target, mix, rate: Reading<f64>| Bandwidth {
            workers,
            target,
            mix,
            threads: absent("numbers of threads"),
            rate: rate.map(|mb| once(BytesPerSecond(mb * MB))),
            declared: absent("figures of the firmware"),
            with: absent("loops"),
            buffers: absent("buffers"),
        };
        let (mix, matrix) = match &self.matrix {
            Some((mix, matrix)) => (*mix, Some(matrix)),
            None => (Mix::Read, None),
        };
        let pairs = self.pairs().into_iter().map(|(from, to)| {
            let rate = read(matrix, from, to, "bandwidths between nodes");
            row(Workers::Node(from), Target::Node(to), mix, rate)
        });
        let peaks = Mix::ALL.into_iter().map(|mix| {
            let told = self.peaks.iter().flatten().find(|(other, _)| *other == mix);
            let rate = told.map_or_else(
                || absent(&format!("bandwidth of the whole machine for {mix}")),
                |(_, mb)| Reading::Measured(*mb),
            );
            row(Workers::Machine, Target::Local, mix, rate)
        });
        pairs.chain(peaks).collect()
    }

    /// MLC loads with all cores, each its own node's memory, and measures on the first.
    pub fn loaded(&self, first: Option<NodeId>) -> Vec<LoadedLatency> {
        let node = first.unwrap_or(NodeId(0));
        let (mix, points) = match &self.loaded {
            Some((mix, points)) => (*mix, Reading::Measured(points.clone())),
            None => (Mix::Read, absent("loaded latencies")),
        };
        let threads = absent("numbers of threads");
        let with = absent("loops");
        vec![LoadedLatency { from: node, to: node, mix, workers: Workers::Machine, threads, points, with }]
    }

    pub fn transfers(&self) -> Vec<Transfer> {
        let cpus = || absent("CPUs");
        let mut transfers = vec![Transfer {
            owner: cpus(),
            reader: cpus(),
            owner_node: absent("node for transfers within a socket"),
            reader_node: absent("node for transfers within a socket"),
            home: absent("node for transfers within a socket"),
            same_node: true,
            latency: match self.near {
                Some(ns) => Reading::Measured(once(Latency(ns))),
                None => absent("transfers within a socket"),
            },
        }];
        for (k, matrix) in self.far.iter().enumerate() {
            for (writer, cells) in matrix.iter().flat_map(|matrix| &matrix.rows) {
                let columns = matrix.iter().flat_map(|matrix| &matrix.columns);
                // Within a node MLC prints a dash: that is the transfer above.
                for (reader, cell) in columns.zip(cells).filter(|(reader, _)| *reader != writer) {
                    transfers.push(Transfer {
                        owner: cpus(),
                        reader: cpus(),
                        owner_node: Reading::Measured(*writer),
                        reader_node: Reading::Measured(*reader),
                        home: Reading::Measured(if k == 0 { *writer } else { *reader }),
                        same_node: false,
                        latency: cell.map_or_else(dash, |ns| Reading::Measured(once(Latency(ns)))),
                    });
                }
            }
        }
        transfers
    }
}

fn dash<T>() -> Reading<T> {
    Reading::unavailable("MLC printed a dash, as it does where a node has no free memory")
}

/// The figure of a pair.
fn read(matrix: Option<&Matrix>, from: NodeId, to: NodeId, what: &str) -> Reading<f64> {
    let Some(matrix) = matrix else { return absent(what) };
    match matrix.cell(from, to) {
        Some(Some(figure)) => Reading::Measured(figure),
        Some(None) => dash(),
        None => absent(&format!("{what} of this pair")),
    }
}

/// What the threads do, by the line `Using Read-only traffic type` or by the option -W.
fn mix(section: &Section<'_>, notices: &mut Vec<MembenchNotice>) -> Option<Mix> {
    // As MLC's manual numbers them: 2, 3 and 5 read what they write; 6 stores past the caches; 10 is its triad.
    let by_option = section.options.split_whitespace().find_map(|word| word.strip_prefix("-W"));
    let mix = match by_option {
        Some("2") => Some(Mix::Read2Write1),
        Some("3") => Some(Mix::Read3Write1),
        Some("5") => Some(Mix::Read1Write1),
        Some("6") => Some(Mix::NonTemporalWrite),
        Some("10") => Some(Mix::Triad),
        Some(_) => None,
        None => Some(Mix::Read),
    };
    if mix.is_none() {
        let because = MlcTableGap::Traffic(quoted(by_option?));
        notices.push(MembenchNotice::MlcTableLeftOut { table: section.table, because });
    }
    mix
}

/// Lines such as `3:1 Reads-Writes :  182622.5`.
fn peaks(section: &Section<'_>, notices: &mut Vec<MembenchNotice>) -> Result<Vec<(Mix, f64)>, Broken> {
    let mut peaks = Vec::new();
    for (line, text) in section.lines() {
        let Some((name, value)) = text.rsplit_once(':') else { continue };
        let name = name.trim();
        let mix = match name.to_ascii_lowercase().as_str() {
            "all reads" => Mix::Read,
            "3:1 reads-writes" => Mix::Read3Write1,
            "2:1 reads-writes" => Mix::Read2Write1,
            "1:1 reads-writes" => Mix::Read1Write1,
            "stream-triad like" => Mix::Triad,
            _ => {
                let because = MlcLineGap::NotKnown;
                notices.push(MembenchNotice::MlcLineLeftOut { line: quoted(text.trim()), because });
                continue;
            }
        };
        peaks.push((mix, figure(value.trim(), line)?));
    }
    Ok(peaks)
}

/// MLC measures under some twenty loads.
const MOST_POINTS: usize = 1000;

/// Lines such as ` 00200  121.90  160264.1`, the greatest load first: delay, latency, bandwidth.
fn points(section: &Section<'_>) -> Result<Vec<LoadPoint>, Broken> {
    let mut points = Vec::new();
    for (line, text) in section.lines() {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [delay, rest @ ..] = words.as_slice() else { continue };
        if delay.parse::<u32>().is_err() {
            continue;
        }
        let [latency, rate] = rest else {
            let problem = format!("there are {} figures for latency and bandwidth", rest.len());
            return Err(Broken { line, problem });
        };
        if points.len() >= MOST_POINTS {
            return Err(Broken { line, problem: format!("there are more than {MOST_POINTS} loads") });
        }
        points.push(LoadPoint {
            delay: Reading::unavailable("MLC's delays are no times"),
            bandwidth: once(BytesPerSecond(figure(rate, line)? * MB)),
            latency: once(Latency(figure(latency, line)?)),
        });
    }
    points.reverse();
    Ok(points)
}
