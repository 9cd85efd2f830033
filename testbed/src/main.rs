//! `testbed`: runs commands on an emulated NUMA machine.

mod cli;
mod predicted;
mod rehearsed;
mod truth;

fn main() -> std::process::ExitCode {
    cli::run()
}
