//! The library that pins the threads of any runtime: whether this program gets it.

use std::path::Path;

use numawise_facts::{LaunchNotice, Notice, Placement, RunSpec, ThreadBinding};
use numawise_launch::Pinner;

use super::arguments::Arguments;

/// What was decided, and what a person should know of it.
#[derive(Debug, Default, PartialEq)]
pub struct Decision {
    pub pinner: Option<Pinner>,
    pub note: Option<Notice>,
    pub warning: Option<Notice>,
}

/// Decides for a plan. Nothing is looked for where threads are free.
pub fn decide(arguments: &Arguments, placement: &Placement, spec: &RunSpec) -> Decision {
    if placement.binding != ThreadBinding::Pinned {
        return Decision::default();
    }
    let note = |notice: LaunchNotice| Decision { note: Some(notice.into()), ..Decision::default() };
    if arguments.no_preload {
        return note(LaunchNotice::OnlyOpenMpPinned);
    }
    let own = std::env::current_exe().ok();
    let Some(library) = own.as_deref().and_then(numawise_launch::find_agent) else {
        return note(LaunchNotice::PinningLibraryMissing);
    };
    let pinner = Pinner { library, verbose: arguments.verbose };
    let program = spec.command.first().map(|word| Path::new(word.as_os_str()));
    match program.and_then(|program| pinner.problem(program)) {
        Some(problem) => {
            Decision { warning: Some(LaunchNotice::NotPreloadable { problem }.into()), ..Decision::default() }
        }
        None => Decision {
            note: Some(
                LaunchNotice::ThreadsPinnedBy { library: pinner.library.display().to_string() }.into(),
            ),
            pinner: Some(pinner),
            warning: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use numawise_facts::{Argument, Strategy};

    use super::*;

    fn placement(binding: ThreadBinding) -> Placement {
        Placement { strategy: Strategy::Local, binding, tasks: vec![], warnings: vec![] }
    }

    fn spec() -> RunSpec {
        RunSpec { command: vec![Argument::from("sh")], directory: PathBuf::new() }
    }

    #[test]
    fn free_threads_need_no_library() {
        let decision = decide(&Arguments::default(), &placement(ThreadBinding::Free), &spec());
        assert_eq!(decision, Decision::default());
    }

    #[test]
    fn what_nobody_wants_is_not_loaded() {
        let arguments = Arguments { no_preload: true, ..Arguments::default() };
        let decision = decide(&arguments, &placement(ThreadBinding::Pinned), &spec());
        assert_eq!((decision.pinner, decision.warning), (None, None));
        assert_eq!(decision.note, Some(LaunchNotice::OnlyOpenMpPinned.into()));
    }
}
