//! The terminal, lent to the full-screen view and always given back: at the end, when something fails, at a panic.

use std::fs::File;
use std::io::{self, IsTerminal, PipeReader, Read, Stdout, stdin, stdout};
use std::os::fd::AsFd;
use std::sync::Once;
use std::time::Duration;

use crossterm::cursor::Show;
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use numawise_linux::calls::{signal, terminal};
use ratatui::Terminal;

use crate::TuiError;
use crate::backend::Unasked;
use crate::history::Levels;
use crate::input::{Decoder, Input};
use crate::state::View;
use crate::style::Palette;

/// A terminal in full-screen mode.
pub struct Screen {
    terminal: Terminal<Unasked<Stdout>>,
    /// Where keys come from: the standard input, or the terminal itself where that is something else.
    keys: File,
    decoder: Decoder,
    size: (u16, u16),
}

/// The rest of a key comes within this time of its beginning, also over slow lines; a person does not.
const REST_OF_KEY: Duration = Duration::from_millis(40);

/// Fails early where there is no terminal that could show the view.
///
/// # Errors
/// [`TuiError::NoTerminal`] and [`TuiError::DumbTerminal`].
pub fn check_terminal() -> Result<(), TuiError> {
    if !stdout().is_terminal() {
        return Err(TuiError::NoTerminal);
    }
    match std::env::var_os("TERM").filter(|name| !name.is_empty()) {
        None => Err(TuiError::DumbTerminal { name: None }),
        Some(name) if name == "dumb" => {
            Err(TuiError::DumbTerminal { name: Some(name.to_string_lossy().into_owned()) })
        }
        Some(_) => Ok(()),
    }
}

/// What the terminal can show, as far as its environment says.
pub fn palette() -> Palette {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    // No locale at all is what containers have, whose terminals are the same as elsewhere.
    let utf8 = locale.is_none_or(|name| {
        let name = name.to_string_lossy().to_lowercase();
        name.contains("utf-8") || name.contains("utf8")
    });
    let levels = if utf8 { Levels::Blocks } else { Levels::Ascii };
    Palette { colour: set("NO_COLOR").is_none(), levels }
}

impl Screen {
    pub fn open() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        // Release builds end at a panic without dropping anything; the hook runs all the same.
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
        });
        let failed = |_: &io::Error| give_back();
        let keys = keys().inspect_err(failed)?;
        take().inspect_err(failed)?;
        let terminal = Terminal::new(Unasked::new(stdout())).inspect_err(failed)?;
        Ok(Screen { terminal, keys, decoder: Decoder::default(), size: terminal::size() })
    }

    pub fn draw(&mut self, view: &mut View, palette: Palette) -> io::Result<()> {
        self.terminal.draw(|frame| view.draw(frame, palette)).map(drop)
    }

    /// What lies on the screen is not what we put there.
    pub fn forget(&mut self) -> io::Result<()> {
        self.terminal.clear()
    }

    /// What was done within so long, if anything. A signal ends the waiting, and so does a word that comes through `other`.
    pub fn input(&mut self, within: Duration, other: &mut PipeReader) -> io::Result<Option<Input>> {
        if let Some(input) = self.decoder.next(false) {
            return Ok(Some(input));
        }
        let unfinished = self.decoder.is_unfinished();
        let within = if unfinished { REST_OF_KEY } else { within };
        let [typed, woken] = terminal::wait_readable([self.keys.as_fd(), other.as_fd()], within)?;
        let mut buffer = [0; 256];
        if woken {
            let _ = other.read(&mut buffer)?;
        }
        if typed {
            match self.keys.read(&mut buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => self.decoder.push(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            return Ok(self.decoder.next(false));
        }
        if unfinished && !woken {
            return Ok(self.decoder.next(true));
        }
        let size = terminal::size();
        let changed = std::mem::replace(&mut self.size, size) != size;
        Ok(changed.then_some(Input::Redraw))
    }

    /// Stops as Ctrl-Z does elsewhere; goes on when the shell says so.
    pub fn suspend(&mut self) -> io::Result<()> {
        give_back();
        signal::stop_self();
        take()?;
        self.forget()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen)
}

/// A terminal that is gone is no reason for another message.
fn give_back() {
    let _ = execute!(stdout(), LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// The standard input, or the terminal where that is a pipe.
fn keys() -> io::Result<File> {
    if stdin().is_terminal() {
        Ok(stdin().as_fd().try_clone_to_owned()?.into())
    } else {
        File::open("/dev/tty")
    }
}
