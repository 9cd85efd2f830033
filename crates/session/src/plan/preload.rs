//! The library that pins the threads of any runtime: whether this program gets it.

use std::path::Path;

use numawise_facts::notice::LaunchNotice;
use numawise_facts::{Notice, Placement, ThreadBinding};
use numawise_launch::Pinner;

use super::request::{Explanation, RunRequest};

/// The library for a program, or why it gets none.
#[derive(Debug, Default, PartialEq)]
pub struct PreloadDecision {
    pub pinner: Option<Pinner>,
    pub note: Option<Notice>,
    pub warning: Option<Notice>,
}

impl PreloadDecision {
    /// Decides for a plan. Nothing is looked for where threads are free.
    pub fn new(request: &RunRequest, placement: &Placement) -> PreloadDecision {
        if placement.binding != ThreadBinding::Pinned {
            return PreloadDecision::default();
        }
        let note = |notice: LaunchNotice| PreloadDecision {
            note: Some(notice.into()),
            ..PreloadDecision::default()
        };
        let warning = |notice: LaunchNotice| PreloadDecision {
            warning: Some(notice.into()),
            ..PreloadDecision::default()
        };
        if !request.preload {
            return note(LaunchNotice::OnlyOpenMpPinned);
        }
        let own = std::env::current_exe().ok();
        let Some(library) = own.as_deref().and_then(numawise_launch::find_agent) else {
            return warning(LaunchNotice::PinningLibraryMissing);
        };
        let pinner = Pinner { library, verbose: request.explain == Explanation::EachRank };
        let program = request.command.command.first().map(|word| Path::new(word.as_os_str()));
        match program.and_then(|program| pinner.obstacle(program)) {
            Some(obstacle) => warning(LaunchNotice::NotPreloadable { obstacle }),
            None => {
                let library = pinner.library.display().to_string();
                let note = Some(LaunchNotice::ThreadsPinnedBy { library }.into());
                PreloadDecision { pinner: Some(pinner), note, warning: None }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use numawise_facts::{Argument, RunSpec, Strategy};

    use super::*;

    fn placement(binding: ThreadBinding) -> Placement {
        Placement { strategy: Strategy::Local, binding, tasks: vec![], warnings: vec![] }
    }

    fn request() -> RunRequest {
        RunRequest::new(RunSpec { command: vec![Argument::from("sh")], directory: PathBuf::new() })
    }

    #[test]
    fn free_threads_need_no_library() {
        let decision = PreloadDecision::new(&request(), &placement(ThreadBinding::Free));
        assert_eq!(decision, PreloadDecision::default());
    }

    #[test]
    fn what_nobody_wants_is_not_loaded() {
        let request = RunRequest { preload: false, ..request() };
        let decision = PreloadDecision::new(&request, &placement(ThreadBinding::Pinned));
        assert_eq!((decision.pinner, decision.warning), (None, None));
        assert_eq!(decision.note, Some(LaunchNotice::OnlyOpenMpPinned.into()));
    }
}
