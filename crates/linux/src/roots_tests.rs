use super::*;

fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Roots) {
    let folder = tempfile::tempdir().unwrap();
    let roots = Roots::at(folder.path());
    for (path, text) in files {
        let path = roots.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    (folder, roots)
}

#[test]
fn only_one_node_is_found_where_there_is_one() {
    const NODES: &str = "/sys/devices/system/node";
    let has_memory = format!("{NODES}/has_memory");
    let online = format!("{NODES}/online");
    for (files, expected) in [
        (vec![], None),
        (vec![("/sys/devices/system/cpu/online", "0\n")], Some(0)),
        (vec![(has_memory.as_str(), "3\n"), (online.as_str(), "0-3\n")], Some(3)),
        (vec![(online.as_str(), "0\n")], Some(0)),
        (vec![(has_memory.as_str(), "0-1\n")], None),
        (vec![(has_memory.as_str(), "x\n")], None),
        (vec![(has_memory.as_str(), "\n")], None),
    ] {
        assert_eq!(tree(&files).1.only_node(), expected.map(NodeId), "{files:?}");
    }
}

#[test]
fn values_are_there_and_make_sense_or_are_not_given() {
    let (_folder, roots) = tree(&[("/sys/a", "17\n"), ("/sys/b", "x\n")]);
    assert_eq!(roots.text("/sys/a").unwrap(), "17\n");
    assert_eq!(roots.try_value::<u32>("/sys/a"), Some(17));
    assert_eq!(roots.try_value::<u32>("/sys/b"), None);
    assert_eq!(roots.try_value::<u32>("/sys/c"), None);
    assert_eq!(roots.text("/sys/c").unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn only_the_systems_own_root_is_live() {
    assert!(Roots::live().is_live() && Roots::default() == Roots::live());
    assert_eq!(Roots::live().process(Pid(7)), Path::new("/proc/7"));
    let (_folder, roots) = tree(&[]);
    assert!(!roots.is_live() && !roots.has_own_numbers());
    let other = Roots::live().with_sys(roots.path("/sys"));
    assert!(other.is_live());
    assert_eq!(other.path("/sys/devices"), roots.path("/sys/devices"));
    assert_eq!(other.path("/proc/stat"), Path::new("/proc/stat"));
}
