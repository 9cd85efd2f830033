//! The memory of a node: a bar with whose it is, by the plan and as it was seen.

use numawise_facts::{MemoryMode, Reading};
use numawise_tables::{MachinePicture, MemoryPicture, MemorySeen, PlannedMemory};
use numawise_units::Bytes;

use super::tasks;
use crate::document::{CellMark, DrawnBar};

pub fn bar(picture: &MachinePicture, memory: &MemoryPicture) -> DrawnBar {
    let size = match &memory.size {
        Reading::Measured(Bytes(0)) => "no memory".to_owned(),
        Reading::Measured(size) => format!("{} {size}", memory.kind),
        Reading::Unavailable { .. } => format!("{}, size unknown", memory.kind),
    };
    let forbidden = if memory.is_allowed { "" } else { ", may not be used" };
    let mut lines: Vec<(CellMark, String)> =
        memory.planned.iter().map(|one| (mark(picture, one), plan(one))).collect();
    let seen = memory.seen.as_ref().and_then(Reading::measured);
    lines.extend(seen.map(|of| (CellMark::Nobody, format!("{} seen", self::seen(of)))));
    DrawnBar {
        name: format!("node {}", memory.node),
        about: format!("{size}{forbidden}"),
        lines,
        fill: seen.map(|seen| seen.share.0),
    }
}

fn mark(picture: &MachinePicture, of: &PlannedMemory) -> CellMark {
    match (of.tasks.as_slice(), &picture.placed) {
        ([one], _) => CellMark::Of(one.0),
        _ => CellMark::Several,
    }
}

/// Whose memory the plan puts there, policy by policy.
pub fn plans(memory: &MemoryPicture) -> Vec<String> {
    memory.planned.iter().map(plan).collect()
}

/// `tasks 0-3: interleave, 50.0 %`
fn plan(of: &PlannedMemory) -> String {
    let policy = match of.mode {
        MemoryMode::Default => "default, first touch".to_owned(),
        mode => mode.to_string(),
    };
    let share = of.share.map_or_else(String::new, |share| format!(", {}", share.percent()));
    format!("{}: {policy}{share}", tasks(&of.tasks))
}

/// `1.5 GiB (98.2 %)`
pub fn seen(of: &MemorySeen) -> String {
    format!("{} ({})", of.bytes, of.share.percent())
}
