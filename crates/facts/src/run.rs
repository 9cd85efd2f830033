//! The program to run.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use numawise_units::TaskId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;

/// One word of a command, whatever its bytes. In JSON a string, or a list of numbers where it is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Argument(pub OsString);

impl Argument {
    pub fn as_os_str(&self) -> &OsStr {
        &self.0
    }

    /// The word as a task has it: `{threads}` and `{task}` filled in; `{{threads}}` and `{{task}}` are `{threads}` and `{task}`.
    pub fn for_task(&self, threads: u32, task: TaskId) -> OsString {
        fill(&fill(&self.0, MARK, threads), TASK_MARK, task.0)
    }

    /// The word that a task has as this one is: what it holds of `{threads}` and `{task}` is not filled in.
    pub fn kept(&self) -> Argument {
        let doubled = |word: &OsStr, mark: &[u8]| put_in(word, mark, &[b"{", mark, b"}"].concat(), false);
        Argument(doubled(&doubled(&self.0, MARK), TASK_MARK))
    }

    /// The word with `{NAME}` filled in, where `mark` is that; `{{NAME}}` is `{NAME}`.
    pub fn filled(&self, mark: &str, by: &OsStr) -> Argument {
        Argument(put_in(&self.0, mark.as_bytes(), by.as_bytes(), true))
    }

    /// As a shell needs it in quotes, whatever its bytes.
    pub fn quoted(&self) -> OsString {
        let mut quoted = vec![b'\''];
        for byte in self.0.as_bytes() {
            match byte {
                b'\'' => quoted.extend_from_slice(br"'\''"),
                byte => quoted.push(*byte),
            }
        }
        quoted.push(b'\'');
        OsString::from_vec(quoted)
    }

    /// True when `{task}` is in it.
    pub fn takes_task(&self) -> bool {
        holds(&self.0, TASK_MARK)
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Argument(text.into())
    }
}

impl fmt::Display for Argument {
    /// Quoted where a shell would need it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string_lossy();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%{}".contains(c);
        // A shell takes `{a,b}` and `{1..3}` for several words.
        let is_list = text.contains('{') && (text.contains(',') || text.contains(".."));
        if !text.is_empty() && !is_list && text.chars().all(plain) {
            f.write_str(&text)
        } else {
            f.write_str(&self.quoted().to_string_lossy())
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(String),
    Bytes(Vec<u8>),
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => Stored::Text(text.to_owned()),
            None => Stored::Bytes(self.0.as_bytes().to_vec()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Argument(match Stored::deserialize(deserializer)? {
            Stored::Text(text) => text.into(),
            Stored::Bytes(bytes) => OsString::from_vec(bytes),
        }))
    }
}

/// A program with its arguments. `{threads}` in an argument stands for the number of threads of the task, `{task}` for
/// its number; `{{threads}}` and `{{task}}` stand for these words themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The program and its arguments; never empty.
    pub command: Vec<Argument>,
    pub directory: PathBuf,
}

impl RunSpec {
    /// The command as a shell would need it.
    pub fn shell_line(&self) -> String {
        let words: Vec<String> = self.command.iter().map(ToString::to_string).collect();
        words.join(" ")
    }

    /// The same with `{threads}` filled in.
    pub fn shell_line_with_threads(&self, threads: u32) -> String {
        let words: Vec<String> =
            self.with_threads(threads).into_iter().map(|word| Argument(word).to_string()).collect();
        words.join(" ")
    }

    /// The same as a task runs it: `{task}` filled in too.
    pub fn shell_line_for_task(&self, threads: u32, task: TaskId) -> String {
        let words: Vec<String> =
            self.for_task(threads, task).into_iter().map(|word| Argument(word).to_string()).collect();
        words.join(" ")
    }

    /// The command with `{threads}` filled in.
    pub fn with_threads(&self, threads: u32) -> Vec<OsString> {
        self.command.iter().map(|word| fill(&word.0, MARK, threads)).collect()
    }

    /// The command as a task runs it: `{threads}` and `{task}` filled in.
    pub fn for_task(&self, threads: u32, task: TaskId) -> Vec<OsString> {
        self.command.iter().map(|word| word.for_task(threads, task)).collect()
    }

    /// The command with these filled in: each is `{NAME}`, and what it stands for.
    pub fn filled(&self, values: &[(&str, OsString)]) -> RunSpec {
        let word = |word: &Argument| {
            values.iter().fold(word.clone(), |word, (mark, value)| word.filled(mark, value))
        };
        RunSpec { command: self.command.iter().map(word).collect(), directory: self.directory.clone() }
    }

    /// True when some argument holds `mark`, which is `{NAME}`.
    pub fn takes(&self, mark: &str) -> bool {
        self.command.iter().any(|word| holds(&word.0, mark.as_bytes()))
    }

    /// The command with `{ranks}` filled in.
    pub fn with_ranks(&self, ranks: u32) -> RunSpec {
        let command = self.command.iter().map(|word| Argument(fill(&word.0, RANKS_MARK, ranks)));
        RunSpec { command: command.collect(), directory: self.directory.clone() }
    }

    /// True when some argument holds `{ranks}`.
    pub fn takes_ranks(&self) -> bool {
        self.command.iter().any(|word| holds(&word.0, RANKS_MARK))
    }

    /// True when some argument holds `{threads}`.
    pub fn takes_threads(&self) -> bool {
        self.command.iter().any(|word| takes_threads(&word.0))
    }
}

/// True when `{threads}` is in a word of a command.
pub fn takes_threads(word: &OsStr) -> bool {
    holds(word, MARK)
}

fn holds(word: &OsStr, mark: &[u8]) -> bool {
    let mut rest = word.as_bytes();
    while let Some((before, after)) = next_mark(rest, mark) {
        if !is_doubled(before, after) {
            return true;
        }
        rest = after;
    }
    false
}

const MARK: &[u8] = b"{threads}";
const TASK_MARK: &[u8] = b"{task}";
const RANKS_MARK: &[u8] = b"{ranks}";

fn fill(word: &OsStr, mark: &[u8], number: u32) -> OsString {
    put_in(word, mark, number.to_string().as_bytes(), true)
}

/// The word with `by` in place of each `mark`; one in braces of its own loses them instead, where `braces_keep` it.
fn put_in(word: &OsStr, mark: &[u8], by: &[u8], braces_keep: bool) -> OsString {
    let mut rest = word.as_bytes();
    let mut filled = Vec::with_capacity(rest.len());
    while let Some((before, after)) = next_mark(rest, mark) {
        if braces_keep && is_doubled(before, after) {
            filled.extend_from_slice(&before[..before.len() - 1]);
            filled.extend_from_slice(mark);
            rest = &after[1..];
        } else {
            filled.extend_from_slice(before);
            filled.extend_from_slice(by);
            rest = after;
        }
    }
    filled.extend_from_slice(rest);
    OsString::from_vec(filled)
}

/// What stands before the first mark, and behind it.
fn next_mark<'w>(word: &'w [u8], mark: &[u8]) -> Option<(&'w [u8], &'w [u8])> {
    let at = word.windows(mark.len()).position(|part| part == mark)?;
    Some((&word[..at], &word[at + mark.len()..]))
}

/// Whether the mark between these stands in braces of its own: `{{task}}`.
fn is_doubled(before: &[u8], after: &[u8]) -> bool {
    before.ends_with(b"{") && after.starts_with(b"}")
}
