//! Names of objects: several on one line, and those that a class allocates for its users.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::collector::installed;

/// Each array has another name and all have one size; `Field` allocates for whoever makes one.
const PROGRAM: &str = r#"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
struct Field { double *data; explicit Field(size_t n); };
__attribute__((noinline)) Field::Field(size_t n) { data = (double *)malloc(n * 8); memset(data, 1, n * 8); }
struct Wave { Field now, before; Wave(size_t n); };
__attribute__((noinline)) Wave::Wave(size_t n) : now(n), before(n) {}
struct Grid { size_t n; size_t points() const { return n; } };
// A line for each, with a call in it.
struct Flow { Field pressure, speed; explicit Flow(const Grid &grid); };
__attribute__((noinline)) Flow::Flow(const Grid &grid)
    : pressure(grid.points()),
      speed(grid.points()) {}
int main() {
    size_t n = 100000;
    Field u(n), v(n); std::vector<double> x(n), y(n, 1.0);
    double *z = (double *)malloc(n * 8), *zz = (double *)malloc(n * 8);
    Field *q = new Field(n), *r = new Field(n);
    Wave wave(n);
    Flow flow(Grid{n});
    memset(flow.pressure.data, 2, n * 8), memset(flow.speed.data, 2, n * 8);
    double sum = u.data[1] + v.data[1] + x[1] + y[1] + q->data[1] + r->data[1] + wave.now.data[1] + wave.before.data[1];
    memset(z, 0, n * 8), memset(zz, 0, n * 8);
    printf("%g\n", sum + z[1] + zz[1]);
}
"#;

fn names(binary: &Path, folder: &Path) -> BTreeSet<String> {
    let mut command = Command::new(binary);
    command.args(["objects", "--quiet", "--json=run.json", "--", "./named"]).current_dir(folder);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&std::fs::read(folder.join("run.json")).unwrap()).unwrap();
    let of_size = |object: &&Value| object["bytes"].as_u64() == Some(800_000);
    let objects = told["objects"].as_array().unwrap().iter().filter(of_size);
    objects.map(|object| object["name"].as_str().unwrap_or("?").to_owned()).collect()
}

#[test]
fn calls_of_one_line_have_the_names_of_their_variables() {
    let expected: BTreeSet<String> =
        ["before", "now", "pressure", "q", "r", "speed", "u", "v", "x", "y", "z", "zz"]
            .map(str::to_owned)
            .into();
    let folder = tempfile::tempdir().unwrap();
    let binary = installed(folder.path(), true);
    std::fs::write(folder.path().join("named.cpp"), PROGRAM).unwrap();
    let mut tried = 0;
    for (compiler, level) in [("g++", "-O0"), ("g++", "-O2"), ("clang++", "-O1"), ("clang++", "-O2")] {
        let words = [level, "-g", "-o", "named", "named.cpp"];
        let made = Command::new(compiler).args(words).current_dir(folder.path()).status();
        if !made.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: {compiler} is not there");
            continue;
        }
        let found = names(&binary, folder.path());
        if level == "-O2" {
            // Calls that became jumps are no callers any more: such an array has the name that the class gives it, that of what it is in, or those of its line, and no wrong one.
            let is_right = |name: &str| expected.contains(name) || ["data", "wave", "flow"].contains(&name);
            let wrong: Vec<_> = found.iter().filter(|names| !names.split(", ").all(is_right)).collect();
            assert!(wrong.is_empty() && found.len() >= 5, "{compiler}: {found:?}");
        } else {
            assert_eq!(found, expected, "{compiler} {level}");
        }
        tried += 1;
    }
    assert!(tried >= 2, "no compiler was tried");
}

/// `ones` is a function of Python in NumPy, `zeros` is not, and `full_like` calls another one.
const IN_PYTHON: &str = "import numpy as np

def work():
    first = np.ones(100_000)
    second = np.zeros(100_000)
    third = np.full_like(
        first, 7.0)
    second += first
    return first + second, third

work()
";

#[test]
fn arrays_of_numpy_are_objects_of_their_lines() {
    let python = "/usr/bin/python3";
    let has_numpy = Command::new(python).args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|asked| asked.status.success()) {
        eprintln!("SKIPPED: no NumPy");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let binary = installed(folder.path(), true);
    std::fs::write(folder.path().join("work.py"), IN_PYTHON).unwrap();
    let mut command = Command::new(&binary);
    command.args(["objects", "--json=run.json", "--", python, "work.py"]).current_dir(folder.path());
    let output = command.output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}");
    let told: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("run.json")).unwrap()).unwrap();
    let of_size = |object: &&Value| object["bytes"].as_u64() == Some(800_000);
    let objects = told["objects"].as_array().unwrap().iter().filter(of_size);
    let names: BTreeSet<&str> = objects.filter_map(|object| object["name"].as_str()).collect();
    assert_eq!(names, ["first", "second", "third"].into(), "{report}");
    for line in ["work.py:4 (work)", "work.py:5 (work)", "work.py:9 (work)"] {
        assert!(report.contains(line), "{line}: {report}");
    }
}
