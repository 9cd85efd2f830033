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

#[test]
fn the_program_is_found_as_a_shell_finds_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tool");
    std::fs::write(&file, "#!/bin/sh\n").unwrap();
    let search = folder.path().as_os_str();
    let name = OsStr::new("tool");
    assert_eq!(found(name, Some(search)), None, "it cannot be executed");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&file, mode).unwrap();
    assert_eq!(found(name, Some(search)), Some(file));
    assert_eq!(found(OsStr::new("./tool"), Some(search)), Some(PathBuf::from("./tool")));
    assert_eq!(found(OsStr::new("no-such-tool"), Some(search)), None);
    assert!(found(OsStr::new("sh"), None).is_some());
}
