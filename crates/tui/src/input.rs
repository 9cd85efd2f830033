//! Keys as terminals send them.
//!
//! Read here, not by crossterm: its reader goes round for ever when the terminal goes away (0.29, reading nothing is taken
//! for reading again), and a connection that breaks must not leave a busy process behind.

use std::collections::VecDeque;

use crate::keys::Key;

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;

/// What the person at the terminal did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    Key(Key),
    /// The screen is to be drawn again, all of it.
    Redraw,
    /// Ctrl-Z.
    Suspend,
}

/// Bytes become keys.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: VecDeque<u8>,
}

const ESCAPE: u8 = 0x1b;

impl Decoder {
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// What was read may be the begin of a longer key: more of it comes at once, if at all.
    pub fn is_unfinished(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// The next key; with `last` what is there is all that comes of it.
    pub fn next(&mut self, last: bool) -> Option<Input> {
        while let Some(&first) = self.bytes.front() {
            let (length, input) = match first {
                ESCAPE => self.escape(last)?,
                0x00..0x20 | 0x7f => (1, control(first)),
                _ => self.letter(last)?,
            };
            self.bytes.drain(..length);
            if input.is_some() {
                return input;
            }
        }
        None
    }

    /// `None` while it is not known what it will be.
    fn escape(&self, last: bool) -> Option<(usize, Option<Input>)> {
        let alone = Some((1, Some(Input::Key(Key::Escape))));
        match self.bytes.get(1) {
            None => alone.filter(|_| last),
            Some(b'O') => match self.bytes.get(2) {
                None => alone.filter(|_| last),
                Some(b'M') => Some((3, Some(Input::Key(Key::Enter)))),
                Some(&end) => Some((3, named(end, 0))),
            },
            Some(b'[') => {
                let rest = self.bytes.iter().skip(2);
                let parameters: Vec<u8> =
                    rest.copied().take_while(|byte| matches!(byte, 0x20..0x40)).collect();
                match self.bytes.get(2 + parameters.len()) {
                    None => alone.filter(|_| last),
                    Some(&end) => {
                        let number = parameters.split(|byte| *byte == b';').next().unwrap_or_default();
                        let number = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok());
                        Some((3 + parameters.len(), named(end, number.unwrap_or(0))))
                    }
                }
            }
            // Escape and then something else, typed so fast that they came together.
            Some(_) => alone,
        }
    }

    fn letter(&self, last: bool) -> Option<(usize, Option<Input>)> {
        let length = match self.bytes[0] {
            0x00..0x80 => 1,
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf8 => 4,
            // In the middle of a letter: no letter.
            _ => return Some((1, None)),
        };
        if self.bytes.len() < length {
            return last.then_some((1, None));
        }
        let bytes: Vec<u8> = self.bytes.iter().take(length).copied().collect();
        match std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
            Some(letter) => Some((length, Some(Input::Key(Key::Char(letter))))),
            None => Some((1, None)),
        }
    }
}

fn control(byte: u8) -> Option<Input> {
    Some(match byte {
        0x03 => Input::Key(Key::Interrupt),
        0x08 | 0x7f => Input::Key(Key::Backspace),
        b'\r' | b'\n' => Input::Key(Key::Enter),
        0x0c => Input::Redraw,
        0x1a => Input::Suspend,
        _ => return None,
    })
}

/// The keys with names, as xterm, the Linux console, screen and tmux send them.
fn named(end: u8, number: u32) -> Option<Input> {
    Some(Input::Key(match (end, number) {
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'H', _) | (b'~', 1 | 7) => Key::Home,
        (b'F', _) | (b'~', 4 | 8) => Key::End,
        (b'~', 5) => Key::PageUp,
        (b'~', 6) => Key::PageDown,
        _ => return None,
    }))
}
