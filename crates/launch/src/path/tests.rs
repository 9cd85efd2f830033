use super::*;

#[test]
fn the_program_is_found_as_a_shell_finds_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tool");
    std::fs::write(&file, "#!/bin/sh\n").unwrap();
    let search = folder.path().as_os_str();
    let name = OsStr::new("tool");
    let there = || -> Vec<PathBuf> { candidates(name, search).map(PathBuf::from).collect() };
    assert_eq!(executable(&there()), None, "it cannot be executed");
    assert_eq!(find(name, Path::new(""), search), Some(file.clone()), "but it was meant");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(executable(&there()), Some(&file));
    assert_eq!(find(name, Path::new(""), search), Some(file));
    let direct: Vec<OsString> = candidates(OsStr::new("./tool"), search).collect();
    assert_eq!(direct, ["./tool"]);
    assert_eq!(find(OsStr::new("no-such-tool"), Path::new(""), search), None);
    assert!(find(OsStr::new("sh"), Path::new(""), OsStr::new(DEFAULT_PATH)).is_some());
}

#[test]
fn of_several_the_one_that_may_be_executed_is_meant() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (folder, mode) in [(&first, 0o644), (&second, 0o755)] {
        let file = folder.path().join("tool");
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
    }
    let search = std::env::join_paths([first.path(), second.path()]).unwrap();
    assert_eq!(find(OsStr::new("tool"), Path::new(""), &search), Some(second.path().join("tool")));
}
