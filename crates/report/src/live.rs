//! The full-screen view of `numawise where --watch`: drawn from [`Residency`](numawise_tables::Residency) and the state
//! of the view, which keys change. It reads no clock and no terminal: who calls it looks, and reads keys.

mod draw;
#[cfg(test)]
mod fixture;
mod grid;
mod help;
mod history;
mod keys;
mod mappings;
mod state;
mod table;
mod tasks;
mod text;
mod threads;
mod top;

pub use history::Levels;
pub use keys::{Action, Key};
pub use state::View;

use ratatui::style::{Color, Modifier, Style};
use table::Tone;

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    pub colour: bool,
    pub levels: Levels,
}

impl Palette {
    fn style(self, tone: Tone) -> Style {
        let style = Style::new();
        match (tone, self.colour) {
            (Tone::Plain, _) => style,
            // Not dark grey, which some themes show as their background.
            (Tone::Dim, _) => style.add_modifier(Modifier::DIM),
            (Tone::Good, true) => style.fg(Color::Green),
            (Tone::Warn, true) => style.fg(Color::Yellow),
            (Tone::Bad, true) => style.fg(Color::Red),
            (Tone::Accent, true) => style.fg(Color::Cyan),
            (Tone::Warn | Tone::Bad, false) => style.add_modifier(Modifier::BOLD),
            (Tone::Good | Tone::Accent, false) => style,
        }
    }
}
