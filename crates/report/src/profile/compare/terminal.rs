//! Two profiles on the terminal.

use numawise_tables::{CellCall, CellKey, ComparedCell};

use super::{Compared, TITLES, figures, furthest, name, reason, sides};
use crate::document::Align;
use crate::document::table::fitted;
use crate::document::wrap;
use crate::document::{Paint, Style, Tone};
use crate::profile::grid::Notes;
use crate::profile::words;

/// Rows of a table at most; the JSON has all.
const ROWS: usize = 40;
/// Names of cells that only one has.
const LONELY: usize = 8;

/// Two profiles on the terminal, ending with a newline.
pub fn compare_terminal(compared: &Compared, style: Style) -> String {
    let mut page =
        Page { width: style.width.clamp(60, 120), paint: Paint(style.colour), text: String::new() };
    page.text += &wrap("Two measurements of memory", "", "", page.width);
    page.text.push('\n');
    for (title, text) in sides(compared) {
        page.text += &wrap(&text, &format!("  {title:<8}"), "          ", page.width);
    }
    page.list("What it comes to", &compared.comparison.meaning);
    let differences = compared.comparison.differences.iter();
    let differences: Vec<String> =
        differences.map(|d| format!("{}: {} in the first, {} in the second", d.what, d.a, d.b)).collect();
    page.list("Not the same", &differences);
    page.cells("Clearly different", &furthest(compared, &[CellCall::Better, CellCall::Worse]), true);
    page.cells("Not decided", &furthest(compared, &[CellCall::Open]), false);
    page.unknown(&furthest(compared, &[CellCall::Unknown]));
    page.lonely("Only in the first", &compared.comparison.only_a);
    page.lonely("Only in the second", &compared.comparison.only_b);
    page.text.push('\n');
    for sentence in &compared.comparison.method {
        for line in wrap(sentence, "  ", "  ", page.width).lines() {
            page.text += &format!("{}\n", page.paint.tone(Tone::Faint, line));
        }
    }
    page.text
}

struct Page {
    width: usize,
    paint: Paint,
    text: String,
}

impl Page {
    fn heading(&mut self, text: &str) {
        self.text += &format!("\n{}\n", self.paint.bold(Tone::Plain, text));
    }

    fn list(&mut self, heading: &str, entries: &[String]) {
        if entries.is_empty() {
            return;
        }
        self.heading(heading);
        for entry in entries {
            self.text += &wrap(entry, "  - ", "    ", self.width);
        }
    }

    fn cells(&mut self, heading: &str, cells: &[&ComparedCell], calls: bool) {
        if cells.is_empty() {
            return;
        }
        self.heading(heading);
        let mut rows = vec![TITLES.map(str::to_owned).to_vec()];
        rows.extend(cells.iter().take(ROWS).map(|cell| figures(cell).to_vec()));
        if calls {
            rows[0].push("second is".to_owned());
            for (row, cell) in rows.iter_mut().skip(1).zip(cells) {
                row.push(words::call(cell.call).to_owned());
            }
        }
        let sides = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left];
        for line in fitted(rows, &sides, self.width - 2, &["between"]).lines() {
            let tone = match line.rsplit(' ').next() {
                Some("better") if calls => Tone::Good,
                Some("worse") if calls => Tone::Bad,
                _ => Tone::Plain,
            };
            self.text += &format!("  {}\n", self.paint.tone(tone, line));
        }
        self.more(cells.len(), ROWS);
    }

    fn more(&mut self, all: usize, shown: usize) {
        if all > shown {
            let line = format!("  ... and {} more, in the JSON", all - shown);
            self.text += &format!("{}\n", self.paint.tone(Tone::Faint, &line));
        }
    }

    /// Reasons, each with the cells that it keeps from being compared.
    fn unknown(&mut self, cells: &[&ComparedCell]) {
        if cells.is_empty() {
            return;
        }
        self.heading("Could not be compared");
        let mut notes = Notes::default();
        for cell in cells {
            notes.mark(&reason(cell));
        }
        for why in notes.all() {
            let names: Vec<String> =
                cells.iter().filter(|cell| reason(cell) == *why).map(|cell| name(&cell.cell)).collect();
            self.text += &wrap(&format!("{}: {why}", several(&names)), "  - ", "    ", self.width);
        }
    }

    fn lonely(&mut self, heading: &str, keys: &[CellKey]) {
        if !keys.is_empty() {
            self.heading(heading);
            let names: Vec<String> = keys.iter().map(name).collect();
            self.text += &wrap(&several(&names), "  - ", "    ", self.width);
        }
    }
}

/// Some names, and how many more there are.
fn several(names: &[String]) -> String {
    let shown = names.iter().take(LONELY).map(String::as_str).collect::<Vec<_>>().join("; ");
    match names.len().checked_sub(LONELY) {
        Some(more) if more > 0 => format!("{shown}; and {more} more"),
        _ => shown,
    }
}
