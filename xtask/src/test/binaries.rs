//! Builds all tests at once, and finds the binaries that came of it.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use super::{NoTests, cargo};

/// A test binary.
#[derive(Debug, Clone, PartialEq)]
pub struct Binary {
    /// The folder of its crate, in which its tests run.
    pub folder: PathBuf,
    pub file: PathBuf,
    /// `cli/snapshot` of a test target, `cli` of the tests beside the code.
    pub suite: String,
}

/// Builds them; cargo's own output goes to the terminal.
///
/// # Errors
/// When something does not compile, or cargo cannot be run.
pub fn build(root: &Path) -> Result<Vec<Binary>, NoTests> {
    let output = cargo(root)
        .args(["test", "--workspace", "--locked", "--no-run", "--message-format=json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| NoTests(format!("cannot run cargo test: {error}")))?;
    if !output.status.success() {
        return Err(NoTests("the tests do not compile".to_owned()));
    }
    let mut found = binaries(&String::from_utf8_lossy(&output.stdout));
    found.sort_by(|a, b| a.suite.cmp(&b.suite));
    Ok(found)
}

/// Of cargo's messages, one a line.
fn binaries(messages: &str) -> Vec<Binary> {
    let binary = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let file = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        let krate = folder.file_name()?.to_str()?;
        let target = &message["target"];
        let is_test = target["kind"].as_array()?.iter().any(|kind| kind == "test");
        let suite = if is_test { format!("{krate}/{}", target["name"].as_str()?) } else { krate.to_owned() };
        Some(Binary { folder: folder.to_path_buf(), file: file.into(), suite })
    };
    messages.lines().filter_map(binary).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_those_with_tests_in_them() {
        let message = |kind: &str, name: &str, test: bool, file: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/p/crates/cli/Cargo.toml","target":{{"kind":["{kind}"],"name":"{name}"}},"profile":{{"test":{test}}},"executable":{file}}}"#
            )
        };
        let lines = [
            message("bin", "numawise", false, r#""/t/numawise""#),
            message("bin", "numawise", true, r#""/t/numawise-1""#),
            message("test", "run", true, r#""/t/run-2""#),
            message("lib", "other", true, "null"),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
            "no JSON".to_owned(),
        ];
        let found = binaries(&lines.join("\n"));
        let shown: Vec<_> = found.iter().map(|b| (b.suite.as_str(), b.file.to_str().unwrap())).collect();
        assert_eq!(shown, [("cli", "/t/numawise-1"), ("cli/run", "/t/run-2")]);
        assert_eq!(found[0].folder, Path::new("/p/crates/cli"));
    }
}
