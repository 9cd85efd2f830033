use super::*;

#[test]
fn the_programs_own_writable_memory_is_told_from_the_rest() {
    for (line, own) in [
        ("7f0000000000-7f0000021000 rw-p 00000000 00:00 0", true),
        ("55e2a5423000-55e2a5425000 rw-p 00000000 00:00 0                          [heap]", true),
        ("7ffd0000a000-7ffd0002b000 rw-p 00000000 00:00 0                          [stack]", true),
        ("7f0000000000-7f0000200000 rw-p 00000000 00:10 77 /anon_hugepage (deleted)", true),
        ("55e2a5400000-55e2a5401000 rw-p 00003000 fe:00 1234 /opt/a program (1)/bin", true),
        ("7f0000000000-7f0000001000 rwxp 00000000 00:00 0 [anon:jit code]", true),
        ("55e2a5400000-55e2a5401000 r--p 00000000 fe:00 1234 /usr/bin/head", false),
        ("55e2a5400000-55e2a5401000 r-xp 00000000 fe:00 1234 /usr/bin/head", false),
        ("7f0000000000-7f0004000000 ---p 00000000 00:00 0", false),
        ("7f0000000000-7f0000021000 rw-s 00000000 00:01 5 /dev/zero (deleted)", false),
        ("7ffd00130000-7ffd00132000 r-xp 00000000 00:00 0 [vdso]", false),
        ("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]", false),
    ] {
        let mapping = Mapping::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        assert_eq!(mapping.own(), own, "{line}");
    }
    let mapping = Mapping::parse(b"1000-3000 rw-p 0 00:00 0").unwrap();
    assert_eq!(mapping.addresses, 0x1000..0x3000);
}

#[test]
fn the_name_of_a_file_is_what_stands_behind_its_folder() {
    for (line, name) in [
        (
            "7f00-7f01 r-xp 00000000 fe:00 12 /usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4",
            Some("libmpi.so.40.30.4"),
        ),
        ("7f00-7f01 r-xp 00000000 fe:00 12 /opt/a lib (1)/b c.so (deleted)", Some("b c.so (deleted)")),
        ("7f00-7f01 rw-p 00000000 00:00 0 [heap]", None),
        ("7f00-7f01 rw-p 00000000 00:00 0", None),
        ("", None),
    ] {
        assert_eq!(file_name(line.as_bytes()), name.map(str::as_bytes), "{line}");
    }
}

#[test]
fn broken_lines_are_refused() {
    for line in [
        "",
        " ",
        "1000",
        "1000-",
        "-1000 rw-p 0 00:00 0",
        "1000-2000",
        "1000-2000 rw-p",
        "1000-2000 rw-p 0 00:00",
        "2000-1000 rw-p 0 00:00 0",
        "1000-1000 rw-p 0 00:00 0",
        "1000-2000 rw-x 0 00:00 0",
        "1000-2000 rwp 0 00:00 0",
        "1000-2000 rw-pp 0 00:00 0",
        "10g0-2000 rw-p 0 00:00 0",
        "1000-20000000000000000 rw-p 0 00:00 0",
        "1000-2000 rw-p zz 00:00 0",
    ] {
        assert!(Mapping::parse(line.as_bytes()).is_err(), "{line:?}");
    }
}

#[test]
fn a_mapped_file_is_known_by_its_number_and_where_the_mapping_ends_in_it() {
    let line = b"7f00000000-7f00400000 rw-s 00200000 00:01 4711                  /dev/zero (deleted)\n";
    let file = MappedFile::of(line).unwrap();
    assert_eq!((file.device, file.inode, file.end), (&b"00:01"[..], 4711, 6 << 20));
    assert_eq!(file.path, b"/dev/zero (deleted)");
    for line in [
        "",
        "1000-2000 rw-s 0 00:01 4711",
        "1000-2000 rw-s 0 00:01 x /dev/shm/a",
        "2000-1000 rw-s 0 00:01 1 /dev/shm/a",
        "1000-2000 rw-s fffffffffffff000 00:01 1 /dev/shm/a",
        "1000 rw-s 0 00:01 1 /dev/shm/a",
    ] {
        assert_eq!(MappedFile::of(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn code_that_is_mapped_has_its_place_in_the_file() {
    let line = b"55d0c0a01000-55d0c0a05000 r-xp 00001000 08:01 42                  /usr/bin/a b\n";
    let code = MappedCode::of(line).unwrap();
    assert_eq!(
        (code.addresses.start, code.addresses.end, code.offset),
        (0x55d0_c0a0_1000, 0x55d0_c0a0_5000, 0x1000)
    );
    assert_eq!(code.path, b"/usr/bin/a b");
    assert_eq!(MappedCode::of(b"1000-2000 r-xp 0 00:00 0 [vdso]").unwrap().path, b"[vdso]");
    for line in
        ["", "1000-2000 rw-p 0 00:00 0", "1000-2000 r-xp", "1000-2000 r-xp zz 00:00 0 /a", "x r-xp 0 00:00 0"]
    {
        assert_eq!(MappedCode::of(line.as_bytes()), None, "{line}");
    }
}
