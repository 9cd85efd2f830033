//! Drawing on a terminal that is never asked anything.
//!
//! ratatui asks where the cursor is when the screen is cleared, to put it back. The answer comes among the keys, seconds
//! late over a slow line, and without it the view would end. Our cursor is hidden, so nobody needs to know.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

/// crossterm's backend, with the cursor where it was put last.
pub struct Unasked<W: Write> {
    inner: CrosstermBackend<W>,
    cursor: Position,
}

impl<W: Write> Unasked<W> {
    pub fn new(writer: W) -> Self {
        Unasked { inner: CrosstermBackend::new(writer), cursor: Position::ORIGIN }
    }
}

impl<W: Write> Backend for Unasked<W> {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        self.inner.draw(content)
    }

    fn append_lines(&mut self, lines: u16) -> io::Result<()> {
        self.inner.append_lines(lines)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    /// Never fails: where it does, ratatui says so with `eprintln!` when it is dropped, which panics where the terminal is gone.
    /// A terminal that is gone is found by what is drawn.
    fn show_cursor(&mut self) -> io::Result<()> {
        let _ = self.inner.show_cursor();
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.cursor)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.cursor = position.into();
        self.inner.set_cursor_position(self.cursor)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.inner.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}

#[cfg(test)]
mod tests {
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
    fn a_terminal_that_is_gone_is_no_error_of_the_cursor() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut backend = Unasked::new(writer);
        backend.show_cursor().unwrap();
        backend.hide_cursor().and_then(|()| Backend::flush(&mut backend)).unwrap_err();
    }

    #[test]
    fn the_cursor_is_where_it_was_put() {
        let mut backend = Unasked::new(Vec::new());
        assert_eq!(backend.get_cursor_position().unwrap(), Position::ORIGIN);
        backend.set_cursor_position((3, 4)).unwrap();
        assert_eq!(backend.get_cursor_position().unwrap(), Position::new(3, 4));
    }
}
