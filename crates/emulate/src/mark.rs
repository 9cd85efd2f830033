//! The guest's program that marks a moment in the plugin's counts, made here: a guest is x86-64 whatever computer it runs on.

/// One instruction that does nothing but is seen by the plugin, which then notes its counts, and from the first one on charges for
/// memory: `nopl 0x414d554e(%rax,%rax)`. Then `exit(0)`: `mov $60, %eax; xor %edi, %edi; syscall`.
const CODE: [u8; 17] = [
    0x0f, 0x1f, 0x84, 0x00, b'N', b'U', b'M', b'A', //
    0xb8, 60, 0, 0, 0, //
    0x31, 0xff, //
    0x0f, 0x05,
];
/// Where it is loaded, as is usual for programs with a fixed place.
const PLACE: u64 = 0x40_0000;
const ELF_HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;
const PAGE: u64 = 4096;

/// An ELF file of one segment, which is the whole file.
pub(crate) fn program() -> Vec<u8> {
    let (two, four, eight) = (2, 4, 8);
    let code_at = ELF_HEADER + PROGRAM_HEADER;
    let size = code_at + CODE.len() as u64;
    let fields: [(u64, usize); 21] = [
        (2, two),  // executable, at a fixed place
        (62, two), // x86-64
        (1, four), // version
        (PLACE + code_at, eight),
        (ELF_HEADER, eight), // the program headers come next
        (0, eight),          // no sections
        (0, four),
        (ELF_HEADER, two),
        (PROGRAM_HEADER, two),
        (1, two), // of them
        (0, four),
        (0, two),
        (1, four),  // to be loaded
        (5, four),  // to be read and run
        (0, eight), // from the begin of the file
        (PLACE, eight),
        (PLACE, eight),
        (size, eight),
        (size, eight),
        (PAGE, eight),
        (0, 0),
    ];
    // 64 bits, little endian, version 1.
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    for (value, bytes) in fields {
        file.extend(&value.to_le_bytes()[..bytes]);
    }
    file.extend(CODE);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_their_length_and_name_the_code() {
        let file = program();
        assert_eq!(file.len() as u64, ELF_HEADER + PROGRAM_HEADER + CODE.len() as u64);
        let entry = u64::from_le_bytes(file[24..32].try_into().unwrap()) - PLACE;
        assert!(
            file[entry as usize..].starts_with(&[0x0f, 0x1f, 0x84, 0x00])
                && file[entry as usize + 4..].starts_with(b"NUMA")
        );
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn it_runs_and_ends_well() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mark");
        std::fs::write(&path, program()).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        // A fork of another test may hold the file open for writing for a moment.
        let status = std::process::Command::new("/bin/sh")
            .arg("-c")
            .arg("for k in 1 2 3 4 5; do $0 && exit; sleep 1; done; exit 1")
            .arg(&path)
            .status();
        assert!(status.unwrap().success());
    }
}
