//! What a check would try on a machine, before the program has run.

use testbed::CommandResult;

use crate::shared::Topic;

pub const CHECKS: &str = "checks";

/// With so many threads, and with as many as there are CPUs.
pub fn dry() -> Topic {
    Topic::new(
        CHECKS,
        ["--threads 16", ""].map(|threads| format!("numawise check --dry-run {threads} -- true")),
    )
}

/// The placements that would be tried, by their names.
pub fn would_try(result: &CommandResult) -> Vec<&str> {
    assert_eq!(result.status, 0, "{}", result.stderr);
    let listed = result.stdout.lines().skip_while(|line| !line.starts_with("Would try")).skip(1);
    let listed = listed.take_while(|line| line.starts_with(' ')).filter(|line| !line.starts_with("    "));
    listed.filter_map(|line| line.split_whitespace().next()).collect()
}
