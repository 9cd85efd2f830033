//! Links the binary so that it starts fast: `numawise run` stands before every program that it places.
//!
//! What a dynamic loader does at each start of an ordinary Rust program, and what it costs, is in
//! docs/decisions/0003-start-up.md. Done at link time instead: ten thousand relocations of a position-independent
//! executable, and libgcc_s, for unwinding that a release build never does.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    // A start looks up the functions of the C library that it calls, not all that some command calls.
    println!("cargo:rustc-link-arg-bins=-Wl,-z,lazy");
    // Such a build ends where it panics, and nobody reads the tables by which it would unwind: a seventh of the file.
    if is("PROFILE", "release") {
        println!("cargo:rerun-if-changed=release.ld");
        println!("cargo:rustc-link-arg-bins=-Wl,-T,{}", here("release.ld"));
    }
    // Functions whose code is the same are there once, where the linker can (LLVM's can, GNU's cannot).
    if links("-Wl,--icf=all") {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
    // What a start runs through lies together (scripts/start-order).
    let order = format!("-Wl,--symbol-ordering-file={}", here("start.order"));
    if links(&order) {
        println!("cargo:rerun-if-changed=start.order");
        println!("cargo:rustc-link-arg-bins={order}");
        println!("cargo:rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    }
    // The archive comes with gcc; where it is missing, the library is loaded at the start as usual.
    if let Some(folder) = folder_of("libgcc_eh.a") {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// Where the compiler has a file; it answers with the bare name when it has not. Whoever compiles for another processor
/// names the linker, and this one's compiler would tell of its own libraries.
fn folder_of(file: &str) -> Option<String> {
    println!("cargo:rerun-if-env-changed=CC");
    let named = std::env::var("RUSTC_LINKER").or_else(|_| std::env::var("CC"));
    let compiler = named.unwrap_or_else(|_| "cc".to_owned());
    let answer = Command::new(compiler).arg(format!("-print-file-name={file}")).output().ok()?;
    let path = String::from_utf8(answer.stdout).ok()?;
    let path = Path::new(path.trim());
    (path.is_absolute() && path.is_file()).then_some(path.parent()?.display().to_string())
}

/// A file beside this one.
fn here(name: &str) -> String {
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the crate lies");
    format!("{folder}/{name}")
}

/// Whether the linker that the compiler takes knows an option.
fn links(option: &str) -> bool {
    let Some(folder) = std::env::var_os("OUT_DIR") else { return false };
    let (source, made) = (Path::new(&folder).join("links.rs"), Path::new(&folder).join("links"));
    if std::fs::write(&source, "fn main() {}").is_err() {
        return false;
    }
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.arg(source).arg("-o").arg(made).arg(format!("-Clink-arg={option}"));
    if let Ok(target) = std::env::var("TARGET") {
        rustc.arg(format!("--target={target}"));
    }
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.output().is_ok_and(|output| output.status.success())
}
