use super::*;

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
        assert_eq!(with(OURS, now), then, "{now}");
    }
}

#[test]
fn the_plan_comes_before_our_own_environment() {
    let collector = Collector { library: OURS.to_owned() };
    let now = |name: &str| (name == PRELOAD).then(|| OsString::from("/user.so"));
    let value = |changes: &[Change], name: &str| {
        let mut found = changes.iter().filter(|change| change.name == name);
        let value = found.next().unwrap().value.clone();
        assert!(found.next().is_none(), "{name} once");
        value
    };
    let alone = collector.changes("/dev/shm/x", &[], &now);
    assert_eq!(value(&alone, PRELOAD), Some(format!("{OURS}:/user.so")));
    assert_eq!(value(&alone, FOLDER.name()), Some("/dev/shm/x".to_owned()));
    let plan = [Change::set(PRELOAD, "/x/libnumawise_agent.so:/user.so".to_owned()), Change::remove("A")];
    let both = collector.changes("/dev/shm/x", &plan, &now);
    assert_eq!(value(&both, PRELOAD), Some(format!("/x/libnumawise_agent.so:{OURS}:/user.so")));
    assert_eq!(value(&both, "A"), None);
}

#[test]
fn a_library_says_which_layout_it_writes() {
    let of = |digits: &str| format!("...numawise collector, layout {digits}\n...").into_bytes();
    assert_eq!(mark(&of("0001")), Some(&of("0001")[3..35]));
    assert_eq!(mark(b"numawise collector, layout "), None);
    assert_eq!(mark(b""), None);
    assert_eq!(layout(&MARK), numawise_wire::snapshot::VERSION.to_string());
    assert_eq!(layout(mark(&of("0417")).unwrap()), "417");
}

#[test]
fn a_library_that_is_not_ours_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let exe = folder.path().join("numawise");
    let missing = Collector::of_program(&exe).unwrap_err();
    assert!(matches!(missing, LaunchError::CollectorMissing { .. }), "{missing}");
    let library = folder.path().join(FILE);
    std::fs::write(&library, b"no library").unwrap();
    let text = Collector::of_program(&exe).unwrap_err().to_string();
    assert!(text.contains(FILE) && text.contains("damaged"), "{text}");
    // A whole library, of somebody else: this very program.
    std::fs::copy(std::env::current_exe().unwrap(), &library).unwrap();
    let found = Collector::of_program(&exe);
    // It has the mark of this test, by chance in the right or in a wrong place.
    assert!(matches!(&found, Ok(_) | Err(LaunchError::CollectorOfAnotherVersion { .. })), "{found:?}");
    let odd = folder.path().join("a b");
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join(FILE), b"").unwrap();
    let text = Collector::of_program(&odd.join("numawise")).unwrap_err().to_string();
    assert!(text.contains("LD_PRELOAD cannot hold"), "{text}");
}

#[test]
fn the_list_of_ranks_is_one_that_the_collector_reads() {
    let ranks: RankSet = "9,0,3-5".parse().unwrap();
    let change = watched_ranks(Some(&ranks), &|_| None).unwrap();
    let list = change.value.unwrap();
    let of = |rank: &'static str| {
        let variable =
            |asked: numawise_wire::Variable| (asked.name() == "PMI_RANK").then_some(rank.as_bytes());
        numawise_wire::snapshot::ranks::is_left_out(list.as_bytes(), variable)
    };
    assert_eq!(["0", "1", "4", "9", "10"].map(of), [false, true, false, false, true]);
}

#[test]
fn all_ranks_are_watched_where_none_are_asked_for() {
    assert_eq!(watched_ranks(None, &|_| None), None);
    assert_eq!(watched_ranks(None, &|_| Some("3".into())), Some(Change::remove(RANKS.name())));
}
