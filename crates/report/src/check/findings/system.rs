//! What the kernel does with a program beside its placement: too many threads for the CPUs.

use numawise_facts::finding::{Advice, Evidence, EvidenceQuantity};

use super::{amount, effect, value};

pub fn sentence(one: &Evidence) -> String {
    let value = value(one);
    let of = one.of.map(amount).unwrap_or_default();
    match one.quantity {
        EvidenceQuantity::WorkingThreads => {
            format!("{value} threads work alike on {of} CPUs that they may use")
        }
        EvidenceQuantity::ReadyThreads => {
            format!("on average {value} threads had a CPU or waited for one, and {of} can have one")
        }
        EvidenceQuantity::EffectOfFewerThreads => {
            format!("with as many threads as CPUs the program is {} as fast", effect(one))
        }
        _ => value,
    }
}

pub fn advise(advice: &Advice) -> String {
    match advice {
        Advice::RunFewerThreads { threads } => {
            format!("run {threads} threads, one for each CPU (--threads {threads}, which sets OMP_NUM_THREADS and {{threads}})")
        }
        _ => "run no more threads than CPUs; to learn here what that brings, let the number come from outside: write {threads} in \
              the command where the program takes it, or leave it to OMP_NUM_THREADS, and give --threads"
            .to_owned(),
    }
}
