//! The command for the guest: read here as it will be read there, so that a mistake costs no guest.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::ArgMatches;

#[cfg(test)]
#[path = "inner_tests.rs"]
mod tests;

/// What may be rehearsed.
const COMMANDS: [&str; 10] =
    ["check", "run", "where", "snapshot", "objects", "study", "survey", "trace", "machine", "place"];
/// Where none is named.
const USUAL: &str = "check";
/// Commands that keep a record in the folder where nobody says which.
const RECORDING: [&str; 2] = ["check", "study"];
/// Options that name a file to be written.
const WRITTEN: [&str; 4] = ["output", "html", "json", "record"];

/// A command for the guest.
#[derive(Debug, PartialEq, Eq)]
pub struct Inner {
    /// Without numawise itself.
    pub words: Vec<OsString>,
    /// Files that it writes.
    pub outputs: Vec<PathBuf>,
    /// For `where`: the program that runs meanwhile.
    pub beside: Vec<OsString>,
}

/// Why it cannot run.
pub enum Unusable {
    Usage(Box<clap::Error>),
    Words(String),
}

impl Inner {
    /// Of the words behind the options of `rehearse`: `[COMMAND [its options] --] PROGRAM [ARGS]`.
    pub fn of(typed: &[OsString], commands: clap::Command) -> Result<Inner, Unusable> {
        let Some(first) = typed.first() else {
            return Err(Unusable::Words(format!(
                "no program is given; expected -- PROGRAM [ARGS], or one of {} before it",
                COMMANDS.join(", ")
            )));
        };
        if let Some(word) = typed.iter().find(|word| word.to_str().is_none()) {
            return Err(Unusable::Words(format!(
                "{} is not UTF-8, so that the script of a guest cannot hold it; expected words that are",
                word.display()
            )));
        }
        let is_command = COMMANDS.iter().any(|command| first == command);
        let has_program = typed.iter().any(|word| word == "--");
        if !is_command && has_program && commands.get_subcommands().any(|of| first == of.get_name()) {
            return Err(Unusable::Words(format!(
                "{} cannot be rehearsed; expected one of {}",
                first.display(),
                COMMANDS.join(", ")
            )));
        }
        let is_whole = is_command && (has_program || first == "machine" || first == "run");
        let words: Vec<OsString> = if is_whole {
            typed.to_vec()
        } else {
            [USUAL, "--"].iter().map(OsString::from).chain(skip_dashes(typed).iter().cloned()).collect()
        };
        if words[0] == "where" {
            return Inner::of_where(words, commands);
        }
        Inner::of_command(words, commands)
    }

    fn of_command(mut words: Vec<OsString>, commands: clap::Command) -> Result<Inner, Unusable> {
        let read = matches(&words, commands.clone())?;
        let Some((name, of_command)) = read.subcommand() else { return Ok(Inner::plain(words)) };
        let names_record = of_command.try_get_one::<PathBuf>("output").ok().flatten().is_some();
        let is_dry = of_command.try_get_one::<bool>("dry_run").ok().flatten().is_some_and(|dry| *dry);
        if RECORDING.contains(&name) && !names_record && !is_dry {
            let record = record(of_command).into_os_string();
            words.splice(1..1, ["--output".into(), record]);
        }
        let read = matches(&words, commands)?;
        let outputs = read.subcommand().map(|(_, of_command)| outputs(of_command)).unwrap_or_default();
        Ok(Inner { words, outputs, beside: Vec::new() })
    }

    /// Nothing runs in a guest but what we start: the program is started, and then looked at.
    fn of_where(words: Vec<OsString>, commands: clap::Command) -> Result<Inner, Unusable> {
        let split = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let (options, beside) =
            (words[..split].to_vec(), words.get(split + 1..).unwrap_or_default().to_vec());
        if beside.is_empty() {
            return Err(Unusable::Words(
                "where: no program is given; expected where [OPTIONS] -- PROGRAM".into(),
            ));
        }
        let read = matches(&options, commands)?;
        let outputs = read.subcommand().map(|(_, of_command)| outputs(of_command)).unwrap_or_default();
        // The script puts the process of the program behind it.
        let words = options.into_iter().chain(["--job".into()]).collect();
        Ok(Inner { words, outputs, beside })
    }

    fn plain(words: Vec<OsString>) -> Inner {
        Inner { words, outputs: Vec::new(), beside: Vec::new() }
    }
}

/// The words behind a `--` at the front.
fn skip_dashes(words: &[OsString]) -> &[OsString] {
    if words.first().is_some_and(|word| word == "--") { &words[1..] } else { words }
}

fn matches(words: &[OsString], commands: clap::Command) -> Result<ArgMatches, Unusable> {
    let all = [OsString::from("numawise")].into_iter().chain(words.iter().cloned());
    commands.try_get_matches_from(all).map_err(|error| Unusable::Usage(Box::new(error)))
}

/// Not that of the command itself, in which real runs may be kept.
fn record(of_command: &ArgMatches) -> PathBuf {
    let words = ["command", "program", "file"].into_iter().find_map(|id| {
        of_command.try_get_raw(id).ok().flatten().and_then(|mut words| words.next()).map(OsStr::to_owned)
    });
    let program = words.unwrap_or_else(|| "program".into());
    let mut name = Path::new(&program).file_name().unwrap_or(&program).to_owned();
    name.push(".rehearsed.nw");
    name.into()
}

fn outputs(of_command: &ArgMatches) -> Vec<PathBuf> {
    let of = |id: &str| of_command.try_get_raw(id).ok().flatten().and_then(|mut words| words.next());
    let named = WRITTEN.iter().filter_map(|id| of(id)).filter(|name| !name.is_empty());
    named.map(PathBuf::from).collect()
}
