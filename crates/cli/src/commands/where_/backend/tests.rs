use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::*;

/// The question for the cursor's place (Device Status Report of ECMA-48).
const QUESTION: &[u8] = b"\x1b[6n";

#[test]
fn a_screen_is_cleared_without_a_question() {
    let mut written = Vec::new();
    let options = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, 80, 24)) };
    let mut terminal = Terminal::with_options(Unasked::new(&mut written), options).unwrap();
    terminal.clear().unwrap();
    terminal.resize(Rect::new(0, 0, 40, 10)).unwrap();
    drop(terminal);
    assert!(!written.is_empty());
    assert!(!written.windows(QUESTION.len()).any(|part| part == QUESTION), "{written:?}");
}

#[test]
fn the_cursor_is_where_it_was_put() {
    let mut backend = Unasked::new(Vec::new());
    assert_eq!(backend.get_cursor_position().unwrap(), Position::ORIGIN);
    backend.set_cursor_position((3, 4)).unwrap();
    assert_eq!(backend.get_cursor_position().unwrap(), Position::new(3, 4));
}
