//! Drawings that a page holds without scripts: bars of stacked parts, and maps of more cells than a table has room for.
//!
//! A terminal leaves them out: the tables beside them say the same.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

#[cfg(test)]
#[path = "drawing_tests.rs"]
mod tests;

/// Bars of parts; each bar is of 1 at most.
#[derive(Debug, Clone)]
pub struct Bars {
    /// The chart of a script that takes its place; without one the bars lie, each under its name.
    pub chart: Option<&'static str>,
    /// What it shows, for who cannot see it.
    pub label: String,
    pub parts: Vec<BarPart>,
    pub bars: Vec<Bar>,
    pub caption: String,
}

/// A part of each bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarPart {
    pub name: &'static str,
    /// A colour of the page's style: `--good`, `--n0`, ...
    pub colour: &'static str,
}

/// What the colours stand for.
pub(super) fn key(parts: &[BarPart]) -> Markup {
    html! {
        @for part in parts { li { span.dot style=(format!("--c:var({})", part.colour)) {} (part.name) } }
    }
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub name: String,
    /// In the order of the parts, the lowest first.
    pub shares: Vec<f64>,
}

/// A square of cells, each as deep as its figure.
#[derive(Debug, Clone)]
pub struct HeatMap {
    /// What a script calls it.
    pub id: String,
    pub title: String,
    /// Rows, and columns.
    pub size: u32,
    /// What rows and columns are, and the names of some of them.
    pub axes: (&'static str, &'static str),
    pub ticks: Vec<(u32, String)>,
    /// In the order of rows and columns.
    pub cells: Vec<HeatCell>,
    /// The texts of the least and the greatest.
    pub scale: (String, String),
}

/// A cell that has a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatCell {
    pub row: u32,
    pub column: u32,
    /// From 0 to 1 between the least and the greatest.
    pub depth: f64,
}

/// Depths that are told apart: more cannot be seen, and each is a path of the drawing.
const DEPTHS: u32 = 12;

pub(super) fn bars(of: &Bars) -> Markup {
    let width = of.bars.len().max(1) * 10;
    html! {
        figure.drawing data-until=[of.chart] {
            ul.key { (key(&of.parts)) }
            @if of.chart.is_some() {
                svg.bars role="img" aria-label=(of.label) viewBox=(format!("0 0 {width} 100")) preserveAspectRatio="none" {
                    @for (k, bar) in of.bars.iter().enumerate() { (upright(of, bar, k)) }
                }
            } @else {
                ul.lying aria-label=(of.label) { @for bar in &of.bars { (lying(of, bar)) } }
            }
            figcaption { (of.caption) }
        }
    }
}

/// The parts of a bar that there are, each with its share, and all of them as words.
fn drawn(of: &Bars, bar: &Bar) -> (Vec<(BarPart, f64)>, String) {
    let there = of.parts.iter().copied().zip(bar.shares.iter().copied());
    let parts: Vec<_> = there
        .filter(|(_, share)| share.is_finite() && *share > 0.0)
        .map(|(part, share)| (part, share.min(1.0)))
        .collect();
    let said = parts.iter().map(|(part, share)| format!("\n{}: {:.1} %", part.name, 100.0 * share));
    let said = std::iter::once(bar.name.clone()).chain(said).collect();
    (parts, said)
}

fn upright(of: &Bars, bar: &Bar, k: usize) -> Markup {
    let mut y = 100.0;
    let mut paths = String::new();
    let (parts, said) = drawn(of, bar);
    for (part, share) in parts {
        let height = (100.0 * share).min(y);
        y -= height;
        let (colour, x) = (part.colour, k * 10);
        let _ = write!(paths, "<path style=\"--c:var({colour})\" d=\"M{x} {y:.1}h9v{height:.1}h-9z\"/>");
    }
    html! { g { title { (said) } (PreEscaped(paths)) } }
}

fn lying(of: &Bars, bar: &Bar) -> Markup {
    let (parts, said) = drawn(of, bar);
    html! {
        li title=(said) {
            code { (bar.name) }
            div { @for (part, share) in parts {
                span style=(format!("--c:var({});width:{:.2}%", part.colour, 100.0 * share)) {}
            } }
        }
    }
}

pub(super) fn heat_map(of: &HeatMap) -> Markup {
    let margin = f64::from(of.size) / 9.0;
    // On the other sides a little, for half of the last name.
    let whole = f64::from(of.size) + 1.5 * margin;
    let font = f64::from(of.size) / 26.0;
    let label = format!("{}; the tables hold the greatest of them", of.title);
    html! {
        div.heat.deep {
            h3 { (of.title) }
            figure.drawing {
                svg.map id=(of.id) role="img" aria-label=(label) viewBox=(format!("{:.2} {:.2} {whole:.2} {whole:.2}", -margin, -margin))
                    font-size=(format!("{font:.2}")) {
                    rect.ground width=(of.size) height=(of.size) {}
                    (PreEscaped(paths(of)))
                    @for (at, name) in &of.ticks {
                        @let middle = f64::from(*at) + 0.5;
                        text x=(format!("{middle:.2}")) y=(format!("{:.2}", -0.3 * font)) text-anchor="middle" { (name) }
                        text x=(format!("{:.2}", -0.3 * font)) y=(format!("{:.2}", middle + 0.35 * font)) text-anchor="end" { (name) }
                    }
                }
                figcaption { "rows: " (of.axes.0) ", columns: " (of.axes.1) }
            }
            p.scale { span { (of.scale.0) } span.ramp {} span { (of.scale.1) } }
        }
    }
}

/// One path for each depth, of lines as thick as a cell: few letters for a cell, whatever their number.
fn paths(of: &HeatMap) -> String {
    let depth = |cell: &HeatCell| (cell.depth.clamp(0.0, 1.0) * f64::from(DEPTHS - 1)).round() as u32;
    let mut lines = vec![String::new(); DEPTHS as usize];
    // Where each path's last line ended, since moves are from there.
    let mut ends = vec![(0i64, 0i64); DEPTHS as usize];
    let mut cells = of.cells.iter().peekable();
    while let Some(cell) = cells.next() {
        let own = depth(cell);
        let mut length = 1;
        while cells
            .next_if(|next| next.row == cell.row && next.column == cell.column + length && depth(next) == own)
            .is_some()
        {
            length += 1;
        }
        let (row, column) = (i64::from(cell.row), i64::from(cell.column));
        let end = &mut ends[own as usize];
        let _ = write!(lines[own as usize], "m{} {}h{length}", column - end.1, row - end.0);
        *end = (row, column + i64::from(length));
    }
    let mut paths = String::new();
    for (k, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let share = 100 * k / (DEPTHS as usize - 1);
        let _ = write!(paths, "<path style=\"--h:{share}\" d=\"M0 .5{line}\"/>");
    }
    paths
}
