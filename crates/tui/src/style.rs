//! Colours and characters, by what the terminal can show.

use ratatui::style::{Color, Modifier, Style};

use crate::history::Levels;

/// Rank of a text among others, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// Of less interest, or gone.
    Dim,
    Good,
    /// Worth attention.
    Warn,
    Bad,
    Accent,
}

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    pub colour: bool,
    pub levels: Levels,
}

impl Palette {
    pub fn style(self, tone: Tone) -> Style {
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
