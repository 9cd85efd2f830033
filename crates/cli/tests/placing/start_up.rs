//! What the dynamic loader has to do before `numawise run` begins: nothing but the C library.

use std::path::Path;
use std::process::Command;

/// Every library that the binary names is found, mapped and relocated at each start (docs/decisions/0003-start-up.md). One more
/// function of C's maths library, used anywhere, brings back all of it: `maths.rs` must have that function then. It is the binary that
/// `make build` leaves: without optimising, more functions are called.
#[test]
fn the_binary_needs_the_c_library_only() {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        eprintln!("SKIPPED: other C libraries come in other parts");
        return;
    }
    let binary = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/numawise");
    if !binary.exists() {
        eprintln!("SKIPPED: {} is not there; `make build` makes it", binary.display());
        return;
    }
    let answer = match Command::new("readelf").arg("-d").arg(binary).output() {
        Ok(answer) if answer.status.success() => answer,
        other => {
            eprintln!("SKIPPED: readelf is not here: {other:?}");
            return;
        }
    };
    let text = String::from_utf8_lossy(&answer.stdout);
    let needed: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("(NEEDED)"))
        .filter_map(|line| Some(line.split_once('[')?.1.trim_end_matches(']')))
        .collect();
    let unexpected: Vec<&&str> =
        needed.iter().filter(|name| !name.starts_with("libc.so") && !name.starts_with("ld-linux")).collect();
    assert!(!needed.is_empty(), "{text}");
    assert_eq!(unexpected, Vec::<&&str>::new(), "of {needed:?}");
}
