//! How the program came to an allocation: by which calls, and what it executed in Python.

use std::collections::HashMap;

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::objects::{FileAddress, ObjectKind, SITE_FRAMES};
use numawise_units::Pid;

use super::input::{PythonFrame, Stack, TimeSample};
use super::places::is_programs_own;
use super::tally::Tally;
use super::{OUR_LIBRARIES, ObjectTracker, Site, object};

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;

/// What makes two allocations those of one place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct CallPath {
    /// Where calls return to, from the innermost on; where the program is in Python, up to the interpreter, which goes other ways for the same line.
    pub callers: Vec<u64>,
    /// The lines of Python, by their numbers, from the innermost on.
    pub python: Vec<u32>,
    /// The interpreter itself called the allocator.
    pub by_interpreter: bool,
}

impl CallPath {
    pub fn is_empty(&self) -> bool {
        self.callers.is_empty() && self.python.is_empty()
    }
}

/// What a process executes in Python.
#[derive(Debug, Clone)]
pub struct PythonStack {
    places: Vec<u32>,
    /// The file that the interpreter is in.
    interpreter: Option<String>,
}

impl ObjectTracker {
    /// What Python executes with this number; `interpreter`: the address of a function of it.
    pub fn python(&mut self, process: Pid, number: u32, interpreter: u64, frames: Vec<PythonFrame>) {
        let places = frames.into_iter().map(|frame| self.places.number(place(frame))).collect();
        let interpreter = self.code.in_file(process, interpreter).map(|found| found.file);
        self.process(process).python.insert(number, PythonStack { places, interpreter });
    }

    /// The copy of the stack that an allocation with this number had, and the number of what Python executed in it.
    pub fn stack(&mut self, process: Pid, number: u32, stack: &Stack<'_>, python: Option<u32>) {
        // Where the call returns to stands first.
        let own = stack.after_call.then_some(stack.ip);
        let mut callers: Vec<u64> = own.into_iter().chain(self.code.callers(process, stack)).collect();
        let python = python.and_then(|python| self.process(process).python.get(&python).cloned());
        let mut by_interpreter = false;
        if let Some(file) = python.as_ref().and_then(|python| python.interpreter.as_ref()) {
            let of_interpreter = callers.iter().position(|caller| {
                self.code.in_file(process, caller.saturating_sub(1)).is_some_and(|found| found.file == *file)
            });
            by_interpreter = of_interpreter == Some(0);
            callers.truncate(of_interpreter.unwrap_or(callers.len()).max(1));
        }
        let python = python.map(|python| python.places).unwrap_or_default();
        let of = self.process(process);
        of.stacks.insert(number, CallPath { callers, python, by_interpreter });
        of.objects.retain(|(stack, _), _| *stack != number);
    }

    /// The object of allocations with this call stack.
    pub(super) fn of_stack(&mut self, process: Pid, stack: Option<u32>, kind: ObjectKind) -> u32 {
        let of = self.process(process);
        let known = stack.and_then(|stack| of.objects.get(&(stack, kind)));
        if let Some(known) = known {
            return *known;
        }
        let path = stack.and_then(|stack| of.stacks.get(&stack)).cloned();
        self.counts.without_stack += u64::from(path.is_none());
        let followed = stack.filter(|_| path.is_some());
        let object = self.of_path(process, kind, path.unwrap_or_default());
        if let Some(stack) = followed {
            self.process(process).objects.insert((stack, kind), object);
        }
        object
    }

    pub(super) fn of_path(&mut self, process: Pid, kind: ObjectKind, mut path: CallPath) -> u32 {
        if kind == ObjectKind::Mapped && path.by_interpreter {
            // What it maps for itself, it gives out for many lines.
            path.python = Vec::new();
        }
        let site = Site { process, kind, path, name: None };
        if let Some(known) = self.by_site.get(&site) {
            return *known;
        }
        let CallPath { callers, python, .. } = &site.path;
        let at = callers
            .iter()
            .filter_map(|caller| self.places.at(process, caller.saturating_sub(1), &mut *self.code));
        let places: Vec<u32> = at.collect::<Vec<_>>().into_iter().chain(python.iter().copied()).collect();
        let with_line = places.iter().filter_map(|place| self.places.get(*place));
        let first = with_line.into_iter().find(|place| is_programs_own(place)).cloned();
        let name = match first {
            Some(place) => self.code.variable(&place),
            None => Reading::unavailable("no line of the program is known for its allocation"),
        };
        let stack = if places.is_empty() {
            Reading::unavailable("the call stack of its allocation could not be followed")
        } else {
            Reading::Measured(places)
        };
        let at_site = self.in_files(process, &site.path.callers);
        let is_ours = site.path.callers.first().is_some_and(|caller| self.is_ours(process, *caller));
        let in_python = !site.path.python.is_empty();
        object(&mut self.objects, &mut self.by_site, site, || {
            let tally = Tally::new(kind, process, name, stack).at_site(at_site);
            let tally = if in_python { tally.in_python() } else { tally };
            if is_ours { tally.hidden() } else { tally }
        })
    }

    /// A call from a library that we have preloaded: what it maps for itself is no memory of the program's.
    fn is_ours(&mut self, process: Pid, caller: u64) -> bool {
        let file = self.code.in_file(process, caller.saturating_sub(1)).map(|found| found.file);
        let name = file.as_deref().and_then(|file| file.rsplit('/').next());
        name.is_some_and(|name| name.starts_with(OUR_LIBRARIES))
    }

    /// The innermost callers by their files; nothing where one of them lies in none.
    fn in_files(&mut self, process: Pid, callers: &[u64]) -> Vec<FileAddress> {
        // A call may be the last instruction of a file's code.
        let in_file = |caller: &u64| {
            let found = self.code.in_file(process, caller.saturating_sub(1))?;
            Some(FileAddress { address: found.address + 1, ..found })
        };
        callers.iter().take(SITE_FRAMES).map(in_file).collect::<Option<_>>().unwrap_or_default()
    }

    /// The place of an interrupted thread: a line of the program's, else the innermost one of Python that is, else what is known of it.
    pub(super) fn place_of(&mut self, sample: &TimeSample<'_>) -> Option<u32> {
        let found = self.places.of_stack(sample.process, &sample.stack, &mut *self.code);
        if found.is_some_and(|found| self.places.is_programs_own(found)) {
            return found;
        }
        let python =
            sample.python.and_then(|number| self.processes.get(&sample.process)?.python.get(&number));
        let Some(python) = python else { return found };
        let own = python.places.iter().copied().find(|place| self.places.is_programs_own(*place));
        own.or(found).or_else(|| python.places.first().copied())
    }
}

fn place(frame: PythonFrame) -> CodePlace {
    let PythonFrame { file, function, line } = frame;
    let source = SourcePlace {
        function: Reading::Measured(function),
        file: Reading::Measured(file.clone()),
        line: line.map_or_else(
            || Reading::unavailable("the interpreter has no line for the instruction"),
            Reading::Measured,
        ),
    };
    CodePlace { file, address: 0, source }
}

/// Of objects that lines of Python tell apart and calls do not, it cannot be said by calls where they are to be.
pub fn part_sites(objects: &mut [Tally]) {
    let mut of_site: HashMap<(ObjectKind, Vec<FileAddress>), Vec<usize>> = HashMap::new();
    for (k, tally) in objects.iter().enumerate().filter(|(_, tally)| tally.is_in_python()) {
        if let Reading::Measured(site) = tally.site() {
            of_site.entry((tally.kind(), site.clone())).or_default().push(k);
        }
    }
    for together in of_site.into_values().filter(|together| together.len() > 1) {
        together.into_iter().for_each(|k| objects[k].share_site());
    }
}
