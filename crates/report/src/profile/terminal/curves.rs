//! Curves: latency by working set, latency by load.

use numawise_facts::{Estimate, LoadPoint, Mix, Reading};
use numawise_tables::{Cell, FigureUnit, LoadedCurve, WorkingSetCurve};
use numawise_units::{Bytes, Latency, Nanoseconds};

use super::Page;
use crate::document::Align;
use crate::profile::grid::Grid;
use crate::profile::{plain, words};
use crate::series::spark_line;

/// Rows of the table by size, about; the page and the JSON have all.
const ROWS: usize = 20;
/// Curves under load, about.
const CURVES: usize = 24;
/// Letters of a small picture.
const CELLS: usize = 12;
/// Letters of a bar at most, and what stands before it.
const BAR: usize = 30;
const BEFORE_BAR: usize = 40;

impl Page<'_> {
    pub fn working_sets(&mut self) {
        let curves = &self.measured.tables.working_sets;
        if curves.is_empty() {
            return;
        }
        let mut sizes: Vec<Bytes> =
            curves.iter().flat_map(|curve| curve.points.iter().map(|(bytes, _)| *bytes)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        // Powers of two where these are many enough.
        let even: Vec<Bytes> = sizes.iter().copied().filter(|size| size.0.is_power_of_two()).collect();
        if sizes.len() > ROWS && even.len() >= ROWS / 2 {
            sizes = even;
        }
        let column = |curve: &WorkingSetCurve| {
            let name = format!("{} -> {}", curve.from, curve.to);
            (format!("node {name}"), name)
        };
        let grid = Grid {
            corner: "in".to_owned(),
            columns: curves.iter().map(column).collect(),
            rows: sizes.iter().map(|size| (size.to_string(), cells(curves, *size))).collect(),
            unit: FigureUnit::Nanoseconds,
            intervals: true,
        };
        self.grid("Latency by the size of the working set, ns", &grid);
        for curve in curves {
            self.text.push('\n');
            let caches = self.caches(curve);
            self.faint(&format!("node {} -> {}: {caches}", curve.from, curve.to));
            self.picture(curve);
        }
    }

    /// The caches as they show in the curve.
    fn caches(&mut self, curve: &WorkingSetCurve) -> String {
        let notes = &mut self.notes;
        let mut shown = |latency: &Reading<Latency>| match latency {
            Reading::Measured(latency) => latency.to_string(),
            Reading::Unavailable { unavailable } => notes.mark(&unavailable.0),
        };
        match &curve.caches {
            Reading::Unavailable { unavailable } => format!("caches {}", self.notes.mark(&unavailable.0)),
            Reading::Measured(steps) => {
                let step = |step: &numawise_tables::CacheStep| {
                    format!("L{} ({}) {}", step.level, step.size, shown(&step.latency))
                };
                let mut parts: Vec<String> = steps.iter().map(step).collect();
                parts.push(format!("memory {}", shown(&curve.memory)));
                parts.join(", ")
            }
        }
    }

    /// The whole curve in a line.
    fn picture(&mut self, curve: &WorkingSetCurve) {
        if let (true, Some((first, _)), Some((last, _))) =
            (self.unicode, curve.points.first(), curve.points.last())
        {
            let line = spark_line(&heights(curve), 1.0, self.width.min(100) - 30);
            self.text += &format!("  {first} {line} {last}\n");
        }
    }

    pub fn loaded(&mut self) {
        let curves = &self.measured.tables.loaded;
        if curves.is_empty() {
            return;
        }
        self.heading("Latency under load");
        self.faint(words::LOADED);
        let titles = ["", "mix", "idle", "knee", "of peak", "peak", "there", "latency by load"];
        let mut rows = vec![titles.map(str::to_owned).to_vec()];
        let shown = shown(curves);
        for curve in &shown {
            rows.push(self.loaded_row(curve));
        }
        if !self.unicode {
            rows.iter_mut().for_each(|row| row.truncate(titles.len() - 1));
        }
        let mut sides = [Align::Right; 8];
        (sides[0], sides[1], sides[7]) = (Align::Left, Align::Left, Align::Left);
        self.table(rows, &sides, &["latency by load", "there", "of peak"]);
        if shown.len() < curves.len() {
            let left = curves.len() - shown.len();
            self.faint(&format!("... and {left} more, in the page of --html and in the JSON."));
        }
        let known = |curve: &&LoadedCurve| curve.points.measured().is_some();
        let reads = curves.iter().filter(known).find(|curve| curve.mix == Mix::Read);
        if let Some(curve) = reads.or(curves.iter().find(known)) {
            self.points(curve);
        }
    }

    fn loaded_row(&mut self, curve: &LoadedCurve) -> Vec<String> {
        let mut row = vec![words::pair_loaded(curve), curve.mix.to_string()];
        let (Some(points), Some(idle), Some((peak, there))) =
            (curve.points.measured(), curve.unloaded.measured(), curve.peak.measured())
        else {
            row.extend(curve.points.reason().map(|reason| self.notes.mark(&reason.0)));
            row.resize(8, "-".to_owned());
            return row;
        };
        let (knee, share) = match &curve.knee {
            Reading::Measured(knee) => (knee.bandwidth.to_string(), format!("{:.0} %", knee.share.0 * 100.0)),
            Reading::Unavailable { unavailable } => (self.notes.mark(&unavailable.0), "-".to_owned()),
        };
        let most = points.iter().map(|point| point.latency.median.0).fold(0.0, f64::max);
        let heights: Vec<Option<f64>> = points.iter().map(|point| Some(point.latency.median.0)).collect();
        row.extend([
            idle.to_string(),
            knee,
            share,
            peak.to_string(),
            there.to_string(),
            spark_line(&heights, most, CELLS),
        ]);
        row
    }

    /// The points of a curve, with bars as long as their latency.
    fn points(&mut self, curve: &LoadedCurve) {
        let Some(points) = curve.points.measured() else { return };
        let most = points.iter().map(|point| point.latency.median.0).fold(0.0, f64::max);
        let sign = self.plus_minus();
        let shown = |unit, estimate: &Estimate<f64>| {
            let half = words::half(unit, estimate).map_or_else(String::new, |half| format!(" {sign}{half}"));
            words::number(unit, estimate.median) + &half
        };
        let room = self.width.saturating_sub(BEFORE_BAR).min(BAR);
        let bar = if self.unicode { "█" } else { "#" };
        let title = format!("{}, {}", words::pair_loaded(curve), words::mix(curve.mix));
        let mut rows = vec![vec!["delay".to_owned(), "GB/s".to_owned(), "ns".to_owned(), title]];
        for LoadPoint { delay, bandwidth, latency } in points {
            rows.push(vec![
                delay.measured().map_or_else(|| "-".to_owned(), Nanoseconds::to_string),
                shown(FigureUnit::BytesPerSecond, &super::super::plain_estimate(bandwidth)),
                shown(FigureUnit::Nanoseconds, &super::super::plain_estimate(latency)),
                bar.repeat((latency.median.0 / most * room as f64).round().max(1.0) as usize),
            ]);
        }
        self.text.push('\n');
        self.table(rows, &[Align::Right, Align::Right, Align::Right, Align::Left], &[]);
    }
}

/// As many curves as one wants to read: all, or the reads of all, or those of own memory.
fn shown(curves: &[LoadedCurve]) -> Vec<&LoadedCurve> {
    let mut shown: Vec<&LoadedCurve> = curves.iter().collect();
    if shown.len() > CURVES {
        shown.retain(|curve| curve.mix == Mix::Read);
    }
    if shown.len() > CURVES {
        shown.retain(|curve| curve.from == curve.to);
    }
    shown
}

fn cells(curves: &[WorkingSetCurve], size: Bytes) -> Vec<Cell> {
    let of = |curve: &WorkingSetCurve| {
        let point = curve.points.iter().find(|(bytes, _)| *bytes == size);
        point.map(|(_, latency)| plain(latency))
    };
    curves.iter().map(of).collect()
}

/// Between 0 and 1, by the logarithm: a first-level cache is a hundred times as fast as memory.
fn heights(curve: &WorkingSetCurve) -> Vec<Option<f64>> {
    let of = |latency: &Reading<Estimate<Latency>>| latency.measured().map(|e| e.median.0.ln());
    let values: Vec<Option<f64>> = curve.points.iter().map(|(_, latency)| of(latency)).collect();
    let least = values.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let room = (most - least).max(1e-9);
    values.into_iter().map(|value| value.map(|value| (value - least) / room)).collect()
}
