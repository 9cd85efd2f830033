//! Gives the library its name for the loader, so that programs that link with version 1 get it.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libnumawise.so.1");
    println!("cargo:rerun-if-changed=build.rs");
}
