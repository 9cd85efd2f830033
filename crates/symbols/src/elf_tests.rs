use super::*;

fn written(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn own() -> std::path::PathBuf {
    std::env::current_exe().unwrap()
}

#[test]
fn what_is_no_program_is_refused_with_its_reason() {
    for bytes in [&b""[..], b"\x7fELF", b"#!/bin/sh\n", &[0; 4096]] {
        let (_folder, path) = written(bytes);
        let error = ElfFile::read(&path).unwrap_err();
        assert!(error.to_string().contains("app") && !error.problem().is_empty(), "{error}");
    }
    for path in ["/no/such/file", "/", "/dev/null"] {
        assert!(ElfFile::read(Path::new(path)).is_err(), "{path}");
    }
    // Code for another processor: the machine's number stands at 18.
    let mut other = std::fs::read(own()).unwrap();
    other.truncate(4096);
    other[18..20].copy_from_slice(&243_u16.to_le_bytes());
    let (_folder, path) = written(&other);
    assert!(ElfFile::read(&path).unwrap_err().to_string().contains("243"));
}

#[test]
fn a_file_that_was_cut_gives_what_is_left() {
    let whole = std::fs::read(own()).unwrap();
    let (_folder, path) = written(&whole[..whole.len() / 2]);
    let elf = ElfFile::read(&path).unwrap();
    assert!(elf.symbols.is_empty());
    assert!(elf.segments.iter().any(|segment| segment.is_code));
}

#[test]
fn code_is_read_by_its_address_and_not_outside_of_it() {
    let (path, elf) = (own(), ElfFile::read(&own()).unwrap());
    let segment = elf.segments.iter().find(|segment| segment.is_code).unwrap();
    let code = elf.code(&path, segment.address + 16, 64).unwrap();
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(code, whole[segment.offset as usize + 16..][..64]);
    assert_eq!(elf.address(segment.offset + 5), Some(segment.address + 5));
    assert!(elf.code(&path, segment.address + segment.bytes_in_file - 8, 64).is_err());
    assert!(elf.code(&path, u64::MAX - 3, 8).is_err());
    assert_eq!(
        elf.moved_by(0x7000_0000, segment.offset & !4095),
        Some(0x7000_0000 - (segment.address & !4095))
    );
}
