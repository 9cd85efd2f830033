use super::{Guest, default_place, quoted, which};
use crate::{Error, WorkFolder};
use std::path::{Path, PathBuf};

#[test]
fn programs_go_to_bin_and_data_to_root() {
    assert_eq!(default_place(&std::env::current_exe().unwrap()).unwrap().parent(), Some(Path::new("/bin")));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    assert_eq!(default_place(&data).unwrap(), PathBuf::from("/root/Cargo.toml"));
}

#[test]
fn values_reach_the_guest_as_they_are() {
    assert_eq!(quoted("a b"), "'a b'");
    assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
}

#[test]
fn a_missing_file_or_tool_is_named_before_anything_boots() {
    let machine = crate::test_machine("two-socket");
    let error =
        Guest::new(&machine, &WorkFolder::new("unused")).file("no/such/program").archive(&[]).err().unwrap();
    assert!(matches!(&error, Error::Read { path, .. } if path == Path::new("no/such/program")), "{error}");
    let error =
        Guest::new(&machine, &WorkFolder::new("unused")).tool("no-such-tool").archive(&[]).err().unwrap();
    assert!(matches!(&error, Error::NoTool(name) if name == "no-such-tool"), "{error}");
    assert_eq!(which("no-such-tool"), None);
}

#[test]
fn a_guest_brings_the_libraries_of_its_programs() {
    let machine = crate::test_machine("two-socket");
    let archive = Guest::new(&machine, &WorkFolder::new("unused"))
        .file(std::env::current_exe().unwrap())
        .archive(&["true".to_owned()]);
    let bytes = archive.unwrap().bytes();
    let holds = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    assert!(holds(b"testbed/commands/0\0"), "the command");
    assert!(holds(b"lib64/ld-linux-x86-64.so.2\0"), "the loader");
}
