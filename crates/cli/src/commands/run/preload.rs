//! The library that pins the threads of any runtime: whether this program gets it.

use std::path::Path;

use numawise_facts::{Placement, RunSpec, ThreadBinding};
use numawise_launch::Pinner;

use super::arguments::Arguments;

#[cfg(test)]
mod tests;

/// What was decided, and what a person should know of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Decision {
    pub pinner: Option<Pinner>,
    pub note: Option<String>,
    pub warning: Option<String>,
}

/// Decides for a plan. Nothing is looked for where threads are free.
pub fn decide(arguments: &Arguments, placement: &Placement, spec: &RunSpec) -> Decision {
    if placement.binding != ThreadBinding::Pinned {
        return Decision::default();
    }
    let note = |text: &str| Decision { note: Some(text.to_owned()), ..Decision::default() };
    if arguments.no_preload {
        return note("threads of OpenMP are pinned by its variables; no others (--no-preload)");
    }
    let own = std::env::current_exe().ok();
    let Some(library) = own.as_deref().and_then(numawise_launch::find_agent) else {
        return note(
            "threads of OpenMP are pinned by its variables; no others, since libnumawise_agent.so is not beside numawise",
        );
    };
    let pinner = Pinner { library, verbose: arguments.verbose };
    let program = spec.command.first().map(|word| Path::new(word.as_os_str()));
    match program.and_then(|program| pinner.problem(program)) {
        Some(problem) => Decision { warning: Some(problem), ..Decision::default() },
        None => Decision {
            note: Some(format!("threads of every kind are pinned by {}", pinner.library.display())),
            pinner: Some(pinner),
            warning: None,
        },
    }
}
