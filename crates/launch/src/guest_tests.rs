use super::*;
use crate::collector::GUEST;

const OURS: &str = "/opt/libnumawise_collector.so";

#[test]
fn what_is_preloaded_already_stays_and_the_pinning_library_comes_first() {
    for (now, then) in [
        ("", OURS.to_owned()),
        ("/a/b.so c.so", format!("{OURS}:/a/b.so:c.so")),
        ("/x/libnumawise_agent.so", format!("/x/libnumawise_agent.so:{OURS}")),
        ("/a.so:/x/libnumawise_agent.so:/b.so", format!("/x/libnumawise_agent.so:{OURS}:/a.so:/b.so")),
        ("/old/libnumawise_collector.so:/a.so", format!("{OURS}:/a.so")),
        (OURS, OURS.to_owned()),
    ] {
        assert_eq!(GUEST.with(OURS, now), then, "{now}");
    }
}

#[test]
fn a_library_says_which_layout_it_writes() {
    let of = |digits: &str| format!("...numawise collector, layout {digits}\n...").into_bytes();
    assert_eq!(GUEST.mark_in(&of("0001")), Some(&of("0001")[3..35]));
    assert_eq!(GUEST.mark_in(b"numawise collector, layout "), None);
    assert_eq!(GUEST.mark_in(b""), None);
    assert_eq!(GUEST.layout(GUEST.mark), numawise_wire::snapshot::VERSION.to_string());
    assert_eq!(GUEST.layout(GUEST.mark_in(&of("0417")).unwrap()), "417");
}

#[test]
fn a_library_that_is_not_ours_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let exe = folder.path().join("numawise");
    let missing = GUEST.of_program(&exe).unwrap_err();
    assert!(matches!(missing, LaunchError::CollectorMissing { .. }), "{missing}");
    let library = folder.path().join(GUEST.file);
    std::fs::write(&library, b"no library").unwrap();
    let text = GUEST.of_program(&exe).unwrap_err().to_string();
    assert!(text.contains(GUEST.file) && text.contains("damaged"), "{text}");
    // A whole library, of somebody else: this very program.
    std::fs::copy(std::env::current_exe().unwrap(), &library).unwrap();
    let found = GUEST.of_program(&exe);
    // It has the mark of this test, by chance in the right or in a wrong place.
    assert!(matches!(&found, Ok(_) | Err(LaunchError::CollectorOfAnotherVersion { .. })), "{found:?}");
    let odd = folder.path().join("a b");
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join(GUEST.file), b"").unwrap();
    let text = GUEST.of_program(&odd.join("numawise")).unwrap_err().to_string();
    assert!(text.contains("LD_PRELOAD cannot hold"), "{text}");
}
