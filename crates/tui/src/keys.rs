//! What keys do.

use numawise_units::Nanoseconds;

use crate::state::{Level, View};
use crate::table::RowId;

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;

/// A key, whatever library read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Left,
    Right,
    Enter,
    Escape,
    Backspace,
    Char(char),
    /// Ctrl-C.
    Interrupt,
}

/// What is to be done after a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Nothing,
    /// Draw again.
    Draw,
    /// Draw again, and take a sample as soon as may be: something else is shown now.
    Sample,
    Quit,
}

/// The intervals between samples that `+` and `-` go through, in milliseconds.
const INTERVALS: [u64; 10] = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000];

impl View {
    pub fn key(&mut self, key: Key) -> Action {
        self.message = None;
        if key == Key::Interrupt {
            return Action::Quit;
        }
        if self.typing {
            return self.type_filter(key);
        }
        if self.help {
            self.help = false;
            return if key == Key::Char('q') { Action::Quit } else { Action::Draw };
        }
        match key {
            Key::Char('q' | 'Q') => return Action::Quit,
            Key::Char('h' | '?') => self.help = true,
            Key::Char('p' | ' ') => {
                self.paused = !self.paused;
                return if self.paused { Action::Draw } else { Action::Sample };
            }
            Key::Char('+' | '=') => self.change_interval(true),
            Key::Char('-' | '_') => self.change_interval(false),
            Key::Char('s') | Key::Right => self.sort_by_next(1),
            Key::Char('S') | Key::Left => self.sort_by_next(-1),
            Key::Char('r') => {
                let position = self.position_mut();
                position.reverse = !position.reverse;
            }
            Key::Char('/') => self.typing = true,
            Key::Enter => return self.enter(),
            Key::Char('t') => return self.open(Level::Threads),
            Key::Char('m') => return self.open(Level::Mappings),
            Key::Escape | Key::Backspace => return self.back(),
            key => return self.walk(key),
        }
        Action::Draw
    }

    fn type_filter(&mut self, key: Key) -> Action {
        // A filter longer than a name can be matches nothing; and the line has an end.
        const LONGEST: usize = 60;
        let position = self.position_mut();
        match key {
            Key::Char(c) if !c.is_control() && position.filter.chars().count() < LONGEST => {
                position.filter.push(c);
                position.row = None;
            }
            Key::Backspace => {
                let was_empty = position.filter.pop().is_none();
                self.typing = !was_empty;
            }
            Key::Escape => {
                position.filter.clear();
                self.typing = false;
            }
            Key::Enter => self.typing = false,
            Key::Up | Key::Down | Key::PageUp | Key::PageDown => {
                self.typing = false;
                return self.walk(key);
            }
            _ => {}
        }
        Action::Draw
    }

    fn change_interval(&mut self, longer: bool) {
        let now = self.interval.0 / 1_000_000;
        let next = if longer {
            INTERVALS.iter().find(|&&step| step > now)
        } else {
            INTERVALS.iter().rev().find(|&&step| step < now)
        };
        if let Some(next) = next {
            self.interval = Nanoseconds(next * 1_000_000);
            self.actual_interval = self.interval;
        }
    }

    fn sort_by_next(&mut self, step: isize) {
        // Any width: what the table is sorted by is always shown.
        let columns: Vec<_> = self
            .table()
            .columns(u16::MAX)
            .into_iter()
            .map(|column| column.by)
            .filter(|by| by.sortable())
            .collect();
        let position = self.position_mut();
        let at = columns.iter().position(|by| *by == position.by);
        let next = at.map_or(0, |at| (at as isize + step).rem_euclid(columns.len() as isize) as usize);
        position.by = columns[next];
        position.reverse = false;
    }

    /// One level deeper.
    fn enter(&mut self) -> Action {
        match self.level {
            Level::Tasks => self.open(Level::Threads),
            Level::Threads(_) => self.open(Level::Mappings),
            Level::Mappings(_) => Action::Nothing,
        }
    }

    fn open(&mut self, level: fn(RowId) -> Level) -> Action {
        let id = match self.level {
            Level::Threads(id) | Level::Mappings(id) => Some(id),
            Level::Tasks => {
                let (rows, at) = self.arranged();
                rows.get(at).map(|&row| self.table().id(row))
            }
        };
        let Some(id) = id else {
            self.message = Some("there is nothing to open".to_owned());
            return Action::Draw;
        };
        if self.level == Level::Tasks {
            // Back from it, the cursor is where it was; inside, each task begins at its top.
            self.positions[0].row = Some(id);
            for position in &mut self.positions[1..] {
                (position.row, position.at, position.top) = (None, 0, 0);
                position.filter.clear();
            }
        }
        self.level = level(id);
        Action::Sample
    }

    /// A filter goes first, then the level.
    fn back(&mut self) -> Action {
        if !self.position().filter.is_empty() {
            self.position_mut().filter.clear();
            return Action::Draw;
        }
        match self.level {
            Level::Mappings(id) => self.level = Level::Threads(id),
            Level::Threads(_) => self.level = Level::Tasks,
            Level::Tasks => return Action::Nothing,
        }
        Action::Draw
    }

    fn walk(&mut self, key: Key) -> Action {
        let page = self.page.max(1);
        let (rows, at) = self.arranged();
        let last = rows.len().saturating_sub(1);
        let to = match key {
            Key::Up | Key::Char('k') => at.saturating_sub(1),
            Key::Down | Key::Char('j') => at + 1,
            Key::PageUp => at.saturating_sub(page),
            Key::PageDown => at + page,
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => last,
            _ => return Action::Nothing,
        };
        let to = to.min(last);
        let id = rows.get(to).map(|&row| self.table().id(row));
        let position = self.position_mut();
        // At the top the cursor stays at the top, whichever row that becomes.
        (position.row, position.at) = (id.filter(|_| to > 0), to);
        Action::Draw
    }
}
