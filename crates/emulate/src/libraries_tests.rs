use super::{of, parse};
use crate::Error;
use std::path::{Path, PathBuf};

#[test]
fn ldds_forms_are_understood() {
    let text = "\tlinux-vdso.so.1 (0x00007f)\n\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f)\n\
    \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n\tliba.so => /odd path/liba.so (0x00007f)\n";
    let paths = parse(Path::new("p"), text).unwrap();
    let expected = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/ld-linux-x86-64.so.2", "/odd path/liba.so"];
    assert_eq!(paths, expected.map(PathBuf::from));
}

#[test]
fn static_programs_and_text_need_nothing() {
    assert_eq!(parse(Path::new("p"), "\tstatically linked\n").unwrap(), Vec::<PathBuf>::new());
    assert_eq!(parse(Path::new("p"), "").unwrap(), Vec::<PathBuf>::new());
    assert_eq!(
        of(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).unwrap(),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn a_missing_library_is_named() {
    let error = parse(Path::new("/bin/app"), "\tlibgone.so.1 => not found\n").unwrap_err();
    assert!(matches!(&error, Error::LibraryMissing { library, .. } if library == "libgone.so.1"), "{error}");
    assert!(error.to_string().contains("/bin/app"), "{error}");
}

#[test]
fn this_program_needs_the_c_library_and_the_loader() {
    let paths = of(&std::env::current_exe().unwrap()).unwrap();
    let has = |name: &str| paths.iter().any(|path| path.to_string_lossy().contains(name));
    assert!(has("libc.so") && has("ld-linux"), "{paths:?}");
}
