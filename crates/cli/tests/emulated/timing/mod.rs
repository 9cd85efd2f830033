//! What numawise says where memory takes its time, and all else that depends on how fast and how busy the host is: `make test-timing`.
//! Each test has a guest of its own, and says what it found.

mod check;
mod checks;
mod fast_memory;
mod fields;
mod library;
mod measure;
pub mod objects;
mod quiet;
mod snapshot;

use std::io::Write as _;

use testbed::{Host, HostShares};

/// What the tests found goes past the harness, whatever came of them.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Does it, and says how much of the host's CPUs others took meanwhile.
fn beside_others<T>(work: impl FnOnce() -> T) -> T {
    let before = Host::now().expect("/proc/stat");
    let made = work();
    let HostShares { others, idle } = Host::now().expect("/proc/stat").since(&before);
    say(&format!("of the host's CPUs others took {:.0} %, {:.0} % were idle", 100.0 * others, 100.0 * idle));
    made
}

/// The least and the most of some figures, in words.
fn spread(figures: &[f64]) -> String {
    let (least, most) = figures.iter().fold((f64::MAX, f64::MIN), |(a, b), of| (a.min(*of), b.max(*of)));
    format!("{least:.4} to {most:.4}")
}

/// What a check came to, for people.
fn verdict(told: &serde_json::Value) -> String {
    format!("{}: {} (effect {})", told["verdict"], told["text"], told["effect"])
}
