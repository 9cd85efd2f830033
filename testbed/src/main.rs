//! `testbed`: runs commands on an emulated NUMA machine.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
