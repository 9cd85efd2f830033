use super::*;

#[test]
fn settings_are_numbers_of_the_environment_and_those_of_an_outer_numawise_go() {
    let heap = HeapLibrary { library: "/opt/libnumawise_heap.so".to_owned() };
    let now = |name: &str| match name {
        "LD_PRELOAD" => Some(OsString::from("/x/libnumawise_agent.so:/a.so")),
        "NUMAWISE_OBJECTS_TIMER" => Some(OsString::from("9")),
        _ => None,
    };
    let settings = HeapSettings { least: Some(Bytes(4096)), drawn: Some(Bytes(0)), timer: None };
    let changes = heap.changes("/dev/shm/x", &settings, &[Change::remove("A")], &now);
    let value = |name: &str| {
        let mut found = changes.iter().filter(|change| change.name == name);
        let value = found.next().map(|change| change.value.clone());
        assert!(found.next().is_none(), "{name} once");
        value
    };
    let preload = "/x/libnumawise_agent.so:/opt/libnumawise_heap.so:/a.so".to_owned();
    assert_eq!(value("LD_PRELOAD"), Some(Some(preload)));
    assert_eq!(value("NUMAWISE_OBJECTS"), Some(Some("/dev/shm/x".to_owned())));
    assert_eq!(value("NUMAWISE_OBJECTS_LEAST"), Some(Some("4096".to_owned())));
    assert_eq!(value("NUMAWISE_OBJECTS_DRAWN"), Some(Some("0".to_owned())));
    assert_eq!(value("NUMAWISE_OBJECTS_TIMER"), Some(None), "taken out");
    assert_eq!(value("A"), Some(None));
}

#[test]
fn a_file_is_longer_with_samples() {
    let of = |timer| HeapLibrary::least_file(&HeapSettings { timer, ..HeapSettings::default() });
    assert!(of(None) == of(Some(0)) && of(None) < of(Some(250)) && of(Some(250)) <= Bytes(64 << 20));
}

#[test]
fn the_folder_of_an_outer_numawise_is_seen() {
    let folder = |value: &'static str| objects_watched_by(&|_| Some(OsString::from(value)));
    assert_eq!((folder("/x"), folder("")), (Some(PathBuf::from("/x")), None));
    assert_eq!(objects_watched_by(&|_| None), None);
}

#[test]
fn libraries_of_the_two_kinds_are_not_taken_for_one_another() {
    let folder = tempfile::tempdir().unwrap();
    let exe = folder.path().join("numawise");
    let missing = HeapLibrary::of_program(&exe).unwrap_err().to_string();
    assert!(missing.contains("libnumawise_heap.so"), "{missing}");
    assert_ne!(GUEST.mark, crate::collector::GUEST.mark);
    assert_ne!(GUEST.mark_begin, crate::collector::GUEST.mark_begin);
}
