//! `place_probe` in a guest: a program that says where the kernel put it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use testbed::{CommandResult, EmulatedMachine, Guest};

use crate::guest;

/// Compiled when it is needed.
fn program() -> PathBuf {
    let flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread"];
    testbed::compile_c("probe/place_probe.c", "place_probe", &flags).unwrap()
}

/// A guest with numawise, its library beside it, and the probe.
pub fn with_probe(machine: &EmulatedMachine) -> Guest<'_> {
    guest(machine).file_at(program(), "/bin/place_probe")
}

/// A line of `name=value`.
#[derive(Debug, Clone)]
pub struct Line(BTreeMap<String, String>);

/// The lines of the probe among what a command printed, which must have ended well.
pub fn lines(result: &CommandResult) -> Vec<Line> {
    let CommandResult { command, status, stdout, stderr, .. } = result;
    assert_eq!(*status, 0, "{command}:\n{stdout}\n{stderr}");
    let told: Vec<Line> = stdout.lines().filter_map(Line::parse).collect();
    assert!(!told.is_empty(), "{command} told nothing:\n{stdout}\n{stderr}");
    told
}

/// The same, in the order of ranks: those from 0 to `ranks`, once each.
pub fn by_rank(result: &CommandResult, ranks: u64) -> Vec<Line> {
    let mut told = lines(result);
    told.sort_by_key(|line| line.number("rank"));
    let found: Vec<u64> = told.iter().map(|line| line.number("rank")).collect();
    assert_eq!(found, (0..ranks).collect::<Vec<_>>(), "{}:\n{}", result.command, result.stdout);
    told
}

impl Line {
    fn parse(text: &str) -> Option<Line> {
        let pairs: Option<_> = text
            .split(' ')
            .map(|word| word.split_once('=').map(|(n, v)| (n.to_owned(), v.to_owned())))
            .collect();
        Some(Line(pairs?))
    }

    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    pub fn number(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or_else(|e| panic!("{name} in {self:?}: {e}"))
    }

    /// Pages by node.
    pub fn pages(&self) -> BTreeMap<u64, u64> {
        counts(self.text("pages"))
    }

    /// The share of the pages on these nodes.
    pub fn share(&self, nodes: &[u64]) -> f64 {
        let pages = self.pages();
        let there: u64 = nodes.iter().filter_map(|node| pages.get(node)).sum();
        there as f64 / pages.values().sum::<u64>() as f64
    }
}

/// `0:12,2:3`
fn counts(text: &str) -> BTreeMap<u64, u64> {
    let pair = |pair: &str| {
        let (node, count) = pair.split_once(':').unwrap_or_else(|| panic!("{text}"));
        (node.parse().unwrap(), count.parse().unwrap())
    };
    text.split(',').filter(|pair| !pair.is_empty()).map(pair).collect()
}

/// `0-2,5` as numbers.
pub fn list(text: &str) -> Vec<u64> {
    let part = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        first.parse::<u64>().unwrap()..=last.parse().unwrap()
    };
    text.split(',').filter(|part| !part.is_empty()).flat_map(part).collect()
}
