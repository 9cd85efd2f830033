//! `--objects-to`: objects of an earlier run on nodes, in a program that says which policy each of its arrays has.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::collector;

/// The program, and the record of a run of it.
struct Recorded {
    folder: TempDir,
    binary: PathBuf,
}

impl Recorded {
    /// `None`, having said so, where the kernel lists no policies or there is no gcc.
    fn new() -> Option<Recorded> {
        if !Path::new("/proc/self/numa_maps").exists() {
            eprintln!("SKIPPED: the kernel lists no policies");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let binary = collector::installed(folder.path(), true);
        let recorded = Recorded { folder, binary };
        recorded.compile("three_arrays", &[])?;
        let ended = recorded.numawise(&["objects", "--quiet", "--output", "run.nw", "--", "./three_arrays"]);
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        Some(recorded)
    }

    fn compile(&self, program: &str, options: &[&str]) -> Option<()> {
        let source: PathBuf =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbed/probe/three_arrays.c");
        let mut compiler = Command::new("gcc");
        compiler.args(["-g", "-O1", "-o", program]).arg(source).args(options).current_dir(self.folder.path());
        match compiler.output() {
            Ok(compiled) if compiled.status.success() => Some(()),
            other => {
                eprintln!("SKIPPED: gcc: {other:?}");
                None
            }
        }
    }

    fn numawise(&self, words: &[&str]) -> Output {
        let mut command = Command::new(&self.binary);
        command.args(words).current_dir(self.folder.path()).output().expect("numawise starts")
    }

    /// The policies of u, v, w and the table.
    fn policies(&self, words: &[&str]) -> Vec<String> {
        let ended = self.numawise(words);
        let (output, errors) =
            (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert!(ended.status.success(), "{words:?}: {errors}");
        let policy =
            |line: &str| Some(line.split(' ').find_map(|word| word.strip_prefix("policy="))?.to_owned());
        output.lines().filter_map(policy).collect()
    }

    fn refused(&self, words: &[&str]) -> String {
        let ended = self.numawise(words);
        assert_eq!(ended.status.code(), Some(125), "{words:?}");
        String::from_utf8_lossy(&ended.stderr).into_owned()
    }
}

#[test]
fn the_objects_that_are_named_have_their_policy_and_no_others() {
    let Some(recorded) = Recorded::new() else { return };
    let run = |to: &str| recorded.policies(&["run", "--objects-to", to, "--", "./three_arrays"]);
    assert_eq!(run("0=run.nw:three_arrays.c:42"), ["default", "prefer:0", "default", "default"]);
    assert_eq!(run("0=run.nw:three_arrays.c:43,table"), ["default", "default", "prefer:0", "prefer:0"]);
    assert_eq!(run("interleave:0=run.nw:table"), ["default", "default", "default", "interleave:0"]);
    let watched = ["objects", "--quiet", "--objects-to", "0=run.nw:table", "--", "./three_arrays"];
    assert_eq!(recorded.policies(&watched), ["default", "default", "default", "prefer:0"]);
    // Started by another program.
    let inside = ["run", "--objects-to", "0=run.nw:table", "--", "sh", "-c", "exec \"$0\"", "./three_arrays"];
    assert_eq!(recorded.policies(&inside), ["default", "default", "default", "prefer:0"]);
}

#[test]
fn what_cannot_be_done_is_said_before_the_program_starts() {
    let Some(recorded) = Recorded::new() else { return };
    let refused = |to: &str, program: &str| recorded.refused(&["run", "--objects-to", to, "--", program]);
    let app = "./three_arrays";
    assert!(refused("0=run.nw:nothing", app).contains("has no object named nothing; there are "));
    assert!(
        refused("0=run.nw:table", "true").contains("run.nw holds the objects of ./three_arrays, and true")
    );
    assert!(refused("0=missing.nw", app).contains("missing.nw"));
    assert!(refused("1023=run.nw:table", app).contains("node 1023"));
    assert!(refused("zz=run.nw", app).contains("'zz' is not a list of nodes"));
    assert!(refused("run.nw", app).contains("expected hbm=FILE, NODES=FILE, interleave=FILE"));
    // Built anew since.
    std::thread::sleep(std::time::Duration::from_millis(20));
    recorded.compile("three_arrays", &["-DAGAIN"]).unwrap();
    assert!(refused("0=run.nw:table", app).contains("was changed after the run in run.nw"));
    if std::fs::create_dir(recorded.folder.path().join("static")).is_ok()
        && recorded.compile("static/three_arrays", &["-static"]).is_some()
    {
        assert!(refused("0=run.nw:table", "static/three_arrays").contains("it is linked statically"));
    }
}
