//! Rows of time from left to right, each span in stacked parts: what each rank did when. A page draws it without a script; a terminal has lines
//! of characters in its place.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

use super::BarPart;
use super::drawing::key;

/// One row below another.
#[derive(Debug, Clone)]
pub struct Timeline {
    /// The drawing of a script that takes its place.
    pub until: Option<&'static str>,
    /// What it shows, for who cannot see it.
    pub label: String,
    pub parts: Vec<BarPart>,
    pub rows: Vec<TimelineRow>,
    /// The texts of both ends.
    pub begin: String,
    pub end: String,
}

/// A row.
#[derive(Debug, Clone)]
pub struct TimelineRow {
    pub name: String,
    /// Spans of equal length; of each, the shares of the parts in their order, 1 at most together.
    pub bins: Vec<Vec<f64>>,
}

/// Rows that a page draws.
const MOST_ROWS: usize = 256;

pub(super) fn timeline(of: &Timeline) -> Markup {
    html! {
        figure.drawing.timeline data-until=[of.until] {
            ul.key { (key(&of.parts)) }
            ul.times role="img" aria-label=(of.label) { @for row in of.rows.iter().take(MOST_ROWS) {
                li {
                    code { (row.name) }
                    svg viewBox=(format!("0 0 {} 100", row.bins.len().max(1))) preserveAspectRatio="none" { (paths(of, row)) }
                }
            } }
            p.ends { span { (of.begin) } span { (of.end) } }
            @if of.rows.len() > MOST_ROWS {
                figcaption { "The first " (MOST_ROWS) " of " (of.rows.len()) " rows" }
            }
        }
    }
}

/// A path for each part, the first at the bottom.
fn paths(of: &Timeline, row: &TimelineRow) -> Markup {
    let mut all = vec![String::new(); of.parts.len()];
    for (x, bin) in row.bins.iter().enumerate() {
        let mut y = 100.0;
        for (share, path) in bin.iter().zip(&mut all) {
            let height = if share.is_finite() { (100.0 * share).clamp(0.0, y) } else { 0.0 };
            if height >= 0.5 {
                y -= height;
                let _ = write!(path, "M{x} {y:.0}h1v{height:.0}h-1z");
            }
        }
    }
    let paths = of.parts.iter().zip(all).filter(|(_, path)| !path.is_empty());
    html! { @for (part, path) in paths {
        (PreEscaped(format!("<path style=\"--c:var({})\" d=\"{path}\"/>", part.colour)))
    } }
}
