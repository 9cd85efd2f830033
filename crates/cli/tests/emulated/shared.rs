//! One guest that answers for many tests: the commands of all topics, one after the other, each topic in a folder of its own.

use std::time::Duration;

use testbed::{CommandResult, EmulatedMachine, Guest};

/// Against a guest that hangs, on the busiest of hosts.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// What is asked of a guest about one thing, and its commands.
pub struct Topic {
    pub name: &'static str,
    pub commands: Vec<String>,
}

impl Topic {
    pub fn new(name: &'static str, commands: impl IntoIterator<Item = impl Into<String>>) -> Topic {
        Topic { name, commands: commands.into_iter().map(Into::into).collect() }
    }
}

/// A machine and all that its guest answered.
pub struct Shared {
    machine: EmulatedMachine,
    answers: Vec<(&'static str, Vec<CommandResult>)>,
}

/// None where there are no guests here; the error of a guest that failed is that of each test.
pub type Answered = Option<Result<Shared, String>>;

/// Boots the machine of this name and asks all of it.
pub fn ask(name: &str, guest: impl Fn(&EmulatedMachine) -> Guest<'_>, topics: Vec<Topic>) -> Answered {
    if !testbed::ready() {
        return None;
    }
    let machine = testbed::load(name).unwrap();
    let folder = |topic: &Topic| format!("/root/{}", topic.name);
    let commands: Vec<String> = topics
        .iter()
        .flat_map(|topic| topic.commands.iter().map(|command| (folder(topic), command)))
        .map(|(folder, command)| format!("mkdir -p {folder}; cd {folder}\n{command}"))
        .collect();
    let run = guest(&machine).limit(LIMIT).run(&commands);
    Some(run.map_err(|error| error.to_string()).map(|run| {
        let mut results = run.results.into_iter();
        let of = |topic: Topic| {
            let answers = topic.commands.into_iter().zip(results.by_ref());
            // As it was given, for messages.
            let answers = answers.map(|(command, result)| CommandResult { command, ..result });
            (topic.name, answers.collect())
        };
        let answers = topics.into_iter().map(of).collect();
        Shared { machine, answers }
    }))
}

/// The machine and its answers to a topic; none, and a word about it, where there are no guests here.
pub fn answers(
    of: &'static Answered,
    topic: &str,
) -> Option<(&'static EmulatedMachine, &'static [CommandResult])> {
    let Some(shared) = of else {
        assert!(!testbed::ready(), "there are guests now, and there were none before");
        return None;
    };
    let shared = shared.as_ref().unwrap_or_else(|error| panic!("{error}"));
    let found = shared.answers.iter().find(|(name, _)| *name == topic);
    let (_, answers) = found.unwrap_or_else(|| panic!("nothing was asked about {topic}"));
    if std::env::var_os("TESTBED_TIMES").is_some() {
        for answer in answers {
            eprintln!("{topic}: {:.2} s: {}", answer.seconds, answer.command);
        }
    }
    Some((&shared.machine, answers))
}
