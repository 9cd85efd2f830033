use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

fn shell() -> Vec<u8> {
    fs::read("/bin/sh").unwrap()
}

/// What is said of a file with these bytes.
fn said_of(bytes: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program");
    fs::write(&file, bytes).unwrap();
    preload_problem(&file)
}

#[test]
fn an_ordinary_program_a_script_and_what_is_not_there_are_no_problem() {
    assert_eq!(preload_problem(Path::new("/bin/sh")), None);
    assert_eq!(preload_problem(Path::new("sh")), None, "found in PATH");
    assert_eq!(said_of(b"#!/bin/sh\nexit\n"), None);
    assert_eq!(said_of(b""), None);
    assert_eq!(preload_problem(Path::new("/no/such/program")), None);
    assert_eq!(preload_problem(Path::new("/")), None);
}

#[test]
fn a_static_program_a_foreign_one_and_one_with_another_loader_are_told_apart() {
    let mut other = shell();
    other[MACHINE] ^= 0x5a;
    assert!(said_of(&other).unwrap().contains("another kind of processor"));
    let mut other = shell();
    other[4] = 3 - other[4]; // 32 bits in place of 64, or the reverse
    assert!(said_of(&other).unwrap().contains("another kind of processor"));

    let name: &[u8] = b"/lib64/ld-linux";
    let bytes = shell();
    let at = bytes.windows(name.len()).position(|part| part == name);
    if let Some(at) = at {
        let mut musl = bytes.clone();
        musl[at..at + name.len()].copy_from_slice(b"/lib64/ld-other");
        assert!(said_of(&musl).unwrap().contains("not that of glibc"));
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
    assert!(said_of(&still).unwrap().contains("linked statically"));
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
    assert_eq!(preload_problem(&file), None, "its owner is who runs it");
    std::os::unix::fs::chown(&file, Some(65534), None).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o4755)).unwrap();
    assert!(preload_problem(&file).unwrap().contains("setuid"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(preload_problem(&file), None);
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
        said_of(&bytes);
    }
}
