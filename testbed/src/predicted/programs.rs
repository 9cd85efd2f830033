//! The programs as they stand in their files.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Problem;

/// Where the programs are described, from the root of the project.
pub(super) const FILE: &str = "testbed/predicted.toml";

/// A program and where it runs; `predicted.toml` says what each key means.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    pub name: String,
    pub kind: String,
    #[serde(default = "two_sockets")]
    pub machines: Vec<String>,
    pub command: String,
    #[serde(default = "seconds")]
    pub metric: String,
    #[serde(default)]
    pub rate: bool,
    #[serde(default)]
    pub files: Vec<PathBuf>,
    #[serde(default)]
    pub repeats: Option<u32>,
}

fn two_sockets() -> Vec<String> {
    vec!["two-socket".to_owned()]
}

fn seconds() -> String {
    "seconds: ([0-9.]+)".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    program: Vec<Program>,
}

/// Reads the programs of the project, and those of a file from elsewhere.
pub(super) fn read(root: &Path, more: Option<&Path>) -> Result<Vec<Program>, Problem> {
    let mut all = Vec::new();
    for path in [Some(root.join(FILE)).as_deref(), more].into_iter().flatten() {
        let text =
            std::fs::read_to_string(path).map_err(|error| Problem::Read { path: path.to_owned(), error })?;
        all.extend(parse(&text, path)?);
    }
    for (place, program) in all.iter().enumerate() {
        if all[..place].iter().any(|other| other.name == program.name) {
            return Err(Problem::TwoOfOneName { name: program.name.clone() });
        }
    }
    Ok(all)
}

pub(super) fn parse(text: &str, path: &Path) -> Result<Vec<Program>, Problem> {
    let programs = toml::from_str::<File>(text)
        .map_err(|error| Problem::NotPrograms { path: path.to_owned(), error: error.to_string() })?
        .program;
    let wrong = |name: &str, what: &'static str| Problem::NoProgram {
        path: path.to_owned(),
        name: name.to_owned(),
        what,
    };
    for program in &programs {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
        if program.name.is_empty() || !program.name.chars().all(is_plain) {
            return Err(wrong(&program.name, "its name is that of a file: letters, digits, - _ ."));
        }
        if !program.command.contains("{threads}") {
            return Err(wrong(&program.name, "its command has no {threads}"));
        }
        if program.repeats == Some(0) {
            return Err(wrong(&program.name, "repeats: expected at least 1"));
        }
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_of_the_project_can_be_read_and_are_of_many_kinds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let all = read(&root, None).unwrap();
        let kinds: std::collections::BTreeSet<&str> = all.iter().map(|one| one.kind.as_str()).collect();
        assert!(kinds.len() >= 14, "{kinds:?}");
        for machine in all.iter().flat_map(|one| &one.machines) {
            assert!(testbed::names().contains(machine), "{machine}");
        }
    }

    #[test]
    fn what_is_no_program_is_refused_with_its_reason() {
        let of = |text: &str| parse(text, Path::new("p.toml")).unwrap_err().to_string();
        assert!(of("program = 1").contains("p.toml"));
        let with = |line: &str| of(&format!("[[program]]\nkind = 'k'\n{line}"));
        assert!(with("name = 'a'").contains("command"));
        assert!(with("name = 'a'\ncommand = 'x {threads}'\nscale = 2").contains("scale"));
        assert!(with("name = 'a/b'\ncommand = 'x {threads}'").contains("a/b"));
        assert!(with("name = 'a'\ncommand = 'x'").contains("{threads}"));
        assert!(with("name = 'a'\ncommand = '{threads}'\nrepeats = 0").contains("at least 1"));
    }
}
