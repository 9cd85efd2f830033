//! The libraries of MPI that processes have mapped.

use std::collections::BTreeSet;

use numawise_facts::Reading;
use numawise_linux::Roots;
use numawise_linux::file::Lines;
use numawise_linux::proc::maps;
use numawise_units::Pid;

#[cfg(test)]
#[path = "libraries_tests.rs"]
mod tests;

/// How the files of the libraries of Open MPI, MPICH, Intel, Cray, MVAPICH and others begin.
const BEGINNING: &[u8] = b"libmpi";

/// At which samples of a process its mappings are read: when it has had time to start, and again when an interpreter has had time to
/// load what it needs.
const AT: [u32; 2] = [2, 40];

/// Times that mappings are read, for all processes together: ranks are alike.
const LOOKS: u32 = 16;

/// Pieces of 4 KiB that are read of one file; libraries of a program with more mappings may be missed.
const PIECES: u32 = 64;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct MpiLibraries {
    names: BTreeSet<String>,
    looks: u32,
    /// A file that was read to its end.
    whole: bool,
}

impl MpiLibraries {
    /// Reads the mappings of a process that has been sampled so often, if it is time to.
    pub fn look(&mut self, roots: &Roots, pid: Pid, samples: u32) {
        if !AT.contains(&samples) || self.looks >= LOOKS || !self.names.is_empty() {
            return;
        }
        self.looks += 1;
        // A process that has ended has none.
        let Ok(mut lines) = Lines::open(&roots.process(pid).join("maps")) else { return };
        for _ in 0..PIECES {
            let names = &mut self.names;
            let more = lines.piece(|line| {
                let name = maps::file_name(line).filter(|name| name.starts_with(BEGINNING));
                names.extend(name.map(|name| String::from_utf8_lossy(name).into_owned()));
            });
            match more {
                Ok(true) => {}
                Ok(false) => {
                    self.whole = true;
                    return;
                }
                Err(_) => return,
            }
        }
    }

    pub fn found(&self) -> Reading<Vec<String>> {
        if self.whole || !self.names.is_empty() {
            Reading::Measured(self.names.iter().cloned().collect())
        } else if self.looks > 0 {
            Reading::unavailable("its mappings could not be read, or not all of them")
        } else {
            Reading::unavailable("the trial ended before its mappings were read")
        }
    }
}
