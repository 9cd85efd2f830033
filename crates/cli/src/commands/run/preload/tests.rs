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
    assert!(decision.note.unwrap().contains("--no-preload"));
}
