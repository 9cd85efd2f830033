//! numactl's options: one table, and the two readers that it serves.
//!
//! A line with nothing but these options and a program stands before every program of a job, and the option parser (all commands,
//! all options, their help) costs a tenth of a millisecond that numactl does not. So [`scan`] takes what is plain, and leaves
//! everything else, errors above all, to the parser, whose options are made from the same table. Both give a [`NumactlOptions`];
//! what it means is said once, by its methods. A test compares the two on thousands of lines.

use std::ffi::OsString;

use clap::builder::ValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use numawise_facts::{Balancing, MemoryMode};
use numawise_session::shared_memory::SharedStep;
use numawise_units::Arrange;

#[cfg(test)]
#[path = "numactl_tests.rs"]
mod tests;

/// What an option asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    CpusOfNodes,
    Cpus,
    Policy(MemoryMode),
    Balancing,
    BeyondMask,
    Show,
    Hardware,
    RangesOfCpus,
    /// A shared memory segment or file, which is not about a program.
    SharedMemory(Shared),
}

/// What an option says of shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shared {
    File,
    Key,
    Id,
    Mode,
    Offset,
    Length,
    Strict,
    Huge,
    Touch,
    Verify,
    ShowPolicies,
    ShowNodes,
}

/// One of numactl's options.
struct NumactlOption {
    long: &'static str,
    short: char,
    /// The least number of letters that getopt takes for the name; its length where no beginning is enough.
    least: usize,
    /// The value's name; `None` where the option takes none.
    value: Option<&'static str>,
    meaning: Meaning,
    help: &'static str,
}

const fn option(
    (long, short, least): (&'static str, char, usize),
    value: Option<&'static str>,
    meaning: Meaning,
    help: &'static str,
) -> NumactlOption {
    NumactlOption { long, short, least, value, meaning, help }
}

const fn shared(
    name: (&'static str, char, usize),
    value: Option<&'static str>,
    what: Shared,
    help: &'static str,
) -> NumactlOption {
    option(name, value, Meaning::SharedMemory(what), help)
}

const NODES: Option<&str> = Some("NODES");
const FILE: Option<&str> = Some("FILE");
const SIZE: Option<&str> = Some("SIZE");

/// Of an option that has no short form.
const NO_LETTER: char = '\0';

const OPTIONS: [NumactlOption; 25] = [
    option(
        ("cpunodebind", 'N', 4),
        NODES,
        Meaning::CpusOfNodes,
        "CPUs of these nodes; of several -N and -C the last one counts",
    ),
    option(("physcpubind", 'C', 2), Some("CPUS"), Meaning::Cpus, "These CPUs"),
    option(("membind", 'm', 1), NODES, Meaning::Policy(MemoryMode::Bind), "Memory only from these nodes"),
    option(
        ("interleave", 'i', 1),
        NODES,
        Meaning::Policy(MemoryMode::Interleave),
        "Memory interleaved over these nodes",
    ),
    option(
        ("weighted-interleave", 'w', 1),
        NODES,
        Meaning::Policy(MemoryMode::WeightedInterleave),
        "Memory interleaved over these nodes by their weights",
    ),
    option(
        ("preferred", 'p', 9),
        Some("NODE"),
        Meaning::Policy(MemoryMode::Preferred),
        "Memory from this node while it has some",
    ),
    option(
        ("preferred-many", 'P', 10),
        NODES,
        Meaning::Policy(MemoryMode::PreferredMany),
        "Memory from these nodes while they have some",
    ),
    option(
        ("localalloc", 'l', 2),
        None,
        Meaning::Policy(MemoryMode::Local),
        "Memory from the node of the CPU that touches it first",
    ),
    option(
        ("balancing", 'b', 1),
        None,
        Meaning::Balancing,
        "NUMA balancing of the kernel for this program: on (also for memory that --membind binds; numactl's option), off",
    ),
    option(
        ("all", 'a', 1),
        None,
        Meaning::BeyondMask,
        "CPUs that the cgroup allows, also where our affinity mask does not",
    ),
    option(
        ("show", 's', 3),
        None,
        Meaning::Show,
        "Print CPUs and memory policy of this process as numactl does, and start nothing",
    ),
    option(
        ("hardware", 'H', 2),
        None,
        Meaning::Hardware,
        "Print nodes and distances as numactl does, and start nothing; `numawise machine` says more",
    ),
    option(
        ("cpu-compress", NO_LETTER, 4),
        None,
        Meaning::RangesOfCpus,
        "With --hardware: the CPUs of a node as ranges, and how many they are",
    ),
    shared(
        ("shm", 'S', 3),
        FILE,
        Shared::Key,
        "The System V segment of this key file, made where there is none",
    ),
    shared(("shmid", 'I', 4), Some("N"), Shared::Id, "The number that belongs to the key of --shm (0)"),
    shared(("shmmode", 'M', 4), Some("OCTAL"), Shared::Mode, "The mode of a new file or segment (600)"),
    shared(("file", 'f', 1), FILE, Shared::File, "This file in tmpfs or hugetlbfs, made where there is none"),
    shared(("offset", 'o', 1), SIZE, Shared::Offset, "Where in it the policy begins (0)"),
    shared(
        ("length", 'L', 2),
        SIZE,
        Shared::Length,
        "How much of it, e.g. 1g; without it all behind the offset",
    ),
    shared(
        ("strict", 't', 2),
        None,
        Shared::Strict,
        "Fail where pages that are there do not follow the policy",
    ),
    shared(("huge", 'u', 2), None, Shared::Huge, "Reserved huge pages for the segment of --shm"),
    shared(("touch", 'T', 1), None, Shared::Touch, "Make its pages resident"),
    shared(("verify", NO_LETTER, 4), None, Shared::Verify, "Check that all pages are where the policy says"),
    shared(("dump", 'd', 4), None, Shared::ShowPolicies, "Show the policies of its parts"),
    shared(("dump-nodes", 'D', 5), None, Shared::ShowNodes, "Show the nodes of its pages"),
];

/// Groups of the parser: options that exclude each other, and those that need no program.
pub const POLICY: &str = "policy";
pub const SHARED_MEMORY: &str = "shared_memory";

/// Those of numactl's options that were typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumactlOptions {
    /// The position in the table and the value, in the order in which they were typed. Each option at most once.
    typed: Vec<(usize, String)>,
}

impl NumactlOptions {
    fn find(&self, meant: impl Fn(Meaning) -> bool) -> Option<(&'static NumactlOption, &str)> {
        let found = self.typed.iter().find(|(option, _)| meant(OPTIONS[*option].meaning))?;
        Some((&OPTIONS[found.0], &found.1))
    }

    fn value(&self, meaning: Meaning) -> Option<&str> {
        self.find(|other| other == meaning).map(|(_, value)| value)
    }

    pub fn cpus(&self) -> Option<&str> {
        self.value(Meaning::Cpus)
    }

    pub fn nodes(&self) -> Option<&str> {
        self.value(Meaning::CpusOfNodes)
    }

    /// The memory policy and the list of its nodes.
    pub fn policy(&self) -> Option<(MemoryMode, &str)> {
        let (option, value) = self.find(|meaning| matches!(meaning, Meaning::Policy(_)))?;
        match option.meaning {
            Meaning::Policy(policy) => Some((policy, value)),
            _ => None,
        }
    }

    pub fn balancing(&self) -> Balancing {
        self.value(Meaning::Balancing).and_then(|value| value.parse().ok()).unwrap_or_default()
    }

    pub fn is_beyond_mask(&self) -> bool {
        self.value(Meaning::BeyondMask).is_some()
    }

    pub fn is_show(&self) -> bool {
        self.value(Meaning::Show).is_some()
    }

    pub fn is_hardware(&self) -> bool {
        self.value(Meaning::Hardware).is_some()
    }

    pub fn has_ranges_of_cpus(&self) -> bool {
        self.value(Meaning::RangesOfCpus).is_some()
    }

    /// The value of an option for shared memory; empty for one that has none.
    pub fn shared(&self, what: Shared) -> Option<&str> {
        self.value(Meaning::SharedMemory(what))
    }

    /// The name of an option for shared memory, where one was typed.
    pub fn of_shared_memory(&self) -> Option<&'static str> {
        self.find(|meaning| matches!(meaning, Meaning::SharedMemory(_))).map(|(option, _)| option.long)
    }

    /// What is to be done with shared memory, in the order in which it was typed.
    pub fn steps(&self) -> Vec<SharedStep> {
        let step = |(number, value): &(usize, String)| match OPTIONS[*number].meaning {
            Meaning::Policy(mode) => Some(SharedStep::Policy(mode, value.clone())),
            Meaning::SharedMemory(Shared::Touch) => Some(SharedStep::Touch),
            Meaning::SharedMemory(Shared::Verify) => Some(SharedStep::Verify),
            Meaning::SharedMemory(Shared::ShowPolicies) => Some(SharedStep::ShowPolicies),
            Meaning::SharedMemory(Shared::ShowNodes) => Some(SharedStep::ShowNodes),
            _ => None,
        };
        self.typed.iter().filter_map(step).collect()
    }
}

/// The options and the program behind `numawise run`, where nothing else is typed, and all of it is plain.
pub fn scan(words: impl IntoIterator<Item = OsString>) -> Option<(NumactlOptions, Vec<OsString>)> {
    let mut options = NumactlOptions::default();
    let mut words = words.into_iter();
    let command: Vec<OsString> = loop {
        let word = words.next()?;
        let text = word.to_str()?;
        if text == "--" {
            break words.collect();
        }
        if !text.starts_with('-') {
            break [word].into_iter().chain(words).collect();
        }
        let (name, attached) = split(text)?;
        let number = OPTIONS.iter().position(|option| option.is_called(name))?;
        let option = &OPTIONS[number];
        options.make_way(option.meaning)?;
        let value = match (option.value, attached) {
            // `-lC 0` and `--balancing=off` are the parser's.
            (None, Some(_)) => return None,
            (None, None) => typed_without_value(option.meaning).to_owned(),
            (Some(_), Some(value)) => value.to_owned(),
            (Some(_), None) => words.next()?.into_string().ok().filter(|value| !value.starts_with('-'))?,
        };
        options.typed.push((number, value));
    };
    (!command.is_empty()).then_some((options, command))
}

fn typed_without_value(meaning: Meaning) -> &'static str {
    if meaning == Meaning::Balancing { "on" } else { "" }
}

impl NumactlOptions {
    /// Of several lists of CPUs the last one counts; `None` where an option may not follow what was typed before it.
    fn make_way(&mut self, meaning: Meaning) -> Option<()> {
        match meaning {
            Meaning::Cpus | Meaning::CpusOfNodes => {
                let is_list =
                    |number: usize| matches!(OPTIONS[number].meaning, Meaning::Cpus | Meaning::CpusOfNodes);
                self.typed.retain(|(number, _)| !is_list(*number));
                Some(())
            }
            Meaning::Policy(_) => self.policy().is_none().then_some(()),
            Meaning::Balancing | Meaning::BeyondMask => self.value(meaning).is_none().then_some(()),
            Meaning::Show | Meaning::Hardware | Meaning::RangesOfCpus | Meaning::SharedMemory(_) => None,
        }
    }
}

/// `-C0` and `--membind=0` as name and value, the name with its dashes.
fn split(text: &str) -> Option<(&str, Option<&str>)> {
    if text.starts_with("--") {
        return Some(text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value))));
    }
    let (name, value) = text.split_at_checked(2)?;
    // `-C=0` is the parser's to judge.
    match value {
        "" => Some((name, None)),
        _ if value.starts_with('=') => None,
        _ => Some((name, Some(value))),
    }
}

impl NumactlOption {
    /// By its whole name behind two dashes, or by its letter behind one.
    fn is_called(&self, name: &str) -> bool {
        match name.strip_prefix("--") {
            Some(long) => long == self.long,
            None => name[1..].chars().eq([self.short]),
        }
    }

    /// The option for the parser.
    fn argument(&self) -> Arg {
        // The abbreviations that getopt takes are numactl's, so that no option of ours may be meant by them.
        let abbreviations = (self.least..self.long.len()).map(|length| &self.long[..length]);
        let letter = (self.short != NO_LETTER).then_some(self.short);
        let argument = Arg::new(self.long).long(self.long).short(letter).aliases(abbreviations);
        let argument = match (self.value, self.meaning) {
            (Some(name), _) => argument.value_name(name).action(ArgAction::Set),
            (None, Meaning::Balancing) => argument
                .value_name("on|off")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("on")
                .value_parser(ValueParser::new(|text: &str| {
                    text.parse::<Balancing>().map(|balancing| balancing.to_string())
                })),
            (None, _) => argument.action(ArgAction::SetTrue),
        };
        let argument = match self.meaning {
            Meaning::CpusOfNodes => argument
                .short_alias('c')
                .aliases((4..=7).map(|length| &"cpubind"[..length]))
                .overrides_with_all(["cpunodebind", "physcpubind"]),
            Meaning::Cpus => argument.overrides_with_all(["cpunodebind", "physcpubind"]),
            Meaning::Policy(_) => argument.group(POLICY),
            Meaning::SharedMemory(_) => {
                return argument
                    .help(self.help)
                    .help_heading("numactl's options for shared memory, without a program");
            }
            Meaning::RangesOfCpus => argument.requires("hardware"),
            Meaning::Show | Meaning::Hardware | Meaning::Balancing | Meaning::BeyondMask => argument,
        };
        argument.help(self.help).help_heading("numactl's options")
    }
}

/// Where an option was typed, the last time.
fn typed_at(matches: &ArgMatches, option: &NumactlOption) -> Option<usize> {
    let is_there = matches.try_contains_id(option.long).unwrap_or(false);
    let typed = is_there && matches.value_source(option.long) == Some(ValueSource::CommandLine);
    if typed { matches.indices_of(option.long)?.next_back() } else { None }
}

impl NumactlOptions {
    /// Those that place a program, without those that start none.
    pub fn placing(command: Command) -> Command {
        let placing = OPTIONS.iter().filter(|option| match option.meaning {
            Meaning::CpusOfNodes
            | Meaning::Cpus
            | Meaning::Policy(_)
            | Meaning::Balancing
            | Meaning::BeyondMask => true,
            Meaning::SharedMemory(_) | Meaning::Show | Meaning::Hardware | Meaning::RangesOfCpus => false,
        });
        command.args(placing.map(NumactlOption::argument))
    }
}

impl clap::Args for NumactlOptions {
    fn augment_args(command: Command) -> Command {
        let shared = OPTIONS.iter().filter(|option| matches!(option.meaning, Meaning::SharedMemory(_)));
        let group = ArgGroup::new(SHARED_MEMORY).multiple(true).args(shared.map(|option| option.long));
        command.args(OPTIONS.iter().map(NumactlOption::argument)).group(group)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for NumactlOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let numbered = OPTIONS.iter().enumerate();
        let mut all: Vec<(usize, usize)> =
            numbered.filter_map(|(number, option)| Some((typed_at(matches, option)?, number))).collect();
        all.arrange();
        let mut options = NumactlOptions::default();
        for (_, number) in all {
            let option = &OPTIONS[number];
            let value = match (option.value, option.meaning) {
                (None, meaning) if meaning != Meaning::Balancing => {
                    matches.get_flag(option.long).then(|| typed_without_value(meaning).to_owned())
                }
                _ => matches.get_one::<String>(option.long).cloned(),
            };
            options.typed.extend(value.map(|value| (number, value)));
            if option.meaning == Meaning::Show {
                // numactl shows and ends as soon as it reads the word: what stands behind it does nothing.
                break;
            }
        }
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
