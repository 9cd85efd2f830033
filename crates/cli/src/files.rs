//! Files that the user named to be written: tried before time is spent on what is to be in them.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use numawise_linux::{replace, space};
use numawise_units::Bytes;

use crate::exit::Failure;

/// What a report, a profile or a new record takes at least.
const ROOM: Bytes = Bytes::kib(256);

/// Behind the name of a record while it is written.
const JOURNAL: &str = "-journal";

/// The file of this numawise, for a command that calls it.
pub fn own_file() -> OsString {
    std::env::current_exe().unwrap_or_else(|_| "numawise".into()).into_os_string()
}

/// A file to be written, and the option that names it.
#[derive(Debug, Clone, Copy)]
pub struct OutputFile<'a> {
    pub option: &'a str,
    pub path: &'a Path,
    pub content: FileContent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileContent {
    /// A new file takes the place of the old one, whatever that was.
    Page,
    /// The same, and who writes it looks at the old one.
    Profile,
    /// A database is made, or one that is there goes on.
    Record,
}

impl<'a> OutputFile<'a> {
    pub fn html(path: &'a Path) -> Self {
        Self::page("--html", path)
    }

    pub fn page(option: &'a str, path: &'a Path) -> Self {
        OutputFile { option, path, content: FileContent::Page }
    }

    pub fn record(path: &'a Path) -> Self {
        OutputFile { option: "--output", path, content: FileContent::Record }
    }

    /// Fails where the file could not be written in the end.
    fn check(&self) -> Result<(), Failure> {
        let there = self.path.metadata().is_ok_and(|file| file.len() > 0);
        let (suffixes, room): (&[&str], _) = match self.content {
            FileContent::Page | FileContent::Profile => (&[], ROOM),
            // What is there says for itself whether it can go on, and is shown where the disk is full too.
            FileContent::Record if there => (&[], Bytes(0)),
            FileContent::Record => (&[JOURNAL], ROOM),
        };
        space::try_file(self.path, suffixes, room).map_err(|error| self.failure(&error))?;
        if self.content == FileContent::Page && is_database(self.path) {
            return Err(
                self.refused("an SQLite database is kept there, such as a record; choose another file")
            );
        }
        Ok(())
    }

    fn failure(&self, error: &io::Error) -> Failure {
        use io::ErrorKind as Kind;
        let problem = space::problem(error);
        self.refused(&match error.kind() {
            Kind::IsADirectory => "this is a folder; expected the name of a file".to_owned(),
            Kind::NotFound if self.path.is_symlink() => {
                "it is a link to a file in a folder that does not exist; make that, or choose another file".to_owned()
            }
            // Such as /proc: the folder is there, and the kernel makes no files of ours in it.
            Kind::NotFound if space::folder(self.path).is_dir() => {
                "no file can be made in that folder; choose a file in another".to_owned()
            }
            Kind::NotFound => {
                let folder = space::folder(self.path);
                format!("there is no folder {}; make it, or choose a file in another", folder.display())
            }
            Kind::StorageFull | Kind::QuotaExceeded => {
                format!("no space is left there for {ROOM} ({problem}); make room, or choose a file on another disk")
            }
            Kind::FileTooLarge => {
                format!("no space for {ROOM}: {problem}; raise the limit (ulimit -f unlimited)")
            }
            Kind::InvalidFilename if self.content == FileContent::Record => {
                format!("{problem}, with the '{JOURNAL}' that SQLite puts behind it; choose a shorter name")
            }
            Kind::InvalidFilename => format!("{problem}; choose a shorter name"),
            _ => format!("cannot write there ({problem}); choose a file in a folder in which you may write"),
        })
    }

    fn refused(&self, problem: &str) -> Failure {
        Failure::new(format!("{} {}: {problem}", self.option, self.path.display()))
    }
}

/// Fails early where one of the files could not be written in the end, or would be written over another or over what is `read`.
pub fn check(files: &[OutputFile<'_>], read: &[&Path]) -> Result<(), Failure> {
    for (k, file) in files.iter().enumerate() {
        if file.path.metadata().is_ok_and(|facts| !facts.is_file()) {
            continue; // a device or a pipe takes more than one text
        }
        let place = place(file.path);
        if let Some(other) = files[..k].iter().find(|other| self::place(other.path) == place) {
            return Err(file.refused(&format!("{} names the same file; choose another", other.option)));
        }
        if read.iter().any(|other| self::place(other) == place) {
            return Err(file.refused("it is the file that is to be read; choose another"));
        }
    }
    files.iter().try_for_each(OutputFile::check)
}

/// Fails where permissions tell that one of the files cannot be written. Makes nothing: for ranks, which would all try at once.
pub fn check_permissions(files: &[OutputFile<'_>]) -> Result<(), Failure> {
    files.iter().try_for_each(|file| {
        let asked = if file.path.exists() { file.path.to_owned() } else { space::folder(file.path) };
        replace::possible_in(&asked).map_err(|error| file.failure(&error))
    })
}

/// The file that a path leads to, whether it is there or not.
fn place(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| match space::folder(path).canonicalize() {
        Ok(folder) => folder.join(path.file_name().unwrap_or_default()),
        Err(_) => path.to_owned(),
    })
}

/// Nobody keeps a report in a database: the wrong name was typed.
fn is_database(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut begin = [0; 16];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok()
        && begin == *b"SQLite format 3\0"
}

/// Writes `content` where it was found that it can be written; `what` it is, for the message.
pub fn write(path: &Path, content: impl AsRef<[u8]>, what: &str) -> Result<(), Failure> {
    replace::write(path, content.as_ref()).map_err(|error| unwritten(path, what, &error))
}

fn unwritten(path: &Path, what: &str, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write {what} {}: {}", path.display(), space::problem(error)))
}

/// A file to which text comes piece by piece; it takes its place with the first one.
pub struct GrowingFile<'a> {
    path: &'a Path,
    /// What it holds, for messages.
    what: &'static str,
    file: Option<File>,
}

impl<'a> GrowingFile<'a> {
    pub fn new(path: &'a Path, what: &'static str) -> Self {
        GrowingFile { path, what, file: None }
    }

    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        let written = match &mut self.file {
            Some(file) => file.write_all(text.as_bytes()),
            None => replace::begin(self.path, text.as_bytes()).map(|file| self.file = Some(file)),
        };
        written.map_err(|error| unwritten(self.path, self.what, &error))
    }
}

/// Writes `text` where there is no file yet; `what` it is, for the message.
pub fn write_new(path: &Path, text: &str, option: &str, what: &str) -> Result<(), Failure> {
    if path.metadata().is_ok_and(|facts| !facts.is_file()) {
        return write(path, text, what); // a device or a pipe, or a folder, which says so
    }
    replace::create(path, text.as_bytes()).map_err(|error| {
        let problem = match error.kind() {
            io::ErrorKind::AlreadyExists => {
                "there is a file already, which is left as it is; choose another name, or remove it first"
                    .to_owned()
            }
            _ => format!("cannot write {what}: {}", space::problem(&error)),
        };
        Failure::new(format!("{option} {}: {problem}", path.display()))
    })
}
