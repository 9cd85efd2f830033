use std::process::Command;

use super::*;

fn command(words: &[&str]) -> RehearsedCommand {
    RehearsedCommand {
        words: words.iter().map(OsString::from).collect(),
        beside: Vec::new(),
        directory: "/".into(),
        environment: Vec::new(),
        outputs: Vec::new(),
    }
}

/// As a guest runs it, with another folder in place of the results.
fn ran(command: &RehearsedCommand) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(FILES)).unwrap();
    let script = text(command).replace(RESULTS, folder.path().to_str().unwrap());
    let ended = Command::new("/bin/sh").arg("-c").arg(script).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let status = std::fs::read_to_string(folder.path().join(STATUS)).unwrap();
    (folder, status)
}

#[test]
fn what_the_command_printed_its_status_and_its_files_are_left() {
    let work = tempfile::tempdir().unwrap();
    let mut asked =
        command(&["sh", "-c", "printf '%s' \"$A\"; echo \"it's\" >&2; echo made > 'a b'; exit 3"]);
    asked.directory = work.path().to_path_buf();
    asked.environment = vec![("A".into(), "one 'two'\n$HOME".into())];
    asked.outputs = vec!["none".into(), "a b".into()];
    let (folder, status) = ran(&asked);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        (status.as_str(), read(OUT).as_str(), read(ERR).as_str()),
        ("3\n", "one 'two'\n$HOME", "it's\n")
    );
    assert_eq!(read("files/1"), "made\n");
    assert!(!folder.path().join("files/0").exists());
}

#[test]
fn variables_of_a_job_and_names_that_no_shell_has_stay_outside_and_the_users_own_stand() {
    let given = [("SLURM_JOB_ID", "7"), ("BASH_FUNC_x%%", "()"), ("OMP_WAIT_POLICY", "active"), ("PWD", "/")];
    let given: Vec<(OsString, OsString)> = given.map(|(name, value)| (name.into(), value.into())).to_vec();
    let names: Vec<String> =
        variables(&given).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(names[0], "OMP_WAIT_POLICY='active'");
    assert_eq!(names.len(), USUAL.len(), "{names:?}");
}

#[test]
fn a_command_that_is_told_to_end_can_leave_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let asked = command(&["sh", "-c", "trap 'echo told; exit 130' TERM; while :; do sleep 0.1; done"]);
    std::fs::create_dir(folder.path().join(FILES)).unwrap();
    std::fs::write(folder.path().join(STOP), "").unwrap();
    let script = text(&asked).replace(RESULTS, folder.path().to_str().unwrap());
    // The shell of the trap must be there first.
    let script = script.replace("(while", "(sleep 1; while");
    assert!(Command::new("/bin/sh").arg("-c").arg(script).status().unwrap().success());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!((read(OUT).as_str(), read(STATUS).as_str()), ("told\n", "130\n"));
}
