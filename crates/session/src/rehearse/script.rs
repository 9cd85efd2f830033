//! What a guest runs: the command in its folder with its environment, and what it leaves in the folder of results.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::PathBuf;

use numawise_emulate::RESULTS;

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;

/// Names in the folder of results.
pub const OUT: &str = "out";
pub const ERR: &str = "err";
pub const STOP: &str = "stop";
pub const STATUS: &str = "status";
pub const FILES: &str = "files";

/// Variables that speak of a job that the guest is no part of: launchers would look for it.
const OF_JOBS: [&str; 9] =
    ["SLURM_", "PMI_", "PMIX_", "OMPI_COMM_WORLD_", "OMPI_UNIVERSE_", "PBS_", "LSB_", "FLUX_", "PRTE_"];
/// Of the shell that is left.
const OF_SHELL: [&str; 4] = ["_", "PWD", "OLDPWD", "SHLVL"];
/// Where the user says nothing else: a guest has one user, one host, and few real cores.
const USUAL: [(&str, &str); 6] = [
    ("OMP_WAIT_POLICY", "passive"),
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_plm", "isolated"),
    ("OMPI_MCA_oob_tcp_if_include", "lo"),
    ("PMIX_MCA_pcompress_base_silence_warning", "1"),
];

/// What is looked at has run so long.
const BESIDE_SECONDS: u32 = 3;

/// A command of ours for a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RehearsedCommand {
    /// numawise and its words.
    pub words: Vec<OsString>,
    /// A program that runs meanwhile, whose process id becomes the last word; none where it is empty.
    pub beside: Vec<OsString>,
    /// Where it starts, here as there.
    pub directory: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
    /// Files that it may write and that are to come back; from `directory` on where they are relative.
    pub outputs: Vec<PathBuf>,
}

/// The script, for a POSIX shell.
pub fn text(command: &RehearsedCommand) -> String {
    let mut text = String::from("# Made by numawise rehearse.\nunset OMP_WAIT_POLICY TERM\n");
    let mut line = |arguments: std::fmt::Arguments<'_>| {
        text.write_fmt(arguments).and_then(|()| text.write_char('\n')).expect("a String takes any text");
    };
    for (name, value) in variables(&command.environment) {
        line(format_args!("export {name}={value}"));
    }
    let place = |name: &str| format!("{RESULTS}/{name}");
    let (out, err, status) = (place(OUT), place(ERR), place(STATUS));
    let directory = quoted(command.directory.as_os_str()).unwrap_or_default();
    line(format_args!("cd {directory} || exit 125"));
    let mut words: Vec<String> = command.words.iter().filter_map(|word| quoted(word)).collect();
    if !command.beside.is_empty() {
        let beside: Vec<String> = command.beside.iter().filter_map(|word| quoted(word)).collect();
        line(format_args!("{} > /dev/null 2> {err}.beside < /dev/null &", beside.join(" ")));
        // Its threads and its memory shall be there.
        line(format_args!("beside=$!\nsleep {BESIDE_SECONDS}"));
        words.push("$beside".to_owned());
    }
    line(format_args!("{} > {out} 2> {err} < /dev/null &", words.join(" ")));
    line(format_args!("command=$!"));
    // The signal is SIGTERM: a shell starts what runs in its background with SIGINT ignored.
    let stop = place(STOP);
    line(format_args!("(while [ ! -e {stop} ]; do sleep 1; done; kill -TERM $command) > /dev/null 2>&1 &"));
    line(format_args!("watcher=$!\nwait $command\nstatus=$?"));
    line(format_args!("kill $watcher $beside 2> /dev/null"));
    for (k, output) in command.outputs.iter().enumerate() {
        let Some(path) = quoted(output.as_os_str()) else { continue };
        line(format_args!("if [ -f {path} ]; then cp -- {path} {}/{k}; fi", place(FILES)));
    }
    line(format_args!("echo $status > {status}"));
    text
}

/// Those that a shell can have, quoted, and the usual ones where they are not set.
fn variables(environment: &[(OsString, OsString)]) -> Vec<(String, String)> {
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut all: Vec<(String, String)> = environment
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), quoted(value)?)))
        .filter(|(name, _)| is_name(name) && !OF_SHELL.contains(&name.as_str()))
        .filter(|(name, _)| !OF_JOBS.iter().any(|prefix| name.starts_with(prefix)))
        .collect();
    for (name, value) in USUAL {
        if !all.iter().any(|(of, _)| of == name) {
            all.push((name.to_owned(), value.to_owned()));
        }
    }
    all
}

/// As one word for a shell; none where it is no text, which a script of texts cannot hold.
fn quoted(word: &OsStr) -> Option<String> {
    Some(format!("'{}'", word.to_str()?.replace('\'', r"'\''")))
}
