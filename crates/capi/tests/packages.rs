//! Debian packages as `make deb` makes them, of stand-ins for what is built: their fields, and where each file is. Nothing is installed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: [&str; 3] = ["libnumawise-dev", "libnumawise1", "numawise"];
const LIBRARIES: [&str; 3] = ["libnumawise_agent.so", "libnumawise_collector.so", "libnumawise_heap.so"];

fn output_of(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// What a build leaves, as small as it may be: pages of a line, and a program of the system in place of ours.
fn built(folder: &Path) {
    for page in
        ["man/man1/numawise.1", "man/man1/numawise-run.1", "man/man3/numawise.3", "man/man3/numawise_open.3"]
    {
        write(&folder.join(page), ".TH a 1\n");
    }
    for shell in ["bash", "zsh", "fish"] {
        write(&folder.join(format!("completions/numawise.{shell}")), shell);
    }
    for binary in LIBRARIES.into_iter().chain(["numawise", "libnumawise.so"]) {
        std::fs::copy("/bin/true", folder.join(binary)).unwrap();
    }
    output_of(Command::new("ar").args(["rc", "libnumawise.a", "libnumawise.so"]).current_dir(folder));
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The files of the packages, made in a folder.
fn packed(built: &Path, out: &Path) -> BTreeMap<String, PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = |name: &str| built.join(name).display().to_string();
    let mut script = Command::new(root.join("scripts/deb"));
    script
        .arg(out)
        .arg(format!("NUMAWISE={}", path("numawise")))
        .arg(format!("LIBRARY={}", path("libnumawise")));
    script.arg(format!("LIBRARIES={}", LIBRARIES.map(path).join(" ")));
    script.arg(format!("MAN={}", path("man"))).arg(format!("COMPLETIONS={}", path("completions")));
    // Ours may be run by a make, whose options are not for this one.
    script.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").env("SOURCE_DATE_EPOCH", "1700000000");
    let said = output_of(&mut script);
    let name = |line: &str| {
        Path::new(line).file_name().unwrap().to_str().unwrap().split('_').next().unwrap().to_owned()
    };
    said.lines().map(|line| (name(line), PathBuf::from(line))).collect()
}

fn field(package: &Path, name: &str) -> String {
    output_of(Command::new("dpkg-deb").arg("--field").arg(package).arg(name))
}

/// Path, and how it is listed: permissions, owner, and what a link leads to.
fn contents(package: &Path) -> BTreeMap<String, String> {
    let listed = output_of(Command::new("dpkg-deb").arg("--contents").arg(package));
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let link = words.get(7).map_or(String::new(), |to| format!(" {to}"));
        (words[5].trim_start_matches('.').to_owned(), format!("{} {}{link}", words[0], words[1]))
    };
    listed.lines().map(line).collect()
}

/// Checks the files of all packages, each in one of them only.
fn places(packages: &BTreeMap<String, PathBuf>) {
    let machine = output_of(Command::new("dpkg-architecture").args(["-q", "DEB_HOST_MULTIARCH"]));
    let (file, program) = ("-rw-r--r-- root/root", "-rwxr-xr-x root/root");
    let link = "lrwxrwxrwx root/root libnumawise.so.1";
    let all: BTreeMap<&String, _> =
        packages.iter().map(|(name, archive)| (name, contents(archive))).collect();
    for (package, path, expected) in [
        ("numawise", "/usr/bin/numawise", program),
        ("numawise", "/usr/lib/numawise/libnumawise_agent.so", file),
        ("numawise", "/usr/share/man/man1/numawise-run.1.gz", file),
        ("numawise", "/usr/share/bash-completion/completions/numawise", file),
        ("numawise", "/usr/share/zsh/vendor-completions/_numawise", file),
        ("numawise", "/usr/share/fish/vendor_completions.d/numawise.fish", file),
        ("libnumawise1", &format!("/usr/lib/{machine}/libnumawise.so.1"), file),
        ("libnumawise-dev", &format!("/usr/lib/{machine}/libnumawise.so"), link),
        ("libnumawise-dev", &format!("/usr/lib/{machine}/libnumawise.a"), file),
        ("libnumawise-dev", &format!("/usr/lib/{machine}/pkgconfig/numawise.pc"), file),
        ("libnumawise-dev", &format!("/usr/lib/{machine}/cmake/numawise/numawise-config.cmake"), file),
        ("libnumawise-dev", "/usr/include/numawise/numawise.h", file),
        ("libnumawise-dev", "/usr/include/numawise.f90", file),
        ("libnumawise-dev", "/usr/share/man/man3/numawise_open.3.gz", file),
    ] {
        for (name, files) in &all {
            assert_eq!(
                files.get(path).map(String::as_str),
                (*name == package).then_some(expected),
                "{path} in {name}"
            );
        }
    }
    for (name, files) in &all {
        for document in ["copyright", "changelog.Debian.gz", "changelog.gz"] {
            let path = format!("/usr/share/doc/{name}/{document}");
            assert_eq!(files.get(&path).map(String::as_str), Some(file), "{path}");
        }
    }
}

/// Unpacked, the files have the sums that the package gives, and pkg-config finds what is there.
fn unpacked(package: &Path, folder: &Path) {
    output_of(Command::new("dpkg-deb").arg("--raw-extract").arg(package).arg(folder));
    output_of(Command::new("md5sum").args(["--check", "--quiet", "DEBIAN/md5sums"]).current_dir(folder));
}

#[test]
fn packages_have_their_fields_and_each_file_its_place() {
    if !is_there("dpkg-deb") || !is_there("dpkg-shlibdeps") {
        eprintln!("SKIPPED: dpkg-deb or dpkg-shlibdeps is not installed");
        return;
    }
    let made = tempfile::tempdir().unwrap();
    let stand_ins = made.path().join("built");
    built(&stand_ins);
    let packages = packed(&stand_ins, &made.path().join("packages"));
    assert_eq!(packages.keys().map(String::as_str).collect::<Vec<_>>(), PACKAGES);
    let of = |name: &str| packages[name].as_path();
    let version = field(of("numawise"), "Version");
    assert_eq!(version, format!("{}-1", numawise_version()));
    let depends = field(of("numawise"), "Depends");
    assert!(depends.contains("libc6 (>= ") && depends.ends_with("libhwloc15"), "{depends}");
    assert!(field(of("libnumawise1"), "Depends").starts_with("libc6 (>= "));
    assert_eq!(field(of("libnumawise-dev"), "Depends"), format!("libnumawise1 (= {version})"));
    for package in packages.values() {
        assert_eq!(
            field(package, "Architecture"),
            output_of(Command::new("dpkg").arg("--print-architecture"))
        );
        assert!(field(package, "Installed-Size").parse::<u32>().is_ok_and(|kib| kib > 0));
        let name = field(package, "Package");
        unpacked(package, &made.path().join(&name));
    }
    places(&packages);
    let triggers = std::fs::read_to_string(made.path().join("libnumawise1/DEBIAN/triggers")).unwrap();
    assert_eq!(triggers, "activate-noawait ldconfig\n");
    let copyright =
        std::fs::read_to_string(made.path().join("numawise/usr/share/doc/numawise/copyright")).unwrap();
    assert!(
        copyright.contains("Apache-2.0") && copyright.contains("  clap ") && copyright.contains("SQLite")
    );
    // The same once more is the same, byte for byte.
    for (name, again) in packed(&stand_ins, &made.path().join("again")) {
        assert!(
            std::fs::read(again).unwrap() == std::fs::read(of(&name)).unwrap(),
            "{name} is made otherwise"
        );
    }
}

/// The version of the commands, whose packages they are.
fn numawise_version() -> String {
    let manifest =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/Cargo.toml")).unwrap();
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.unwrap().to_owned()
}

#[test]
fn without_what_is_built_there_is_no_package() {
    if !is_there("dpkg-deb") || !is_there("dpkg-shlibdeps") {
        eprintln!("SKIPPED: dpkg-deb or dpkg-shlibdeps is not installed");
        return;
    }
    let made = tempfile::tempdir().unwrap();
    let mut script = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/deb"));
    script.arg(made.path().join("packages")).arg("NUMAWISE=/nowhere/numawise");
    let refused = script.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && message.contains("make build"), "{message}");
    assert!(!made.path().join("packages").exists());
}
