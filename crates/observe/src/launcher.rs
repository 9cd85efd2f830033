//! The process of this computer that started a rank: its daemon, or the launcher itself.

use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::cmdline;
use numawise_linux::proc::environ::Environment;
use numawise_linux::proc::stat::TaskStat;
use numawise_units::Pid;

/// No rank stands behind more scripts than these.
const DEEPEST: usize = 64;

/// What started the ranks of this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LauncherProcess {
    pub pid: Pid,
    /// Since the start of the system, in the kernel's ticks. With `pid` it names the process for good.
    pub started: u64,
    /// The words that it was started with.
    pub words: Vec<Vec<u8>>,
}

/// The nearest process above `pid` that was given none of the variables that its launcher gives to ranks: what lies between are
/// scripts, which are ranks as well. None where it cannot be found out.
pub fn launcher(roots: &Roots, pid: Pid, of_ranks: &[&str]) -> Option<LauncherProcess> {
    let mut buffer = Vec::new();
    let mut stat = |pid: Pid| {
        read_path(&roots.process(pid).join("stat"), &mut buffer).ok()?;
        TaskStat::parse(&buffer).ok().map(|stat| (Pid(stat.parent), stat.start))
    };
    let mut buffer = Vec::new();
    let mut at = stat(pid)?.0;
    for _ in 0..DEEPEST {
        let (parent, started) = stat(at)?;
        // The daemon may be another user's, whose environment is closed to us: it is no rank then.
        let of_rank = read_path(&roots.process(at).join("environ"), &mut buffer)
            .is_ok_and(|()| of_ranks.iter().any(|name| Environment(&buffer).value(name).is_some()));
        if !of_rank {
            read_path(&roots.process(at).join("cmdline"), &mut buffer).ok()?;
            let words = cmdline::words(&buffer).into_iter().map(<[u8]>::to_vec).collect();
            return Some(LauncherProcess { pid: at, started, words });
        }
        at = parent;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    #[test]
    fn scripts_between_a_rank_and_its_launcher_are_passed_over() {
        let tree = Tree::new();
        let process = |pid: i32, parent: i32, environment: &str, words: &str| {
            let zeros = "0 ".repeat(30);
            tree.write(
                &format!("proc/{pid}/stat"),
                &format!("{pid} (x) S {parent} 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 1 0 77 1 1 {zeros}\n"),
            );
            tree.write(&format!("proc/{pid}/environ"), environment);
            tree.write(&format!("proc/{pid}/cmdline"), words);
        };
        process(10, 1, "SLURM_PROCID=0\0", "proxy\0--control-port\0a:1\0");
        process(20, 10, "SLURM_PROCID=0\0PMI_RANK=0\0", "sh\0-c\0numawise\0");
        process(30, 20, "PMI_RANK=0\0", "numawise\0");
        let found = launcher(&tree.roots(), Pid(30), &["PMI_RANK"]).unwrap();
        assert_eq!((found.pid, found.started, found.words.len()), (Pid(10), 77, 3));
        assert_eq!(launcher(&tree.roots(), Pid(31), &["PMI_RANK"]), None);
    }
}
