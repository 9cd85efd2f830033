//! Links the library so that loading it costs little: docs/decisions/0004-pinning-library.md has the figures of its sister.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|found| found == "linux");
    if !linux {
        return;
    }
    for argument in [
        "-Wl,-z,noseparate-code",
        "-Wl,--hash-style=gnu",
        "-Wl,-Bsymbolic",
        "-lc",
        "-Wl,-z,defs",
        // Code of the core library names what would unwind it, and is never unwound; in the profile that ships nothing names it.
        "-Wl,--defsym=rust_eh_personality=0",
        // Threads of the program have pointers into it: it stays where it is.
        "-Wl,-z,nodelete",
        "-Wl,-s",
    ] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}
