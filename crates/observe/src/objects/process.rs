//! What is known of one process.

use std::collections::{BTreeMap, HashMap};

use numawise_facts::objects::ObjectKind;
use numawise_linux::Roots;
use numawise_linux::proc::maps::Mapping;
use numawise_operands::{Listing, Registers};
use numawise_units::Pid;

use super::live::Live;
use super::paths::{CallPath, PythonStack};

/// A process while it runs.
#[derive(Debug, Default)]
pub struct Process {
    pub live: Live,
    /// Whether its allocations are logged: what is in none of them is small then.
    pub is_logged: bool,
    /// Calls by the number of a call stack.
    pub stacks: HashMap<u32, CallPath>,
    /// What Python executes, by its numbers.
    pub python: HashMap<u32, PythonStack>,
    /// What was allocated with a call stack, so that the stack is compared with others once.
    pub objects: HashMap<(u32, ObjectKind), u32>,
    /// By where they end: functions that do not overlap.
    listings: BTreeMap<u64, (u64, Option<Listing>)>,
    /// Where each thread's stack was last seen to end.
    stack_pointers: HashMap<Pid, u64>,
    /// The mappings when they were read last, and for how many addresses they did not suffice since.
    mappings: Vec<Mapping>,
    missed: u32,
}

/// Mappings are read again when so many addresses were in none of them: the list of a large program takes milliseconds.
const MISSES: u32 = 50;
/// Bytes below the stack pointer that a function may use on x86-64, by its calling convention.
const RED_ZONE: u64 = 128;

impl Process {
    /// What a child of fork has.
    pub fn fork(&self) -> Process {
        Process {
            live: self.live.clone(),
            is_logged: self.is_logged,
            stacks: self.stacks.clone(),
            python: self.python.clone(),
            ..Process::default()
        }
    }

    pub fn forget_code(&mut self) {
        self.listings.clear();
    }

    pub fn seen_stack(&mut self, thread: Pid, sp: u64) {
        self.stack_pointers.insert(thread, sp);
    }

    /// The function around the instruction that registers belong to.
    pub fn listing(
        &mut self,
        registers: &Registers,
        function: impl FnOnce(u64) -> Option<(u64, Vec<u8>)>,
    ) -> Option<&Listing> {
        let ip = registers.ip;
        let known =
            self.listings.range(ip + 1..).next().filter(|(_, (begin, _))| *begin <= ip).map(|(end, _)| *end);
        let end = match known {
            Some(end) => end,
            None => {
                let (begin, end, listing) = match function(ip) {
                    Some((begin, bytes)) => {
                        let listing = Listing::of(registers.architecture(), begin, &bytes);
                        (begin, begin.saturating_add(bytes.len() as u64), Some(listing))
                    }
                    None => (ip, ip + 1, None),
                };
                // What overlaps it was another function's, before a file took its place.
                let end = if (begin..end).contains(&ip) { end } else { ip + 1 };
                self.listings.insert(end, (begin.min(ip), listing));
                end
            }
        };
        self.listings.get(&end)?.1.as_ref()
    }

    /// What memory it is that is no object.
    pub fn kind_of_rest(&mut self, process: Pid, address: u64) -> ObjectKind {
        let is_in = |mapping: &&Mapping| mapping.addresses.contains(&address);
        if self.mappings.iter().find(is_in).is_none() {
            if self.missed == 0 {
                self.read_mappings(process);
            }
            self.missed = (self.missed + 1) % MISSES;
        }
        let Some(mapping) = self.mappings.iter().find(is_in) else { return ObjectKind::Other };
        let in_mapping = |sp: &u64| mapping.addresses.contains(&sp.saturating_sub(RED_ZONE));
        if self.stack_pointers.values().any(in_mapping) {
            ObjectKind::Stack
        } else if mapping.own() {
            if self.is_logged { ObjectKind::Small } else { ObjectKind::Heap }
        } else {
            ObjectKind::Other
        }
    }

    fn read_mappings(&mut self, process: Pid) {
        let path = Roots::live().process(process).join("maps");
        // Gone with its process: what is known stays.
        let Ok(text) = std::fs::read(path) else { return };
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mappings: Vec<Mapping> = lines.filter_map(|line| Mapping::parse(line).ok()).collect();
        if !mappings.is_empty() {
            self.mappings = mappings;
        }
    }
}
