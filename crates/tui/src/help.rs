//! The page of keys and columns.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::style::Palette;
use crate::style::Tone;

const LINES: [(&str, &str); 21] = [
    ("", "numawise where: where threads and memory are"),
    ("up down j k", "move; PageUp, PageDown, Home, End"),
    ("Enter", "open a task: its threads, then its mappings"),
    ("t  m", "threads, largest mappings of the task"),
    ("Esc", "back"),
    ("s  S", "sort by the next, the previous column"),
    ("r", "reverse the order"),
    ("/", "show only what has this in its name"),
    ("p", "pause and go on"),
    ("+  -", "sample less often, more often"),
    ("q", "quit (Ctrl-C too)"),
    ("BUSY", "CPUs that are kept busy, since the last sample"),
    ("ALLOWED", "CPUs on which the threads that work may run"),
    ("NODES", "nodes where its threads run"),
    ("MEM", "resident memory; N0, N1: of it on node 0, 1"),
    ("LOCAL", "share of it where its threads run: at most so much is local"),
    ("if even", "... and so much if every thread used all pages equally"),
    ("MOVES", "times moved to another CPU since the last sample"),
    ("FAULTS", "page faults since the last sample"),
    ("TIME", "CPU time since the thread began"),
    ("?", "could not be seen"),
];

pub fn paint(area: Rect, buffer: &mut Buffer, palette: Palette) {
    let room = area.height - 1;
    for (k, (key, meaning)) in LINES.iter().enumerate().take(room.into()) {
        let y = area.y + k as u16;
        buffer.set_stringn(area.x, y, key, 12, palette.style(Tone::Accent));
        buffer.set_stringn(area.x + 13, y, meaning, (area.width - 13).into(), palette.style(Tone::Plain));
    }
    let last = "any key goes back, q quits";
    buffer.set_stringn(area.x, area.y + room, last, area.width.into(), palette.style(Tone::Dim));
}
