//! What `make build` makes and `make install` puts beside the binary.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LIBRARIES: [&str; 3] = ["libnumawise_agent.so", "libnumawise_collector.so", "libnumawise_heap.so"];
const HEADERS: [&str; 2] = ["numawise.h", "numawise.f90"];
/// The library that programs link with, where it is built and where it is installed.
const LINKED: [(&str, &str); 2] =
    [("libnumawise.so", "libnumawise.so.1"), ("libnumawise.a", "libnumawise.a")];

/// Man pages and completions, where they are made and where they are installed.
const PAGES: [(&str, &str); 7] = [
    ("build/man/man1/numawise.1", "share/man/man1/numawise.1"),
    ("build/man/man1/numawise-machine-measure.1", "share/man/man1/numawise-machine-measure.1"),
    ("build/man/man3/numawise.3", "share/man/man3/numawise.3"),
    ("build/man/man3/numawise_open.3", "share/man/man3/numawise_open.3"),
    ("build/completions/numawise.bash", "share/bash-completion/completions/numawise"),
    ("build/completions/numawise.zsh", "share/zsh/site-functions/_numawise"),
    ("build/completions/numawise.fish", "share/fish/vendor_completions.d/numawise.fish"),
];

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
    let pages = PAGES.map(|(name, _)| name.to_owned());
    for path in others.map(str::to_owned).into_iter().chain(linked).chain(pages) {
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
    for (built, installed) in PAGES {
        let found = std::fs::read_to_string(staged.join(installed)).unwrap();
        assert_eq!(Some(found.as_str()), Path::new(built).file_name().and_then(|name| name.to_str()));
    }
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn what_is_installed_goes_again_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    built(folder.path());
    let staged = folder.path().join("staged");
    let others = ["opt/x/bin/other", "opt/x/include/numawise/of-others.h", "opt/x/share/man/man1/other.1"];
    for path in others.map(|path| staged.join(path)) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let places = ["DESTDIR=staged", "PREFIX=/opt/x", "LIBDIR=/opt/x/lib/some-machine", "ZSHDIR=/opt/x/zsh"];
    let Some(output) = make(folder.path(), &[&["install"], &places[..]].concat()) else { return };
    assert!(output.status.success(), "{output:?}");
    for path in ["lib/some-machine/libnumawise.so.1", "lib/numawise/libnumawise_agent.so", "zsh/_numawise"] {
        assert!(staged.join("opt/x").join(path).is_file(), "{path}");
    }
    let output = make(folder.path(), &[&["uninstall"], &places[..]].concat()).unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut left = files(&staged);
    left.sort();
    assert_eq!(left, others.map(|path| staged.join(path)));
    assert!(!staged.join("opt/x/lib/numawise").exists(), "a folder is left");
    assert!(make(folder.path(), &["uninstall", "DESTDIR=staged"]).unwrap().status.success());
}

#[test]
fn pages_are_left_out_where_there_are_to_be_none() {
    let folder = tempfile::tempdir().unwrap();
    built(folder.path());
    std::fs::remove_dir_all(folder.path().join("build")).unwrap();
    let words = ["install", "DESTDIR=staged", "PREFIX=/usr", "MAN=", "COMPLETIONS="];
    let Some(output) = make(folder.path(), &words) else { return };
    assert!(output.status.success(), "{output:?}");
    assert!(!folder.path().join("staged/usr/share").exists());
}

#[test]
fn nothing_is_installed_where_something_is_not_built() {
    let pages = ["build/man/man1/numawise.1", "build/man/man3/numawise.3", "build/completions/numawise.zsh"];
    let pages = pages.map(str::to_owned);
    let linked = LINKED.map(|(name, _)| format!("target/library/{name}"));
    for missing in
        LIBRARIES.map(|name| format!("target/release/{name}")).into_iter().chain(linked).chain(pages)
    {
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
    for package in
        ["-p numawise --target", "-p numawise-agent ", "-p numawise-collector ", "-p numawise-heap"]
    {
        assert!(lines.contains(package), "{package}: {lines}");
    }
}
