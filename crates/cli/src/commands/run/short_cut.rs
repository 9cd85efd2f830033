//! The common case without the option parser: `numawise run` with nothing but numactl's options.
//!
//! Such a line stands before every program of a job, and the parser (all commands, all options, their help) costs a tenth
//! of a millisecond that numactl does not. Only what is plain is taken here; the parser sees everything else, errors above
//! all. A test compares the two.

use std::ffi::OsString;

use numawise_facts::Balancing;

use super::Arguments;

#[cfg(test)]
#[path = "short_cut_tests.rs"]
mod tests;

/// The arguments behind `numawise run`, when they are numactl's options and a program and nothing else.
pub fn short_cut(words: impl IntoIterator<Item = OsString>) -> Option<Arguments> {
    let mut arguments = Arguments::default();
    let mut words = words.into_iter();
    loop {
        let word = words.next()?;
        let text = word.to_str()?;
        if text == "--" {
            arguments.command = words.collect();
            break;
        }
        if !text.starts_with('-') {
            arguments.command = [word].into_iter().chain(words).collect();
            break;
        }
        let (name, attached) = split(text)?;
        if switch(&mut arguments, name)? {
            // `-lC 0` and `--balancing=off` are the parser's.
            attached.is_none().then_some(())?;
            continue;
        }
        let value = match attached {
            Some(value) => value.to_owned(),
            None => words.next()?.into_string().ok().filter(|value| !value.starts_with('-'))?,
        };
        set(&mut arguments, name, value)?;
    }
    (!arguments.command.is_empty()).then_some(arguments)
}

/// An option without a value: true when it is one, `None` when it may not stand there.
fn switch(arguments: &mut Arguments, name: &str) -> Option<bool> {
    match name {
        "-l" | "--localalloc" if !has_policy(arguments) => arguments.localalloc = true,
        "-b" | "--balancing" if arguments.balancing.is_none() => arguments.balancing = Some(Balancing::On),
        "-a" | "--all" if !arguments.all => arguments.all = true,
        "-l" | "--localalloc" | "-b" | "--balancing" | "-a" | "--all" => return None,
        _ => return Some(false),
    }
    Some(true)
}

/// `-C0` and `--membind=0` as name and value.
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

fn set(arguments: &mut Arguments, name: &str, value: String) -> Option<()> {
    let policy = match name {
        "-C" | "--physcpubind" => {
            arguments.cpunodebind = None;
            arguments.physcpubind = Some(value);
            return Some(());
        }
        "-N" | "--cpunodebind" => {
            arguments.physcpubind = None;
            arguments.cpunodebind = Some(value);
            return Some(());
        }
        _ if has_policy(arguments) => return None,
        "-m" | "--membind" => &mut arguments.membind,
        "-i" | "--interleave" => &mut arguments.interleave,
        "-w" | "--weighted-interleave" => &mut arguments.weighted_interleave,
        "-p" | "--preferred" => &mut arguments.preferred,
        "-P" | "--preferred-many" => &mut arguments.preferred_many,
        _ => return None,
    };
    *policy = Some(value);
    Some(())
}

fn has_policy(arguments: &Arguments) -> bool {
    let with_nodes = [
        &arguments.membind,
        &arguments.interleave,
        &arguments.weighted_interleave,
        &arguments.preferred,
        &arguments.preferred_many,
    ];
    arguments.localalloc || with_nodes.iter().any(|policy| policy.is_some())
}
