use super::*;

#[test]
fn a_file_without_debugging_information_defines_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app");
    std::fs::copy("/bin/true", &path).unwrap();
    let mut wanted = HashMap::from([(0x4000, None)]);
    find(&path, &mut wanted).unwrap();
    assert_eq!(wanted[&0x4000], None);
    std::fs::write(&path, "no program").unwrap();
    assert!(find(&path, &mut wanted).is_err());
}
