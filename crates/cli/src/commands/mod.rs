//! The commands, one file each: arguments as typed, a validated request, and `run`.

mod bar;
mod check;
mod compare;
mod completions;
mod export;
mod help;
mod machine;
mod man_pages;
mod move_;
mod objects;
mod old;
mod place;
mod predict;
mod rehearse;
mod report;
mod run;
mod snapshot;
mod study;
mod survey;
mod trace;
mod view;
mod where_;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use numawise_facts::{DeviceName, Machine};
use numawise_linux::calls::inherited;
use numawise_report::notice;
use numawise_session::near_everywhere;

pub use crate::exit::{Failure, SUCCESS, Status};
use crate::streams;

/// Does it matter where my threads, ranks and memory live? By how much? What exactly should I change?
#[derive(Parser)]
#[command(name = "numawise", version, disable_help_subcommand = true, after_help = help::QUESTIONS, help_template = help::FRONT)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Machine(machine::Arguments),
    Move(move_::Arguments),
    Objects(Box<objects::Arguments>),
    Place(Box<place::Arguments>),
    Predict(Box<predict::Arguments>),
    Run(Box<run::Arguments>),
    Check(check::Arguments),
    Compare(compare::Arguments),
    Completions(completions::Arguments),
    Export(export::Arguments),
    ManPages(man_pages::Arguments),
    Rehearse(Box<rehearse::Arguments>),
    Report(report::Arguments),
    Snapshot(Box<snapshot::Arguments>),
    Study(Box<study::Arguments>),
    Survey(Box<survey::Arguments>),
    Trace(Box<trace::Arguments>),
    View(view::Arguments),
    Where(where_::Arguments),
}

pub fn main() -> Status {
    // Before anything else is opened: a file of ours under the number of a closed stream would be written into.
    if let Err(error) = inherited::open_standard_streams() {
        return Failure::new(format!("a standard stream is closed, and /dev/null cannot be opened: {error}"))
            .report();
    }
    if let Some((options, command)) = run_with_numactls_options() {
        inherited::take_signals_to_wait();
        return run::run_numactl(&options, command).unwrap_or_else(Failure::report);
    }
    inherited::take_signals();
    let (words, notices) = old::today(std::env::args_os());
    let command = help::in_short(Arguments::command(), &words);
    let arguments =
        match command.try_get_matches_from(words).and_then(|typed| Arguments::from_arg_matches(&typed)) {
            Ok(arguments) => arguments,
            Err(error) => return crate::exit::usage(error),
        };
    if !matches!(arguments.command, Command::Run(_)) {
        inherited::unblock_signals();
    }
    notices.iter().for_each(|notice| streams::say(notice));
    let result = match arguments.command {
        Command::Machine(arguments) => machine::run(arguments),
        Command::Move(arguments) => move_::run(arguments),
        Command::Objects(arguments) => objects::run(*arguments),
        Command::Place(arguments) => place::run(*arguments),
        Command::Predict(arguments) => predict::run(*arguments),
        Command::Run(arguments) => run::run(*arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Compare(arguments) => compare::run(arguments),
        Command::Completions(arguments) => completions::run(&arguments, shown()),
        Command::Export(arguments) => export::run(arguments),
        Command::ManPages(arguments) => man_pages::run(&arguments, shown()),
        Command::Rehearse(arguments) => rehearse::run(*arguments, Arguments::command()),
        Command::Report(arguments) => report::run(arguments),
        Command::Snapshot(arguments) => snapshot::run(*arguments),
        Command::Study(arguments) => study::run(*arguments),
        Command::Survey(arguments) => survey::run(*arguments),
        Command::Trace(arguments) => trace::run(*arguments),
        Command::View(arguments) => view::run(arguments),
        Command::Where(arguments) => where_::run(arguments),
    };
    result.unwrap_or_else(|failure| failure.report())
}

/// The command line as people see it: completions and man pages leave out what `--help` does.
fn shown() -> clap::Command {
    let all = Arguments::command();
    let mut shown = clap::Command::new("numawise").disable_help_subcommand(true).subcommand_required(true);
    shown = shown.version(env!("CARGO_PKG_VERSION")).about(all.get_about().cloned().unwrap_or_default());
    shown.subcommands(all.get_subcommands().filter(|command| !command.is_hide_set()).cloned())
}

/// Says of each device whether being near to it makes no difference here.
fn warn_of_near_everywhere<'a>(
    machine: &Machine,
    devices: impl IntoIterator<Item = &'a DeviceName>,
) -> Result<(), Failure> {
    for device in devices {
        if let Some(warning) = near_everywhere(machine, device)? {
            streams::say(&format!("warning: {}", notice::text(&warning)));
        }
    }
    Ok(())
}

/// `numawise run` with nothing but numactl's options.
fn run_with_numactls_options() -> Option<(run::NumactlOptions, Vec<OsString>)> {
    let mut words = std::env::args_os().skip(1);
    words.next().filter(|word| word == "run")?;
    run::scan(words)
}
