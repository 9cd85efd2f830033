//! What a program does to itself and the kernel to it beside the placement: too many threads, pages and their moves.

use numawise_facts::PageSize;
use numawise_facts::finding::{Evidence, EvidenceSubject, SystemAdvice, SystemQuantity};

use super::{amount, effect, nodes, number_of, value};
use crate::amount::many;
use crate::levels::counted;

pub fn sentence(quantity: SystemQuantity, one: &Evidence) -> String {
    let value = value(one);
    let of = one.of.map(amount).unwrap_or_default();
    match quantity {
        SystemQuantity::WorkingThreads => {
            format!("{value} equally busy threads on {} that are allowed", number_of(one.of.as_ref(), "CPU"))
        }
        SystemQuantity::ReadyThreads => {
            format!("{value} threads ran or were ready to run on average, on {of} CPUs")
        }
        SystemQuantity::EffectOfFewerThreads => {
            format!("with as many threads as CPUs the program is {} as fast", effect(one))
        }
        SystemQuantity::HugePages => format!(
            "{}: {value} came in transparent huge pages in a run (median; of the whole machine), and the program has {of}",
            point(&one.subject)
        ),
        SystemQuantity::EffectOfPageSize => {
            format!("with pages of the other size the program is {} as fast", effect(one))
        }
        SystemQuantity::MemoryMoved => format!(
            "NUMA balancing moved {value} to other nodes in a run (median; of the whole machine), and the program has {of}"
        ),
        SystemQuantity::HintFaults => {
            format!("it made {value} page faults in a run to see who uses a page")
        }
        SystemQuantity::EffectWithoutMoving => {
            format!("with memory that it leaves alone the program is {} as fast", effect(one))
        }
        SystemQuantity::OtherLoad => match &one.subject {
            EvidenceSubject::Nodes { .. } => {
                format!(
                    "{}: others used {value} of its {of} CPUs in those runs (median)",
                    nodes(&one.subject)
                )
            }
            _ => format!("others used {value} of the {of} CPUs in those runs (median)"),
        },
        SystemQuantity::TurnedAway => format!(
            "{} could not give {value} that were meant for it in a run (median; of the whole machine), and the program has {of}: \
             another node gave them",
            nodes(&one.subject)
        ),
        SystemQuantity::NodeFree => {
            format!("{value} of {} were free before the first run", nodes(&one.subject))
        }
        SystemQuantity::NodeReclaims => format!(
            "full nodes were searched for pages to drop {value} times in a run before another node was asked (median; of the whole \
             machine; vm.zone_reclaim_mode)"
        ),
        SystemQuantity::MemoryInSwap => {
            format!("{value} of a process were in swap in a run (median), and the program has {of}")
        }
        SystemQuantity::SwappedIn => {
            format!("{value} were read from swap in a run (median; of the whole machine)")
        }
        SystemQuantity::SwappedOut => {
            format!("{value} were written to swap in a run (median; of the whole machine)")
        }
        SystemQuantity::FilePages => format!(
            "{value} of the program's {of} are pages of files, which the page cache has had on {} since they were first read",
            nodes(&one.subject)
        ),
    }
}

fn point(subject: &EvidenceSubject) -> String {
    match subject {
        EvidenceSubject::Point { point } => point.to_string(),
        _ => "the runs".to_owned(),
    }
}

pub fn advise(advice: &SystemAdvice) -> String {
    match advice {
        SystemAdvice::RunFewerThreads { threads } => {
            format!(
                "run {} in each process, so that each has a CPU (--threads {threads}, which sets OMP_NUM_THREADS and {{threads}})",
                many((*threads).into(), "thread")
            )
        }
        SystemAdvice::UsePages { pages: PageSize::Small } => {
            "keep transparent huge pages from the program (--page-size small)".to_owned()
        }
        SystemAdvice::UsePages { pages } => format!(
            "use huge pages (--page-size {pages}, which sets glibc.malloc.hugetlb; memory that the program maps itself needs \
             madvise with MADV_HUGEPAGE)"
        ),
        SystemAdvice::LeavePages => {
            "keep NUMA balancing from the program's pages (--balancing=off), and place threads and memory yourself where that matters"
                .to_owned()
        }
        SystemAdvice::FreeTheNode { nodes } => format!(
            "make room on {} (end what else uses it; the page cache is dropped by root: vm.drop_caches), or run where there is some",
            counted(nodes)
        ),
        SystemAdvice::KeepOutOfSwap => {
            "give the program more memory, or less to do: smaller inputs, fewer copies or ranks on one machine, no other programs \
             beside it"
                .to_owned()
        }
        SystemAdvice::HandOverThreads => "run no more threads than CPUs; to learn here what that brings, let the number come from outside: write {threads} in \
              the command where the program takes it, or leave it to OMP_NUM_THREADS, and give --threads"
            .to_owned(),
    }
}
