use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

fn shell() -> Vec<u8> {
    fs::read("/bin/sh").unwrap()
}

fn reason(obstacle: Option<PreloadObstacle>) -> Option<NotPreloadableReason> {
    match obstacle? {
        PreloadObstacle::Program { reason, .. } => Some(reason),
        other => panic!("{other:?}"),
    }
}

/// What keeps a file with these bytes from having a library preloaded.
fn of_bytes(bytes: &[u8]) -> Option<NotPreloadableReason> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program");
    fs::write(&file, bytes).unwrap();
    reason(obstacle(&file))
}

#[test]
fn an_ordinary_program_a_script_and_what_is_not_there_are_no_problem() {
    assert_eq!(obstacle(Path::new("/bin/sh")), None);
    assert_eq!(obstacle(Path::new("sh")), None, "found in PATH");
    assert_eq!(of_bytes(b"#!/bin/sh\nexit\n"), None);
    assert_eq!(of_bytes(b""), None);
    assert_eq!(obstacle(Path::new("/no/such/program")), None);
    assert_eq!(obstacle(Path::new("/")), None);
}

#[test]
fn a_program_is_loaded_without_running_it() {
    let folder = tempfile::tempdir().unwrap();
    let (script, ran) = (folder.path().join("script"), folder.path().join("ran"));
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let at = |program: &str| loading(Path::new(program), folder.path());
    for command in [at("sh"), at("/bin/sh"), at("./script")].map(Option::unwrap) {
        let output = std::process::Command::new(&command[0]).args(&command[1..]).output().unwrap();
        let listed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && listed.contains("libc"), "{command:?}: {listed}");
    }
    assert!(!ran.exists());
    for (name, bytes) in [("empty", &b""[..]), ("text", b"echo"), ("broken", &shell()[..80])] {
        fs::write(folder.path().join(name), bytes).unwrap();
        assert_eq!(at(&format!("./{name}")), None, "{name}");
    }
    assert_eq!(at("/no/such/program"), None);
}

#[test]
fn a_static_program_a_foreign_one_and_one_with_another_loader_are_told_apart() {
    let mut other = shell();
    other[MACHINE] ^= 0x5a;
    assert_eq!(of_bytes(&other), Some(NotPreloadableReason::OtherProcessor));
    let mut other = shell();
    other[4] = 3 - other[4]; // 32 bits in place of 64, or the reverse
    assert_eq!(of_bytes(&other), Some(NotPreloadableReason::OtherProcessor));

    let name: &[u8] = b"/lib64/ld-linux";
    let bytes = shell();
    let at = bytes.windows(name.len()).position(|part| part == name);
    if let Some(at) = at {
        let mut musl = bytes.clone();
        musl[at..at + name.len()].copy_from_slice(b"/lib64/ld-other");
        assert!(matches!(of_bytes(&musl), Some(NotPreloadableReason::OtherLoader { .. })));
    }

    let mut still = shell();
    let size = usize::from(half(&still, layout::ENTRY_SIZE));
    let table = word(&still, layout::TABLE) as usize;
    for k in 0..usize::from(half(&still, layout::ENTRIES)) {
        let kind = &mut still[table + k * size..][..4];
        if *kind == PT_INTERP.to_ne_bytes() {
            kind.copy_from_slice(&[0; 4]);
        }
    }
    assert_eq!(of_bytes(&still), Some(NotPreloadableReason::StaticallyLinked));
}

#[test]
fn setuid_matters_when_it_changes_the_user() {
    // SAFETY: no preconditions.
    if unsafe { libc::getuid() } != 0 {
        eprintln!("SKIPPED: only root can give a file to another user");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = folder.path().join("program");
    fs::write(&file, shell()).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o4755)).unwrap();
    assert_eq!(obstacle(&file), None, "its owner is who runs it");
    std::os::unix::fs::chown(&file, Some(65534), None).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o4755)).unwrap();
    assert_eq!(reason(obstacle(&file)), Some(NotPreloadableReason::OtherRights));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(obstacle(&file), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_damage_to_a_header_does_harm(changes in prop::collection::vec((0usize..1024, any::<u8>()), 1..8), cut in 0usize..4096) {
        let mut bytes = shell();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes.truncate(cut.max(1));
        of_bytes(&bytes);
    }
}
