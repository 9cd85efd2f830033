//! Places in the code, each line once.

use std::collections::HashMap;

use numawise_facts::activity::CodePlace;
use numawise_units::Pid;

use super::input::{Code, Stack};

/// All places that were met, and what lies at each address.
#[derive(Debug, Default)]
pub struct Places {
    all: Vec<CodePlace>,
    by_line: HashMap<Key, u32>,
    by_address: HashMap<(Pid, u64), Option<u32>>,
}

/// What makes two addresses one place: the line of a function; without lines the function; else the address.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Line(Option<String>, String, u32),
    Function(String, String),
    Address(String, u64),
}

fn key(place: &CodePlace) -> Key {
    let source = &place.source;
    let function = source.function.measured().cloned();
    match (source.file.measured(), source.line.measured(), function) {
        (Some(file), Some(line), function) => Key::Line(function, file.clone(), *line),
        (_, _, Some(function)) => Key::Function(function, place.file.clone()),
        _ => Key::Address(place.file.clone(), place.address),
    }
}

/// A line of the program itself.
pub fn is_programs_own(place: &CodePlace) -> bool {
    place.source.line.measured().is_some() && !place.source.is_of_system()
}

impl Places {
    /// The number of a place.
    pub fn number(&mut self, place: CodePlace) -> u32 {
        let all = &mut self.all;
        *self.by_line.entry(key(&place)).or_insert_with(|| {
            all.push(place);
            (all.len() - 1) as u32
        })
    }

    /// The place of an address in a process.
    pub fn at(&mut self, process: Pid, address: u64, code: &mut dyn Code) -> Option<u32> {
        if let Some(known) = self.by_address.get(&(process, address)) {
            return *known;
        }
        self.known(process, address, code.place(process, address))
    }

    /// The same of code that takes time; a survey has no other places.
    pub fn of_code(&mut self, process: Pid, address: u64, code: &mut dyn Code) -> Option<u32> {
        if let Some(known) = self.by_address.get(&(process, address)) {
            return *known;
        }
        self.known(process, address, code.place_of_code(process, address))
    }

    fn known(&mut self, process: Pid, address: u64, place: Option<CodePlace>) -> Option<u32> {
        let number = place.map(|place| self.number(place));
        self.by_address.insert((process, address), number);
        number
    }

    /// The place of an interrupted thread that a person can look at: its own, or the innermost caller's with a line, as what stands in a
    /// library of the system (memcpy) says nothing of who called it. Its own where there is none.
    pub fn of_stack(&mut self, process: Pid, stack: &Stack<'_>, code: &mut dyn Code) -> Option<u32> {
        let own = self.at(process, stack.ip, code);
        if own.is_some_and(|own| self.has_line(own)) || stack.bytes.is_empty() {
            return own;
        }
        let callers = code.callers(process, stack);
        // What a call returns to may be the next line.
        let places =
            callers.into_iter().filter_map(|caller| self.at(process, caller.saturating_sub(1), code));
        let with_line: Vec<u32> = places.collect();
        with_line.into_iter().find(|place| self.has_line(*place)).or(own)
    }

    pub fn get(&self, place: u32) -> Option<&CodePlace> {
        self.all.get(place as usize)
    }

    pub fn is_programs_own(&self, place: u32) -> bool {
        self.get(place).is_some_and(is_programs_own)
    }

    fn has_line(&self, place: u32) -> bool {
        self.get(place).is_some_and(|place| place.source.line.measured().is_some())
    }

    /// What lies where in a process changed.
    pub fn forget(&mut self, process: Pid) {
        self.by_address.retain(|(of, _), _| *of != process);
    }

    pub fn all(&self) -> &[CodePlace] {
        &self.all
    }
}
