//! The library as programs in C and C++ use it, compiled by the compilers that are there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The shared library, made of the static one that Cargo puts beside the test, as `make build` makes it.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let own = std::env::current_exe().unwrap();
        let archive = own.with_file_name("libnumawise.a");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libnumawise");
        std::fs::create_dir_all(&folder).unwrap();
        let mut link = Command::new(root().join("scripts/link-library"));
        let linked = link.arg(&archive).arg(folder.join("libnumawise.so")).output().unwrap();
        let messages = String::from_utf8_lossy(&linked.stderr);
        assert!(linked.status.success() && messages.is_empty(), "{}: {messages}", archive.display());
        // As link-library does: tests of other processes link with what is there.
        let made = folder.join(format!("libnumawise.a.{}", std::process::id()));
        std::fs::copy(archive, &made).unwrap();
        std::fs::rename(made, folder.join("libnumawise.a")).unwrap();
        folder
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Compiles a program of `tests/c` and runs it. `words` are the compiler's; those that begin with `-l` stand behind the library.
fn holds(program: &str, compiler: &str, words: &[&str]) {
    let made = tempfile::tempdir().unwrap();
    let built = made.path().join("program");
    let (libraries, words): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with("-l"));
    let mut compile = Command::new(compiler);
    compile.args(&words).args(["-Wall", "-Wextra", "-Werror", "-pthread", "-g", "-I"]);
    compile.arg(root().join("include")).arg(source(program));
    links(&mut compile, made.path(), &built, &libraries);
    runs_without_a_word(&built, &format!("{program}: {compiler} {words:?}"));
}

fn source(program: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(program)
}

/// Ends a compiler's line so that it links with the library, and has that beside the program by the name that the loader knows.
fn links(compile: &mut Command, made: &Path, program: &Path, others: &[&str]) {
    compile.arg("-L").arg(folder()).args(["-x", "none", "-lnumawise"]).args(others).arg("-o").arg(program);
    let compiled = compile.output().unwrap();
    let messages = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success() && messages.is_empty(), "{compile:?}: {messages}");
    std::os::unix::fs::symlink(folder().join("libnumawise.so"), made.join("libnumawise.so.1")).unwrap();
}

fn runs_without_a_word(program: &Path, what: &str) {
    let mut run = Command::new(program);
    run.env("LD_LIBRARY_PATH", program.parent().unwrap());
    // Leaks of ours are found too; what the compiler's own checks need stays.
    let ran = run.env("ASAN_OPTIONS", "detect_leaks=1:allocator_may_return_null=1").output().unwrap();
    let (output, messages) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let is_silent = output.is_empty() && messages.is_empty();
    assert!(ran.status.success() && is_silent, "{what}: {}\n{output}{messages}", ran.status);
}

#[test]
fn every_call_does_what_the_header_says_for_c_and_c_plus_plus() {
    let tried: Vec<&str> = ["gcc", "clang"].into_iter().filter(|compiler| is_there(compiler)).collect();
    assert!(!tried.is_empty(), "no compiler is there");
    // Each compiler as C and as C++, each standard once.
    for (compiler, c, cpp) in [("gcc", "-std=gnu99", "-std=gnu++20"), ("clang", "-std=gnu17", "-std=gnu++17")]
    {
        if is_there(compiler) {
            holds("smoke.c", compiler, &[c]);
            holds("smoke.c", compiler, &["-x", "c++", "-fno-exceptions", cpp]);
        }
    }
    if tried.len() < 2 {
        eprintln!("SKIPPED in part: only {tried:?} is there");
    }
}

#[test]
fn nothing_is_leaked_and_no_memory_is_used_that_is_not_ours() {
    holds("smoke.c", "gcc", &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    if is_there("g++") {
        holds(
            "memory.cpp",
            "g++",
            &["-std=c++17", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
        );
        holds("memory.cpp", "g++", &["-std=c++17", "-fsanitize=thread"]);
    }
}

#[test]
fn containers_have_their_memory_where_their_policies_say() {
    for (compiler, words) in [("g++", &["-std=c++20"][..]), ("clang++", &["-std=c++17", "-O2", "-fopenmp"])] {
        if is_there(compiler) {
            holds("memory.cpp", compiler, words);
        }
    }
}

/// Names in the list of versions are the promise: what goes from it, or changes what it means, needs another version of the library.
#[test]
fn what_is_exported_has_its_version_and_is_declared_and_nothing_else_is_exported() {
    let list = std::fs::read_to_string(root().join("packaging/libnumawise.map")).unwrap();
    let words = list.split(['\n', ';']).map(str::trim);
    let expected: BTreeSet<String> = words
        .filter(|word| word.starts_with("numawise_"))
        .map(|name| format!("{name}@@NUMAWISE_1"))
        .collect();
    let symbols =
        Command::new("nm").args(["-D", "--defined-only"]).arg(folder().join("libnumawise.so")).output();
    let symbols = String::from_utf8(symbols.expect("nm is there").stdout).unwrap();
    let found: BTreeSet<String> =
        symbols.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_owned).collect();
    let nodes = BTreeSet::from(["NUMAWISE_1".to_owned()]);
    assert_eq!(found, &expected | &nodes);
    let header = std::fs::read_to_string(root().join("include/numawise/numawise.h")).unwrap();
    for name in expected {
        let name = name.split('@').next().unwrap();
        assert!(header.contains(&format!("{name}(")), "{name} is not declared");
    }
}

/// A program that was linked with a newer library is refused when it starts, and not in its middle.
#[test]
fn a_program_of_a_newer_library_is_refused_at_its_start() {
    let made = tempfile::tempdir().unwrap();
    let path = |name: &str| made.path().join(name);
    std::fs::write(path("newer.c"), "int numawise_newer(void) { return 0; }\n").unwrap();
    std::fs::write(path("newer.map"), "NUMAWISE_1.1 { global: numawise_newer; local: *; };\n").unwrap();
    std::fs::write(
        path("main.c"),
        "int numawise_newer(void);\nint main(void) { return numawise_newer(); }\n",
    )
    .unwrap();
    let mut library = Command::new("gcc");
    library.args([
        "-shared",
        "-fPIC",
        "-Wl,-soname,libnumawise.so.1",
        "-Wl,--version-script=newer.map",
        "newer.c",
    ]);
    let mut program = Command::new("gcc");
    program.args(["main.c", "-L.", "-lnumawise", "-o", "main"]);
    for compile in [library.args(["-o", "libnumawise.so"]), &mut program] {
        assert!(compile.current_dir(made.path()).status().unwrap().success(), "{compile:?}");
    }
    std::os::unix::fs::symlink(folder().join("libnumawise.so"), path("libnumawise.so.1")).unwrap();
    let ran = Command::new(path("main")).env("LD_LIBRARY_PATH", made.path()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(
        !ran.status.success() && said.contains("version `NUMAWISE_1.1' not found"),
        "{}: {said}",
        ran.status
    );
}

#[test]
fn valgrind_finds_nothing() {
    if !is_there("valgrind") {
        eprintln!("SKIPPED: valgrind is not installed");
        return;
    }
    let made = tempfile::tempdir().unwrap();
    let built = made.path().join("program");
    let mut compile = Command::new("gcc");
    compile.args(["-std=gnu17", "-g", "-pthread", "-I"]).arg(root().join("include")).arg(source("smoke.c"));
    links(&mut compile, made.path(), &built, &[]);
    let mut run = Command::new("valgrind");
    run.args(["-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite,possible"]);
    run.arg(&built).env("LD_LIBRARY_PATH", made.path()).env("UNDER_VALGRIND", "1");
    let ran = run.output().unwrap();
    let said = [ran.stdout, ran.stderr].concat();
    assert!(ran.status.success() && said.is_empty(), "{}\n{}", ran.status, String::from_utf8_lossy(&said));
}

#[test]
fn threads_of_onetbb_are_where_their_slots_are_planned_and_have_their_masks_back() {
    if !Path::new("/usr/include/oneapi/tbb.h").exists() {
        eprintln!("SKIPPED: oneTBB is not installed");
        return;
    }
    for (compiler, words) in [("g++", ["-std=c++17", "-O2"]), ("clang++", ["-std=c++20", "-O0"])] {
        if is_there(compiler) {
            holds("tbb.cpp", compiler, &[words[0], words[1], "-ltbb"]);
        }
    }
}

#[test]
fn teams_of_threads_and_of_openmp_are_where_they_are_planned() {
    for (compiler, words) in [("g++", ["-std=c++17", "-O0"]), ("clang++", ["-std=c++20", "-O2"])] {
        if is_there(compiler) {
            holds("team.cpp", compiler, &[words[0], words[1], "-fopenmp"]);
        }
    }
}

/// What the compiler says of a text with these options; nothing where it takes it.
fn refused(text: &str, words: &[&str]) -> Option<String> {
    let made = tempfile::tempdir().unwrap();
    let source = made.path().join("text.cpp");
    std::fs::write(&source, text).unwrap();
    let mut compile = Command::new("g++");
    compile.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"]);
    let compiled =
        compile.arg(root().join("include")).args(words).arg(&source).output().expect("g++ is there");
    (!compiled.status.success()).then(|| String::from_utf8_lossy(&compiled.stderr).into_owned())
}

#[test]
fn each_header_stands_alone_and_misuse_does_not_compile() {
    for header in std::fs::read_dir(root().join("include/numawise")).unwrap() {
        let name = header.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".f90") {
            continue;
        }
        if name == "tbb.hpp" && !Path::new("/usr/include/oneapi/tbb.h").exists() {
            eprintln!("SKIPPED: {name}: oneTBB is not installed");
            continue;
        }
        let twice = format!("#include <numawise/{name}>\n#include <numawise/{name}>\nint main() {{}}\n");
        assert_eq!(refused(&twice, &["-fopenmp"]), None, "{name}");
    }
    let memory = "#include <numawise/memory.hpp>\n#include <string>\n";
    for (text, said) in [
        ("numawise::first_touch_vector<std::string> u(5);", "elements are bytes that are zero at first"),
        ("std::vector<int, numawise::allocator<int>> u(5, 7, 1);", "no matching function"),
        ("std::vector<int> u(5, 7, numawise::interleaved());", "no matching function"),
    ] {
        let found = refused(&format!("{memory}void f() {{ {text} }}\n"), &[]);
        assert!(found.as_ref().is_some_and(|found| found.contains(said)), "{text}: {found:?}");
    }
    let without = refused("#include <numawise/openmp.hpp>\n", &[]);
    assert!(without.is_some_and(|found| found.contains("compiled with OpenMP")));
}

#[test]
fn the_module_for_fortran_does_what_it_says() {
    if !is_there("gfortran") {
        eprintln!("SKIPPED: gfortran is not installed");
        return;
    }
    for words in [&["-std=f2008"][..], &["-std=f2018", "-O2", "-fcheck=all", "-g"]] {
        let made = tempfile::tempdir().unwrap();
        let program = made.path().join("fortran");
        let mut compile = Command::new("gfortran");
        // It takes descriptors of arrays that are not allocated yet for values.
        compile.args(words).args(["-Wall", "-Wextra", "-Werror", "-Wno-uninitialized"]);
        compile.args(["-Wno-maybe-uninitialized", "-J"]).arg(made.path());
        compile.arg(root().join("include/numawise/numawise_library.f90")).arg(source("fortran.f90"));
        links(&mut compile, made.path(), &program, &[]);
        runs_without_a_word(&program, &format!("{words:?}"));
    }
}

/// A project outside of the tree finds what was installed, by pkg-config and by CMake.
#[test]
fn what_is_installed_is_found_by_pkg_config_and_by_cmake() {
    let made = tempfile::tempdir().unwrap();
    let path = |name: &str| made.path().join(name);
    std::fs::copy(folder().join("libnumawise.so"), path("libnumawise.so")).unwrap();
    std::fs::copy(folder().join("libnumawise.a"), path("libnumawise.a")).unwrap();
    let mut install = Command::new("make");
    install.args(["--no-print-directory", "-s", "-C"]).arg(root()).arg("install");
    install.arg(format!("PREFIX={}", path("installed").display()));
    install.arg(format!("LIBRARY={}", path("libnumawise").display()));
    // These are none of what programs link with.
    let installed =
        install.args(["NUMAWISE=/bin/true", "LIBRARIES=/bin/true", "MAN=", "COMPLETIONS="]).output().unwrap();
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    let first = "#include <numawise/memory.hpp>\nint main() { numawise::first_touch_vector<double> u(5); return u.size() != 5; }\n";
    std::fs::write(path("first.cpp"), first).unwrap();
    let mut tried = 0;
    if is_there("pkg-config") {
        let mut ask = Command::new("pkg-config");
        ask.args(["--cflags", "--libs", "numawise"]).env("PKG_CONFIG_PATH", path("installed/lib/pkgconfig"));
        let words = String::from_utf8(ask.output().unwrap().stdout).unwrap();
        let mut compile = Command::new("g++");
        compile.args(["-std=c++17", "-pthread"]).arg(path("first.cpp")).args(words.split_whitespace());
        assert!(compile.arg("-o").arg(path("by-pkg-config")).status().unwrap().success(), "{words}");
        let mut run = Command::new(path("by-pkg-config"));
        assert!(run.env("LD_LIBRARY_PATH", path("installed/lib")).status().unwrap().success());
        tried += 1;
    }
    if is_there("cmake") {
        std::fs::create_dir(path("project")).unwrap();
        let project = format!(
            "cmake_minimum_required(VERSION 3.16)\nproject(other C)\nfind_package(numawise 99 QUIET)\nif(numawise_FOUND)\n\
             message(FATAL_ERROR \"another version was taken\")\nendif()\nfind_package(numawise 0.1 REQUIRED)\n\
             find_package(Threads REQUIRED)\nforeach(kind numawise static)\nadd_executable(with_${{kind}} {})\n\
             target_link_libraries(with_${{kind}} numawise::${{kind}} Threads::Threads)\nendforeach()\n",
            source("smoke.c").display()
        );
        std::fs::write(path("project/CMakeLists.txt"), project).unwrap();
        let mut configure = Command::new("cmake");
        configure.args(["-S"]).arg(path("project")).arg("-B").arg(path("build"));
        configure.arg(format!("-DCMAKE_PREFIX_PATH={}", path("installed").display()));
        for step in [&mut configure, Command::new("cmake").arg("--build").arg(path("build"))] {
            let done = step.output().unwrap();
            assert!(
                done.status.success(),
                "{}{}",
                String::from_utf8_lossy(&done.stdout),
                String::from_utf8_lossy(&done.stderr)
            );
        }
        for program in ["with_numawise", "with_static"] {
            assert!(Command::new(path("build").join(program)).status().unwrap().success(), "{program}");
        }
        tried += 1;
    }
    if tried == 0 {
        eprintln!("SKIPPED: neither pkg-config nor cmake is there");
    }
}
