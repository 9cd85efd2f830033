//! What `make build` makes and `make install` puts beside the binary.

use std::path::Path;
use std::process::{Command, Output};

const LIBRARIES: [&str; 3] = ["libnumawise_agent.so", "libnumawise_collector.so", "libnumawise_heap.so"];
const HEADERS: [&str; 2] = ["numawise.h", "numawise.f90"];
/// The library that programs link with, where it is built and where it is installed.
const LINKED: [(&str, &str); 2] =
    [("libnumawise.so", "libnumawise.so.1"), ("libnumawise.a", "libnumawise.a")];

/// Runs our makefile in a folder that has what a build leaves.
fn make(folder: &Path, words: &[&str]) -> Option<Output> {
    let makefile = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Makefile");
    let mut command = Command::new("make");
    command.arg("--file").arg(makefile).args(words).current_dir(folder);
    // Ours may be run by a make, whose options are not for this one.
    let output = command.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").output();
    if output.is_err() {
        eprintln!("SKIPPED: no make");
    }
    output.ok()
}

fn built(folder: &Path) {
    let release = folder.join("target/release");
    std::fs::create_dir_all(&release).unwrap();
    std::fs::write(release.join("numawise"), "").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(release.join("numawise"), executable).unwrap();
    LIBRARIES.iter().for_each(|library| std::fs::write(release.join(library), library).unwrap());
    std::fs::create_dir_all(folder.join("include")).unwrap();
    HEADERS.iter().for_each(|header| std::fs::write(folder.join("include").join(header), header).unwrap());
    let others = [
        "include/numawise/numawise.h",
        "packaging/numawise.pc.in",
        "packaging/numawise-config.cmake",
        "packaging/numawise-config-version.cmake.in",
        "crates/cli/Cargo.toml",
    ];
    let linked = LINKED.map(|(name, _)| format!("target/library/{name}"));
    for path in others.map(str::to_owned).into_iter().chain(linked) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, path.file_name().unwrap().as_encoded_bytes()).unwrap();
    }
}

#[test]
fn all_libraries_are_installed_where_the_binary_looks_for_them() {
    let folder = tempfile::tempdir().unwrap();
    built(folder.path());
    let words = ["install", "DESTDIR=staged", "PREFIX=/usr"];
    let Some(output) = make(folder.path(), &words) else { return };
    assert!(output.status.success(), "{output:?}");
    let staged = folder.path().join("staged/usr");
    assert!(staged.join("bin/numawise").is_file());
    for library in LIBRARIES {
        let installed = staged.join("lib/numawise").join(library);
        assert_eq!(std::fs::read_to_string(installed).unwrap(), library);
    }
    for (built, installed) in LINKED {
        assert_eq!(std::fs::read_to_string(staged.join("lib").join(installed)).unwrap(), built);
    }
    let link = std::fs::read_link(staged.join("lib/libnumawise.so")).unwrap();
    assert_eq!(link, Path::new("libnumawise.so.1"));
    for path in [
        "include/numawise/numawise.h",
        "lib/pkgconfig/numawise.pc",
        "lib/cmake/numawise/numawise-config.cmake",
        "lib/cmake/numawise/numawise-config-version.cmake",
    ] {
        assert!(staged.join(path).is_file(), "{path}");
    }
    for header in HEADERS {
        assert_eq!(std::fs::read_to_string(staged.join("include").join(header)).unwrap(), header);
    }
}

#[test]
fn nothing_is_installed_where_a_library_is_not_built() {
    let linked = LINKED.map(|(name, _)| format!("target/library/{name}"));
    for missing in LIBRARIES.map(|name| format!("target/release/{name}")).into_iter().chain(linked) {
        let folder = tempfile::tempdir().unwrap();
        built(folder.path());
        std::fs::remove_file(folder.path().join(&missing)).unwrap();
        let Some(output) = make(folder.path(), &["install", "DESTDIR=staged"]) else { return };
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && errors.contains("make build"), "{missing}: {errors}");
        assert!(!folder.path().join("staged").exists(), "{missing}");
    }
}

#[test]
fn a_build_makes_all_libraries() {
    let folder = tempfile::tempdir().unwrap();
    let Some(output) = make(folder.path(), &["--dry-run", "target/release/numawise"]) else { return };
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    for package in ["-p numawise ", "-p numawise-agent ", "-p numawise-collector ", "-p numawise-heap"] {
        assert!(lines.contains(package), "{package}: {lines}");
    }
}
