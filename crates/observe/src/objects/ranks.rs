//! Which processes are ranks: their environment says it while they live.

use std::collections::HashMap;

use numawise_facts::RankSet;
use numawise_facts::objects::ProcessRank;
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::environ::Environment;
use numawise_units::{Pid, Rank};

use crate::rank::rank;

/// Processes that were asked about.
#[derive(Debug, Default)]
pub struct ProcessRanks {
    roots: Roots,
    known: HashMap<Pid, Option<Rank>>,
    buffer: Vec<u8>,
}

impl ProcessRanks {
    /// Asks about a process that is new, or runs another program: what a launcher has written into its environment is there from then on.
    pub fn ask(&mut self, process: Pid) {
        self.buffer.clear();
        let read = read_path(&self.roots.process(process).join("environ"), &mut self.buffer);
        // One that is gone, or another user's, is no rank as far as anybody knows.
        let found = read.ok().and_then(|()| rank(Environment(&self.buffer)));
        let known = self.known.entry(process).or_default();
        *known = found.or(*known);
    }

    /// Whether a process is one of these; it is asked about where it is new.
    pub fn is_among(&mut self, process: Pid, ranks: &RankSet) -> bool {
        if !self.known.contains_key(&process) {
            self.ask(process);
        }
        self.known.get(&process).copied().flatten().is_some_and(|rank| ranks.contains(rank))
    }

    /// Those that are ranks, by their numbers.
    pub fn found(&self) -> Vec<ProcessRank> {
        let of =
            |(process, rank): (&Pid, &Option<Rank>)| Some(ProcessRank { process: *process, rank: (*rank)? });
        let mut found: Vec<ProcessRank> = self.known.iter().filter_map(of).collect();
        found.sort_by_key(|of| (of.rank, of.process));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_read_from_the_environment_and_kept_when_a_process_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let mut ranks = ProcessRanks { roots: Roots::at(folder.path()), ..ProcessRanks::default() };
        let write = |process: i32, text: &str| {
            let of = folder.path().join(format!("proc/{process}"));
            std::fs::create_dir_all(&of).unwrap();
            std::fs::write(of.join("environ"), text).unwrap();
        };
        write(10, "A=b\0PMI_RANK=3\0");
        write(11, "PATH=/bin\0");
        write(12, "OMPI_COMM_WORLD_RANK=1\0");
        write(13, "PMI_RANK=many\0");
        write(15, "PMI_RANK=4000000000\0");
        [10, 11, 12, 13, 14, 15].map(Pid).into_iter().for_each(|process| ranks.ask(process));
        std::fs::remove_dir_all(folder.path().join("proc/10")).unwrap();
        // The launcher's daemon becomes a rank.
        write(11, "PMI_RANK=0\0");
        [10, 11].map(Pid).into_iter().for_each(|process| ranks.ask(process));
        let [none, one] = ["0", "1,7"].map(|ranks| ranks.parse::<RankSet>().unwrap());
        assert!(ranks.is_among(Pid(12), &one) && !ranks.is_among(Pid(12), &none));
        assert!(!ranks.is_among(Pid(99), &one), "nothing is known of it");
        let found: Vec<(i32, u32)> = ranks.found().into_iter().map(|of| (of.process.0, of.rank.0)).collect();
        assert_eq!(found, [(11, 0), (12, 1), (10, 3)]);
    }
}
