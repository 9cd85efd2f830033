//! Who else than numawise places memory and threads.

use numawise_facts::finding::{Evidence, EvidenceSubject, ObeyedAdvice, ObeyedQuantity};
use numawise_facts::{PageUse, Reading};

use super::{amount, value};

pub fn sentence(quantity: ObeyedQuantity, one: &Evidence) -> String {
    let value = value(one);
    let of = one.of.map(amount).unwrap_or_default();
    match (quantity, &one.subject) {
        (ObeyedQuantity::MemoryAgainstPlan, EvidenceSubject::Point { point }) => {
            format!(
                "{point}: {value} of {of} was not where the placement has it, so nothing is concluded from it"
            )
        }
        (ObeyedQuantity::MemoryUnderPolicy, EvidenceSubject::Policy { point, policy }) => format!(
            "{point}: {value} of {of} has a memory policy of its own, {policy} (numa_maps), which was not asked for: the program, \
             a library or what starts it calls mbind or set_mempolicy"
        ),
        (ObeyedQuantity::MemoryUnderPolicy, _) => match &one.value {
            Reading::Unavailable { unavailable } => format!("who places it was not seen ({unavailable})"),
            Reading::Measured(_) => {
                "who places it was not seen: no policy but those asked for, and private memory".to_owned()
            }
        },
        (ObeyedQuantity::MemoryByUse, EvidenceSubject::MemoryUse { point, used_for, file }) => {
            let file = file.as_ref().map(|file| format!(" ({file})")).unwrap_or_default();
            format!("{point}: {value} of {of} {}{file}", of_use(*used_for))
        }
        (ObeyedQuantity::CpusOfThreads, EvidenceSubject::Cpus { cpus, .. }) => {
            let s = if cpus.len() == 1 { "" } else { "s" };
            format!(
                "without a binding by numawise, each working thread of the program is bound to some of the {of} allowed CPUs; all \
                 together to CPU{s} {cpus}"
            )
        }
        (
            ObeyedQuantity::MemoryAgainstPlan | ObeyedQuantity::MemoryByUse | ObeyedQuantity::CpusOfThreads,
            _,
        ) => value,
    }
}

fn of_use(used_for: PageUse) -> &'static str {
    match used_for {
        PageUse::Huge => "is in reserved huge pages (hugetlbfs): they come from the nodes that have some",
        PageUse::Shared => {
            "is shared memory: it lies where the process that touched or bound it first put it"
        }
        PageUse::File => "is of a file: it lies where the page cache has it since it was first read",
        PageUse::Heap | PageUse::Stack | PageUse::Private => "is private memory",
    }
}

pub fn advise(advice: &ObeyedAdvice) -> &'static str {
    match advice {
        ObeyedAdvice::LeaveMemoryPolicy => {
            "to learn what other places would bring: switch off what places its memory (mbind, set_mempolicy, libnuma or hwloc \
             in the program, numactl in its start script), and check again"
        }
        ObeyedAdvice::ReserveHugePages => {
            "reserve huge pages on the nodes that are to be used, or use transparent ones, and check again"
        }
        ObeyedAdvice::PlaceSharedMemory => {
            "check the command that creates the shared memory and all that use it, so that whoever touches it first has the policy"
        }
        ObeyedAdvice::ReadFilesThere => {
            "have the file read first on the node where it is to be (after dropping it from the page cache), or read it into memory \
             of the program's own"
        }
        ObeyedAdvice::LeaveThreads => {
            "to learn what other placements would bring: switch off what binds its threads (an option of the program, \
             GOMP_CPU_AFFINITY, KMP_AFFINITY, what a launcher of ranks binds, taskset in a start script), and check again"
        }
    }
}
