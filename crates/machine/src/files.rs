//! Small files of the kernel, read with three system calls each and below a root that tests choose.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::Error;

/// Where `/sys`, `/proc` and the cgroup file systems are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    root: PathBuf,
}

impl Roots {
    /// The system that we run on.
    pub fn live() -> Self {
        Roots::at("/")
    }

    /// A directory that holds `sys`, `proc` and so on.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Roots { root: root.into() }
    }

    /// The place of an absolute path.
    pub(crate) fn path(&self, absolute: &str) -> PathBuf {
        self.root.join(absolute.trim_start_matches('/'))
    }

    /// The text of a file.
    pub(crate) fn text(&self, absolute: &str) -> Result<String, Error> {
        let path = self.path(absolute);
        slurp(&path).map_err(|source| Error::System { path, source })
    }

    /// The text of a file that need not be there.
    pub(crate) fn try_text(&self, absolute: &str) -> Option<String> {
        slurp(&self.path(absolute)).ok()
    }

    /// The bytes of a file that need not be there, nor be text.
    pub(crate) fn try_bytes(&self, absolute: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path(absolute)).ok()
    }

    /// The value in a file.
    pub(crate) fn value<T: FromStr>(&self, absolute: &str, expected: &str) -> Result<T, Error> {
        let text = self.text(absolute)?;
        text.trim().parse().map_err(|_| Error::SystemContent {
            path: self.path(absolute),
            found: shortened(text.trim()),
            expected: expected.to_owned(),
        })
    }

    /// The value in a file that need not be there, or need not make sense.
    pub(crate) fn try_value<T: FromStr>(&self, absolute: &str) -> Option<T> {
        self.try_text(absolute)?.trim().parse().ok()
    }
}

/// A text short and harmless enough for a message on a terminal.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let visible = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut short: String = text.chars().take(MOST).map(visible).collect();
    if text.chars().nth(MOST).is_some() {
        short.push_str("...");
    }
    short
}

thread_local! {
    /// Larger than any file that a placement needs, so that one `read` does.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; 64 << 10]);
}

/// Open, read, close. `std::fs::read` takes twice as many calls, which shows on machines with hundreds of CPUs.
fn slurp(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    BUFFER.with_borrow_mut(|buffer| {
        let mut length = 0;
        loop {
            let n = match file.read(&mut buffer[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            };
            length += n;
            // The kernel gives such files whole, or as much as there is room for.
            if length < buffer.len() {
                break;
            }
            if n == 0 {
                return Err(io::Error::other("the file is larger than expected"));
            }
            let larger = buffer.len() * 2;
            buffer.resize(larger, 0);
        }
        Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
    })
}
