//! The results as `guest/init.sh` sends them: a line that says what follows, then bytes of a stated length.
//!
//! ```text
//! boot SECONDS                                            the guest is up
//! start K                                                 command K begins
//! command K STATUS BEGIN END OUT_BYTES ERR_BYTES  <bytes> command K has ended
//! file K BYTES  <bytes> | absent K                        the K-th file to collect
//! done
//! ```

use crate::Error;

/// What a guest has sent so far.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Frames {
    /// Uptime when the first command could start, seconds.
    pub boot: Option<f64>,
    /// The last command that was started.
    pub started: Option<usize>,
    pub commands: Vec<Ended>,
    /// Contents of the collected files, in order; `None`: no such file in the guest.
    pub files: Vec<Option<Vec<u8>>>,
    /// The guest has said that this is all.
    pub done: bool,
}

impl Frames {
    /// Every command has ended, and every file that was to be collected was sent, or said to be absent.
    pub fn are_all(&self, commands: usize, files: usize) -> bool {
        self.boot.is_some() && self.commands.len() == commands && self.files.len() == files
    }
}

/// A command that has ended.
#[derive(Debug, PartialEq)]
pub(crate) struct Ended {
    pub status: i32,
    pub seconds: f64,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// A cursor over the bytes; `None` from its methods: the rest has not arrived.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn line(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n')?;
        self.at += length + 1;
        Some(&rest[..length])
    }

    fn take(&mut self, length: usize) -> Option<Vec<u8>> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken.to_vec())
    }
}

/// Reads all frames that are complete.
///
/// # Errors
/// When a frame is not one of those above, or out of order.
pub(crate) fn parse(bytes: &[u8]) -> Result<Frames, Error> {
    let mut frames = Frames::default();
    let mut cursor = Cursor { bytes, at: 0 };
    loop {
        let at = cursor.at;
        let Some(line) = cursor.line() else {
            return Ok(frames);
        };
        let line = String::from_utf8_lossy(line);
        let expected = match frame(&mut frames, &line, &mut cursor) {
            Ok(Some(())) => continue,
            Ok(None) => return Ok(frames),
            Err(expected) => expected,
        };
        return Err(Error::Garbled { at, found: line.chars().take(80).collect(), expected });
    }
}

/// Adds the frame that begins with `line`. `Ok(None)`: its bytes have not all arrived.
fn frame(frames: &mut Frames, line: &str, cursor: &mut Cursor<'_>) -> Result<Option<()>, &'static str> {
    fn number<T: std::str::FromStr>(word: &str, expected: &'static str) -> Result<T, &'static str> {
        word.parse().map_err(|_| expected)
    }
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["boot", seconds] => frames.boot = Some(number(seconds, "`boot SECONDS`")?),
        ["start", k] => {
            let expected = "`start K` with the number of the next command";
            frames.started = Some(number(k, expected)?);
            if frames.started != Some(frames.commands.len()) {
                return Err(expected);
            }
        }
        ["command", k, status, begin, end, out, err] => {
            let expected = "`command K STATUS BEGIN END OUT_BYTES ERR_BYTES` of the command that was started";
            if frames.started != Some(number(k, expected)?) || frames.started != Some(frames.commands.len()) {
                return Err(expected);
            }
            let (begin, end): (f64, f64) = (number(begin, expected)?, number(end, expected)?);
            let (out, err) = (number(out, expected)?, number(err, expected)?);
            let status = number(status, expected)?;
            let (Some(stdout), Some(stderr)) = (cursor.take(out), cursor.take(err)) else {
                return Ok(None);
            };
            frames.commands.push(Ended { status, seconds: end - begin, stdout, stderr });
        }
        ["file", k, size] => {
            let expected = "`file K BYTES` with the number of the next file";
            if number::<usize>(k, expected)? != frames.files.len() {
                return Err(expected);
            }
            let Some(contents) = cursor.take(number(size, expected)?) else {
                return Ok(None);
            };
            frames.files.push(Some(contents));
        }
        ["absent", k] => {
            let expected = "`absent K` with the number of the next file";
            if number::<usize>(k, expected)? != frames.files.len() {
                return Err(expected);
            }
            frames.files.push(None);
        }
        ["done"] => frames.done = true,
        _ => return Err("a frame: boot, start, command, file, absent or done"),
    }
    Ok(Some(()))
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
