//! Why an archive could not be written or read. Each text is defined here and nowhere else.

use std::fmt;
use std::path::PathBuf;

/// Why an archive could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Otf2Error {
    #[error(
        "cannot load libotf2.so.10 ({problem}); expected OTF2 3 to be installed; install it (Debian and Ubuntu: \
         libopen-trace-format2-10, Spack and EasyBuild: otf2)"
    )]
    LibraryMissing { problem: String },
    #[error("libotf2.so.10 has no function {function}; expected OTF2 3.0 or newer; install a newer OTF2")]
    LibraryTooOld { function: &'static str },
    #[error("cannot write an OTF2 archive into '{}': it is there already, and not empty; name a folder that does not exist", .folder.display())]
    Exists { folder: PathBuf },
    #[error("cannot write an OTF2 archive into '{}': {problem}; name a folder that can be made", .folder.display())]
    Folder { folder: PathBuf, problem: std::io::Error },
    #[error(
        "cannot write an OTF2 archive: no thread of the run has a trace; make one with calls of MPI one by one"
    )]
    NoTrace,
    #[error(
        "cannot write an OTF2 archive: rank {rank} is said to be one of {ranks} ranks; expected a number below that, and at most \
         {most} ranks"
    )]
    Ranks { rank: u32, ranks: u32, most: u32 },
    #[error(
        "cannot write the OTF2 archive '{}': libotf2 fails to {step}: {problem}; expected space on the disk, and a folder in which \
         files may be made", .folder.display()
    )]
    Write { folder: PathBuf, step: &'static str, problem: String },
    #[error("'{}' is no name that libotf2 takes: there is a byte 0 in it", .path.display())]
    Name { path: PathBuf },
    #[error(
        "cannot read '{}' ({problem}); expected the anchor file of an OTF2 archive, whose name ends in .otf2; otf2-print shows whether \
         OTF2 reads it", .anchor.display()
    )]
    CannotOpen { anchor: PathBuf, problem: String },
    #[error(
        "cannot read the OTF2 archive '{}': libotf2 fails to {step}: {problem}; expected all files of the archive beside its anchor \
         file; copy the whole folder again", .anchor.display()
    )]
    Read { anchor: PathBuf, step: &'static str, problem: String },
    #[error(
        "the OTF2 archive '{}' has no {part}; expected a trace of a program with MPI, in which its calls of MPI are recorded; trace it \
         again with them", .anchor.display()
    )]
    Missing { anchor: PathBuf, part: MissingPart },
}

/// What an archive lacks that is read all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingPart {
    Processes,
    CallsOfMpi,
}

impl fmt::Display for MissingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MissingPart::Processes => "processes with threads",
            MissingPart::CallsOfMpi => "calls of MPI",
        })
    }
}
