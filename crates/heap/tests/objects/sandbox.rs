//! Programs that forbid system calls to themselves: they print and end as without the library, also where their threads are sampled.

use crate::support::Bench;

#[test]
fn a_program_that_forbids_system_calls_to_itself_ends_as_without_it() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "sandbox.c", &["-pthread"]) else { return };
    let program = program.to_str().unwrap();
    for how in ["prctl", "bare", "all"] {
        for then in ["_exit", "exit", "return", "threads", "fork", "allocates", "again", "late"] {
            for timer in ["0", "500"] {
                let (written, _) = bench.with(&[program, how, then], &[("NUMAWISE_OBJECTS_TIMER", timer)]);
                assert_eq!(written.counts.processes, 1, "{how} {then}: what is in a sandbox makes no file");
                assert_eq!(written.samples.sandboxed, 1, "{how} {then}");
                assert!(written.counts.events > 0, "{how} {then}: what came before is written down");
            }
        }
    }
    for then in ["bare", "_exit"] {
        let (written, _) = bench.with(&[program, "strict", then], &[("NUMAWISE_OBJECTS_TIMER", "500")]);
        assert_eq!(written.samples.sandboxed, 1, "{then}");
    }
}
