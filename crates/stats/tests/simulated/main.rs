//! Checks, grids and searches of worlds whose truth is known: how often what is said of them is right.
//!
//! Each run of the tests simulates few of them; `NUMAWISE_CHECKS=10000` as many as `docs/statistics.md` tells of. Seeds are fixed.

mod checks;
mod grids;
mod search;
#[path = "mod.rs"]
mod simulated;

use std::process::Command;

/// As many are simulated for the documentation.
const ALL: usize = 10_000;

/// How many checks are simulated of each world.
fn checks() -> usize {
    std::env::var("NUMAWISE_CHECKS").map_or(500, |checks| checks.parse().expect("a number"))
}

/// As much less of what `of` are simulated of for the documentation.
fn fewer(of: usize) -> usize {
    (of * checks() / ALL).clamp(100, of)
}

/// How far a share of 5 % may lie above in so many simulations: where they are fewer than `all`, three standard errors.
fn more(of: usize, all: usize) -> f64 {
    if of < all { 3.0 * (0.05 * 0.95 / of as f64).sqrt() } else { 0.0 }
}

#[test]
#[ignore = "timing: none, and ten thousand checks of each world take minutes"]
fn ten_thousand_checks_of_each_world_keep_the_promises() {
    let mut tests = Command::new(std::env::current_exe().unwrap());
    let status = tests.args(["checks::", "--nocapture"]).env("NUMAWISE_CHECKS", ALL.to_string()).status();
    assert!(status.unwrap().success());
}
