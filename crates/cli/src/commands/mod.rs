//! The commands, one file each: arguments as typed, a validated request, and `run`.

mod bar;
mod check;
mod machine;
mod report;
mod run;
mod where_;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

pub use crate::exit::{Failure, SUCCESS, Status};

/// Does it matter where my threads, ranks and memory live? By how much? What exactly should I change?
#[derive(Parser)]
#[command(name = "numawise", version, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Machine(machine::Arguments),
    Run(Box<run::Arguments>),
    Check(check::Arguments),
    Report(report::Arguments),
    Where(where_::Arguments),
}

pub fn main() -> Status {
    if let Some((options, command)) = run_with_numactls_options() {
        return run::run_numactl(&options, command).unwrap_or_else(Failure::report);
    }
    // A reader that has seen enough (`| head`) is an error to handle, not the end of a study.
    numawise_launch::ignore_broken_pipes();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return crate::exit::usage(error),
    };
    let result = match arguments.command {
        Command::Machine(arguments) => machine::run(arguments),
        Command::Run(arguments) => run::run(*arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Where(arguments) => where_::run(arguments),
    };
    result.unwrap_or_else(|failure| failure.report())
}

/// `numawise run` with nothing but numactl's options.
fn run_with_numactls_options() -> Option<(run::NumactlOptions, Vec<OsString>)> {
    let mut words = std::env::args_os().skip(1);
    words.next().filter(|word| word == "run")?;
    run::scan(words)
}
