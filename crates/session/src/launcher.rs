//! Commands that start the ranks of a job, perhaps on other computers: which they are, and where the programs stand in them.

pub mod hosts;

use std::borrow::Cow;
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::Path;

use numawise_facts::{Argument, RunSpec};
use numawise_launch::LauncherOption;

#[cfg(test)]
#[path = "launcher_tests.rs"]
mod tests;

/// What looks a variable of the environment up.
type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// A launcher by the name of its command.
struct LauncherName {
    name: &'static str,
    options: OptionTable,
}

/// How the words of a launcher are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionTable {
    /// `mpirun` of Open MPI and of MPICH, whose options do not contradict each other.
    Mpi,
    Srun,
    /// Its options are not known here.
    Unknown,
}

const fn launcher(name: &'static str, options: OptionTable) -> LauncherName {
    LauncherName { name, options }
}

/// The words that start ranks.
const LAUNCHERS: [LauncherName; 14] = [
    launcher("mpirun", OptionTable::Mpi),
    launcher("mpiexec", OptionTable::Mpi),
    launcher("mpiexec.hydra", OptionTable::Mpi),
    launcher("mpiexec.openmpi", OptionTable::Mpi),
    launcher("mpiexec.mpich", OptionTable::Mpi),
    launcher("mpirun.openmpi", OptionTable::Mpi),
    launcher("mpirun.mpich", OptionTable::Mpi),
    launcher("orterun", OptionTable::Mpi),
    launcher("prterun", OptionTable::Mpi),
    launcher("prun", OptionTable::Mpi),
    launcher("srun", OptionTable::Srun),
    launcher("jsrun", OptionTable::Unknown),
    launcher("aprun", OptionTable::Unknown),
    launcher("mpirun_rsh", OptionTable::Unknown),
];

/// Options with one value in the next word, without their dashes: Open MPI takes long ones with one dash or two. From mpirun(1) of Open
/// MPI 4.1 and 5.0, and from the help of Hydra 4.0 and of Intel MPI.
const MPI_ONE: &str = " n np c N npernode npersocket host H hostfile machinefile default-hostfile map-by rank-by bind-to cpus-per-proc \
cpus-per-rank cpu-set cpu-list wdir wd x app configfile output-filename output stdin prefix path timeout tune am preload-files ompi-server xterm \
rankfile rf ppr report-pid report-uri slot-list max-restarts personality f hosts hostlist envlist genvlist launcher launcher-exec bootstrap \
bootstrap-exec rmk topolib membind demux iface ppn perhost prepend-pattern outfile-pattern errfile-pattern nameserver order-nodes \
localhost usize gpus-per-proc dvm dvm-uri runtime-options ";
const MPI_TWO: &str = " mca gmca pmixmca gpmixmca prtemca env genv ";
/// From srun(1) of Slurm 23.
const SRUN_ONE: &str = " n N c p J t w x o e i A C D m G B d r L K M q S T a account acctg-freq bcast begin chdir cluster-constraint clusters \
comment constraint container core-spec cores-per-socket cpu-bind cpu-freq cpus-per-gpu cpus-per-task deadline delay-boot dependency \
distribution epilog error exclude export extra-node-info gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres hint input \
jobid job-name licenses mail-type mail-user mem mem-bind mem-per-cpu mem-per-gpu mpi msg-timeout network nodefile nodelist nodes ntasks \
ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket open-mode output partition power priority prolog propagate qos relative \
reservation signal sockets-per-node switches task-epilog task-prolog thread-spec threads threads-per-core time time-min tmp tres-bind \
tres-per-task wait wckey ";

/// The name of a file without its folder.
pub fn file_name(word: &Argument) -> Option<&str> {
    Path::new(word.as_os_str()).file_name()?.to_str()
}

fn known(command: &RunSpec) -> Option<(&str, OptionTable)> {
    let name = file_name(command.command.first()?)?;
    let found = LAUNCHERS.iter().find(|launcher| launcher.name == name)?;
    Some((name, found.options))
}

/// The launcher that a command begins with.
pub fn of(command: &RunSpec) -> Option<&str> {
    known(command).map(|(name, _)| name)
}

/// The command with `words` before each program that the launcher starts; `None` where the programs are not among its words, or cannot be told
/// from them.
pub fn with_words(command: &RunSpec, words: &[Argument]) -> Option<RunSpec> {
    with_words_before_programs(command, words, &executable_for(command))
}

/// The same. `is_executable` decides where an option is not known: a word behind it that can be executed is the program.
fn with_words_before_programs(
    command: &RunSpec,
    words: &[Argument],
    is_executable: &dyn Fn(&Argument) -> bool,
) -> Option<RunSpec> {
    let programs = programs(command, is_executable);
    if programs.is_empty() {
        return None;
    }
    let all = command.command.iter().enumerate();
    let all = all.flat_map(|(at, word)| {
        let before = if programs.contains(&at) { words } else { &[] };
        before.iter().chain([word])
    });
    Some(RunSpec { command: all.cloned().collect(), directory: command.directory.clone() })
}

/// The command without `words` wherever they stand in it.
pub fn without_words(command: &RunSpec, words: &[Argument]) -> RunSpec {
    let mut rest = command.command.as_slice();
    let mut kept = Vec::new();
    while let Some((first, others)) = rest.split_first() {
        match rest.strip_prefix(words).filter(|_| !words.is_empty()) {
            Some(behind) => rest = behind,
            None => {
                kept.push(first.clone());
                rest = others;
            }
        }
    }
    RunSpec { command: kept, directory: command.directory.clone() }
}

/// Whether a word of the command could be executed in its folder.
pub fn executable_for(command: &RunSpec) -> impl Fn(&Argument) -> bool + use<'_> {
    move |word: &Argument| numawise_launch::is_executable(word.as_os_str(), &command.directory)
}

/// The programs that a launcher starts, without their arguments.
pub fn program_words<'a>(
    command: &'a RunSpec,
    is_executable: &dyn Fn(&Argument) -> bool,
) -> Vec<&'a Argument> {
    programs(command, is_executable).into_iter().filter_map(|at| command.command.get(at)).collect()
}

/// The options of a launcher, of all of its programs; of all words where the programs cannot be told from them.
pub fn options<'a>(
    command: &'a RunSpec,
    is_executable: &dyn Fn(&Argument) -> bool,
) -> Vec<LauncherOption<'a>> {
    let programs = programs(command, is_executable);
    let words = &command.command;
    let is_srun = starts_by_daemon(command);
    let mut found = Vec::new();
    let (mut is_of_program, mut programs) = (false, programs.into_iter().peekable());
    for (at, word) in words.iter().enumerate().skip(1) {
        let text = word.as_os_str().to_string_lossy();
        if programs.next_if_eq(&at).is_some() {
            is_of_program = true;
        } else if text == ":" {
            is_of_program = false;
        } else if let Some(option) = text.strip_prefix('-').filter(|_| !is_of_program) {
            let option = option.strip_prefix('-').unwrap_or(option);
            let behind =
                |words_behind: usize| Some(words.get(at + words_behind)?.as_os_str().to_string_lossy());
            let (name, value, second) = match option.split_once('=') {
                Some((name, value)) => (name, Some(Cow::Owned(value.to_owned())), behind(1)),
                None => (option, behind(1), behind(2)),
            };
            let name = if is_srun && is_number_of_cpus(name) { SRUN_CPUS } else { name };
            found.push(LauncherOption { name: name.to_owned().into(), value, second });
        }
    }
    found
}

/// Options with the number of ranks, and srun's, whose short one may have its number behind it.
const RANKS: [&str; 4] = ["n", "np", "c", "ntasks"];

/// How many ranks the words of a launcher ask for, of all of its programs; `None` where one of them has no number.
pub fn ranks(command: &RunSpec) -> Option<NonZeroU32> {
    let programs = programs(command, &executable_for(command)).len();
    let numbers = options(command, &executable_for(command)).into_iter().filter_map(|option| {
        let is_it = RANKS.contains(&option.name.as_ref());
        let joined = option.name.strip_prefix('n').filter(|_| !is_it).and_then(|number| number.parse().ok());
        joined.or_else(|| option.value.filter(|_| is_it)?.parse::<u32>().ok())
    });
    let numbers: Vec<u32> = numbers.collect();
    (numbers.len() == programs).then(|| NonZeroU32::new(numbers.iter().sum()))?
}

/// What the short option of srun for CPUs of a task, alone or with its number, is called at length.
const SRUN_CPUS: &str = "cpus-per-task";

fn is_number_of_cpus(name: &str) -> bool {
    name.strip_prefix('c').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// By what somebody asked the launcher for the CPUs of its ranks: its option, or a variable.
pub fn asked_binding(command: &RunSpec, environment: Environment<'_>) -> Option<String> {
    let options = options(command, &executable_for(command));
    numawise_launch::asked_binding(&options, starts_by_daemon(command), environment)
}

/// True for a launcher whose ranks are no processes below its own, wherever they run.
pub fn starts_by_daemon(command: &RunSpec) -> bool {
    known(command).is_some_and(|(_, table)| table == OptionTable::Srun)
}

/// Where they stand. A colon alone begins the words of another program.
fn programs(command: &RunSpec, is_executable: &dyn Fn(&Argument) -> bool) -> Vec<usize> {
    let Some((_, table)) = known(command).filter(|(_, table)| *table != OptionTable::Unknown) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut begin = 1;
    while let Some(program) = first_program(&command.command, begin, table, is_executable) {
        found.push(program);
        let colon = command.command.iter().skip(program).position(|word| word.as_os_str() == ":");
        match colon {
            Some(distance) => begin = program + distance + 1,
            None => return found,
        }
    }
    // Behind a colon there is a program, or we do not understand the words.
    Vec::new()
}

fn first_program(
    words: &[Argument],
    begin: usize,
    table: OptionTable,
    is_executable: &dyn Fn(&Argument) -> bool,
) -> Option<usize> {
    let mut at = begin;
    let mut is_behind_unknown = false;
    loop {
        let word = words.get(at)?;
        let text = word.as_os_str().to_string_lossy();
        if text == "--" {
            return words.get(at + 1).map(|_| at + 1);
        }
        if let Some(values) = values_of(&text, table) {
            (at, is_behind_unknown) = (at + 1 + values.unwrap_or(0), values.is_none());
        } else if !is_behind_unknown || is_executable(word) {
            return Some(at);
        } else {
            (at, is_behind_unknown) = (at + 1, false);
        }
    }
}

/// How many words behind an option are its values; `None` in `Some` where the option is not known. `None` for what is no option.
fn values_of(text: &str, table: OptionTable) -> Option<Option<usize>> {
    let name = text.strip_prefix('-')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    let is_in = |list: &str| !name.is_empty() && list.contains(&format!(" {name} "));
    let (one, two) = match table {
        OptionTable::Mpi => (MPI_ONE, MPI_TWO),
        OptionTable::Srun | OptionTable::Unknown => (SRUN_ONE, ""),
    };
    Some(match name {
        _ if name.contains('=') => Some(0),
        _ if is_in(one) => Some(1),
        _ if is_in(two) => Some(2),
        _ => None,
    })
}
