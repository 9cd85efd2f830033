//! Compiles QEMU's plugin, so that no compiler is needed where guests run.

use std::path::PathBuf;

const SOURCE: &str = "plugin/numa_timing.c";
const FLAGS: [&str; 8] = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-s"];

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=plugin");
    let plugin = PathBuf::from(std::env::var_os("OUT_DIR").ok_or(std::io::ErrorKind::NotFound)?)
        .join("numa_timing.so");
    // The compiler for the target, which a cross build names.
    let mut compiler = cc::Build::new().cargo_metadata(false).get_compiler().to_command();
    let status = compiler.args(FLAGS).arg("-o").arg(plugin).arg(SOURCE).status()?;
    if !status.success() {
        return Err(std::io::Error::other(format!("{compiler:?} ended with {status}")));
    }
    Ok(())
}
