//! Programs that forbid system calls to themselves: threads that begin then stay where their creator is, and the program ends as without us.

use crate::support::Bench;

#[test]
fn a_program_that_forbids_system_calls_to_itself_ends_as_without_it() {
    let Some(bench) = Bench::new() else { return };
    let program = bench.compile("gcc", "sandbox", &["sandbox.c"], &["-w"]);
    for how in ["prctl", "bare", "bare-prctl", "all"] {
        for then in ["_exit", "exit", "return", "threads", "fork", "allocates", "again", "late"] {
            let script = format!("{program} {how} {then}; test $? = 3 && echo as expected");
            let alone = bench.run_without_plan(&["sh", "-c", &script]).output;
            assert!(alone.ends_with("as expected\n"), "{how} {then}: {alone}");
            assert_eq!(bench.run(&["sh", "-c", &script], &[]).output, alone, "{how} {then}");
        }
    }
}
