//! Whether tasks meet on a core, told from the CPUs that their threads got.

use numawise_units::CpuId;

use crate::usable::Group;

/// Who uses a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum User {
    Nobody,
    Task(usize),
    Several,
}

/// How many cores several tasks use, and how many nobody uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    pub shared: usize,
    pub idle: usize,
}

impl Meeting {
    /// `orders` are the CPUs of the threads of each task.
    pub fn of(groups: &[Group], orders: &[Vec<CpuId>]) -> Self {
        let (core_of, cores) = cores_by_cpu(groups);
        let mut users = vec![User::Nobody; cores];
        for (task, order) in orders.iter().enumerate() {
            for cpu in order {
                let user = &mut users[core_of[cpu.0 as usize]];
                *user = match *user {
                    User::Nobody => User::Task(task),
                    User::Task(other) if other != task => User::Several,
                    same => same,
                };
            }
        }
        let number = |wanted: User| users.iter().filter(|user| **user == wanted).count();
        Meeting { shared: number(User::Several), idle: number(User::Nobody) }
    }

    /// Tasks get in each other's way although there is room elsewhere.
    pub fn is_needless(self) -> bool {
        self.shared > 0 && self.idle > 0
    }
}

/// The core of each CPU by its number, counted over all nodes, and how many cores there are.
fn cores_by_cpu(groups: &[Group]) -> (Vec<usize>, usize) {
    let last = groups.iter().flat_map(|group| &group.cpus).map(|place| place.cpu.0 as usize).max();
    let mut core_of = vec![0; last.map_or(0, |last| last + 1)];
    let mut before = 0;
    for group in groups {
        for place in &group.cpus {
            core_of[place.cpu.0 as usize] = before + place.core;
        }
        before += group.cpus.iter().map(|place| place.core + 1).max().unwrap_or(0);
    }
    (core_of, before)
}
