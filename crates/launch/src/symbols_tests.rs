use std::process::Command;

use super::*;

#[test]
fn what_a_program_defines_is_told_from_what_it_calls() {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("app.c"), folder.path().join("app"));
    std::fs::write(&source, "#include <stdio.h>\nint MPI_Init(void) { return 0; }\nint main(void) { return puts(\"\") < MPI_Init(); }\n")
        .unwrap();
    let compiled = Command::new("cc").arg("-o").arg(&program).arg(&source).status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no C compiler");
        return;
    }
    assert!(defines(&program, "MPI_Init").unwrap() && defines(&program, "main").unwrap());
    for name in ["puts", "MPI_Ini", "MPI_Init_thread", "PI_Init"] {
        assert!(!defines(&program, name).unwrap(), "{name}");
    }
    let stripped = Command::new("strip").arg(&program).status();
    assert!(!stripped.is_ok_and(|status| status.success()) || !defines(&program, "MPI_Init").unwrap());
}

#[test]
fn what_is_no_program_defines_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app");
    let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let mut far = whole[..HEADER].to_vec();
    far[SECTIONS..SECTIONS + 8].fill(0xff);
    for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF\x02", &whole[..HEADER], &whole[..whole.len() / 2], &far]
    {
        std::fs::write(&path, bytes).unwrap();
        assert!(!defines(&path, "main").unwrap_or(false), "{} bytes", bytes.len());
    }
    assert!(defines(&folder.path().join("none"), "main").is_err());
}
