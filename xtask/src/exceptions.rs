//! Where a rule does not hold, and why; and where it does not hold yet.

use crate::rule::Rule;

/// A file or a folder, the rule, and the reason.
pub const EXCEPTIONS: [(&str, Rule, &str); 11] = [
    (
        "crates/traces/src/both.rs",
        Rule::Impure,
        "a thread for one of two parts of the work, neither of which sees the other: what they give is the same on any number of CPUs",
    ),
    (
        "crates/heap/src/modules.rs",
        Rule::KernelPath,
        "read inside of the target, whose loader does not name the program's own file, and where linux cannot be used",
    ),
    (
        "crates/collector/src/time/clock.rs",
        Rule::KernelPath,
        "asked inside of the target, which may run on another machine than numawise and where linux cannot be used",
    ),
    (
        "crates/collector/src/proc.rs",
        Rule::KernelPath,
        "read inside of the target as it ends, when nobody else can any more, and where linux cannot be used",
    ),
    (
        "crates/placement/src/equivalent.rs",
        Rule::OptionName,
        "options of numactl, taskset, mpirun and srun: equivalent commands are data",
    ),
    (
        "crates/placement/src/equivalent.rs",
        Rule::KernelPath,
        "the file in the equivalent shell lines that set the kernel's weights; nothing is opened",
    ),
    (
        "crates/launch/src/preload.rs",
        Rule::OptionName,
        "the option of the dynamic loader with which it loads a program and does not run it",
    ),
    (
        "crates/session/src/slurm/client.rs",
        Rule::OptionName,
        "options of Slurm's commands, and the line with which a job starts numawise for its trial",
    ),
    (
        "crates/facts/src/redaction/arguments.rs",
        Rule::OptionName,
        "options of programs that take a password after them, such as curl: data",
    ),
    (
        "crates/cli/src/main.rs",
        Rule::UnsafeFace,
        "the attribute that exports C's main, for a fast start; no unsafe code",
    ),
    (
        "crates/cli/src/maths.rs",
        Rule::UnsafeFace,
        "the attribute that links the functions of C's maths library in, for a fast start; no unsafe code",
    ),
];

/// Places that are still to be mended; the list only shrinks.
pub const OPEN: [(&str, Rule); 0] = [];
