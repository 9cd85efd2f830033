//! The frame: what is above, the table, and the line of keys.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::columns::{Slot, fit};
use crate::state::{Level, View};
use crate::style::Palette;
use crate::style::Tone;
use crate::table::Table;
use crate::text::{clean, interval};

#[cfg(test)]
#[path = "draw_tests.rs"]
mod tests;

/// Below this nothing can be read.
const LEAST: (u16, u16) = (40, 8);

impl View {
    pub fn draw(&mut self, frame: &mut Frame, palette: Palette) {
        let area = frame.area();
        self.paint(area, frame.buffer_mut(), palette);
    }

    fn paint(&mut self, area: Rect, buffer: &mut Buffer, palette: Palette) {
        let (width, height) = LEAST;
        if area.width < width || area.height < height {
            return too_small(area, buffer);
        }
        if self.help {
            return super::help::paint(area, buffer, palette);
        }
        // The table gets half of the screen at least; the line above it, its header and the keys take three.
        let room = area.height - 3 - ((area.height - 3) / 2).max(3);
        let top = self.top(area.width, room, palette);
        for (line, y) in top.iter().zip(area.y..) {
            buffer.set_line(area.x, y, line, area.width);
        }
        let y = area.y + self.steady(top.len() as u16, area);
        let table = Rect { y, height: area.bottom() - 1 - y, ..area };
        self.paint_table(table, buffer, palette);
        let keys = Rect { y: area.bottom() - 1, height: 1, ..area };
        self.paint_keys(keys, buffer, palette);
    }

    /// Remarks come and go; the table below them is not to jump: what they took stays theirs.
    fn steady(&mut self, lines: u16, area: Rect) -> u16 {
        let now = (self.level, area);
        let before = self.above.filter(|(level, area, _)| (*level, *area) == now).map_or(0, |above| above.2);
        let lines = lines.max(before);
        self.above = Some((now.0, now.1, lines));
        lines
    }

    fn paint_table(&mut self, area: Rect, buffer: &mut Buffer, palette: Palette) {
        let (rows, at) = self.arranged();
        let page = usize::from(area.height.saturating_sub(2));
        let top = scroll(self.position().top, at, page, rows.len());
        self.page = page;
        let position = self.position_mut();
        (position.at, position.top) = (at, top);

        let (position, table) = (self.position(), self.table());
        let columns = table.columns(area.width);
        let slots = fit(&columns, position.by, area.width);
        buffer.set_line(area.x, area.y, &self.above_table(&*table, rows.len(), palette), area.width);
        let header = palette.style(Tone::Plain).add_modifier(Modifier::REVERSED);
        buffer.set_style(Rect { y: area.y + 1, height: 1, ..area }, header);
        for slot in &slots {
            let column = &columns[slot.column];
            let style = if column.by == position.by { header.add_modifier(Modifier::BOLD) } else { header };
            write(buffer, area, area.y + 1, *slot, &column.title, column.right, style);
        }
        if rows.is_empty() {
            let text = if position.filter.is_empty() {
                table.nothing()
            } else {
                format!("nothing matches '{}'; Esc takes the filter away", clean(&position.filter))
            };
            buffer.set_stringn(area.x, area.y + 2, text, area.width.into(), palette.style(Tone::Dim));
        }
        for (line, &row) in rows.iter().enumerate().skip(top).take(page) {
            let y = area.y + 2 + (line - top) as u16;
            let under_cursor = line == at;
            for slot in &slots {
                let column = &columns[slot.column];
                let cell = table.cell(row, column.by, slot.width, palette);
                let style = match (table.ended(row), under_cursor) {
                    (true, _) => palette.style(Tone::Dim),
                    (false, true) => Style::new(),
                    (false, false) => palette.style(cell.tone),
                };
                write(buffer, area, y, *slot, &cell.text, column.right, style);
            }
            if under_cursor {
                cursor(Rect { y, height: 1, ..area }, buffer);
            }
        }
    }

    /// What the table holds, and in which order.
    fn above_table(&self, table: &dyn Table, shown: usize, palette: Palette) -> Line<'static> {
        let (one, several) = table.noun();
        let all = table.rows();
        let position = self.position();
        let mut text = match all {
            1 => format!("1 {one}"),
            _ => format!("{all} {several}"),
        };
        if !position.filter.is_empty() || self.typing {
            text += &format!(", {shown} match '{}'", clean(&position.filter));
        }
        text += &format!(", by {}", position.by.words());
        let down = position.by.largest_first() != position.reverse;
        text += if down { ", largest first" } else { "" };
        if self.over() {
            let style = palette.style(Tone::Warn);
            let gone = "all have ended: this is what was last seen; q leaves";
            return Line::from(vec![Span::styled(gone, style), format!("   {text}").into()]);
        }
        Line::styled(text, palette.style(Tone::Dim))
    }

    fn paint_keys(&self, area: Rect, buffer: &mut Buffer, palette: Palette) {
        let text = self.keys(area.width.into());
        if self.typing || self.message.is_some() {
            buffer.set_stringn(area.x, area.y, text, area.width.into(), palette.style(Tone::Warn));
            return;
        }
        let mut spans = Vec::new();
        for item in text.split("  ") {
            let (key, what) = item.split_once(' ').unwrap_or((item, ""));
            spans
                .push(Span::styled(key.to_owned(), palette.style(Tone::Accent).add_modifier(Modifier::BOLD)));
            spans.push(Span::raw(format!(" {what}  ")));
        }
        buffer.set_line(area.x, area.y, &Line::from(spans), area.width);
    }

    /// The keys that are of use here, as many as fit: the last and the first always do.
    fn keys(&self, width: usize) -> String {
        if self.typing {
            return format!(
                "filter: {}_   Enter keeps it, Esc takes it away",
                clean(&self.position().filter)
            );
        }
        if let Some(message) = &self.message {
            return message.clone();
        }
        let (deeper, other) = match self.level {
            Level::Tasks => ("Enter threads", "m mappings"),
            Level::Threads(_) => ("Esc back", "m mappings"),
            Level::Mappings(_) => ("Esc back", "t threads"),
        };
        let pause = if self.paused { "p go on" } else { "p pause" };
        let interval_text = format!("+/- {}", interval(self.interval));
        // In the order of the line; the second says what goes last.
        let mut keys = vec![
            ("q quit", 0),
            (deeper, 2),
            (other, 3),
            ("s,r sort", 4),
            ("/ filter", 5),
            (pause, 6),
            (&interval_text, 7),
            ("h help", 1),
        ];
        let line = |keys: &[(&str, u8)]| keys.iter().map(|key| key.0).collect::<Vec<_>>().join("  ");
        while line(&keys).len() > width && keys.len() > 1 {
            let last = keys.iter().map(|key| key.1).max();
            keys.retain(|key| Some(key.1) != last);
        }
        line(&keys)
    }
}

/// The first row on the screen, so that the cursor is on it and no room is wasted.
fn scroll(top: usize, at: usize, page: usize, rows: usize) -> usize {
    let page = page.max(1);
    let lowest = (at + 1).saturating_sub(page);
    top.clamp(lowest, at.max(lowest)).min(rows.saturating_sub(page))
}

/// The row under the cursor stands out without a colour.
fn cursor(area: Rect, buffer: &mut Buffer) {
    buffer.set_style(area, Style::new().add_modifier(Modifier::REVERSED));
}

/// Writes into a column, cut where it ends; what is cut is marked.
fn write(buffer: &mut Buffer, area: Rect, y: u16, slot: Slot, text: &str, right: bool, style: Style) {
    let x = area.x + slot.x;
    let width = usize::from(slot.width.min(area.right().saturating_sub(x)));
    let length = Line::raw(text).width();
    // Of a path the end says most.
    if text.starts_with('/') && length > width && width > 1 {
        let tail = text.char_indices().map(|(k, _)| &text[k..]).find(|tail| Line::raw(*tail).width() < width);
        buffer.set_stringn(x, y, format!("~{}", tail.unwrap_or_default()), width, style);
        return;
    }
    let shift = if right { width.saturating_sub(length) } else { 0 };
    buffer.set_stringn(x + shift as u16, y, text, width - shift, style);
    if length > width && width > 1 {
        buffer.set_stringn(x + width as u16 - 1, y, "~", 1, style);
    }
}

fn too_small(area: Rect, buffer: &mut Buffer) {
    let (width, height) = LEAST;
    let lines = [
        format!("needs at least {width} x {height},"),
        format!("has {} x {}", area.width, area.height),
        "q quits".into(),
    ];
    for (k, line) in lines.iter().enumerate().take(area.height.into()) {
        buffer.set_stringn(area.x, area.y + k as u16, line, area.width.into(), Style::new());
    }
}
