use super::*;
use crate::guest::PRELOAD;

const OURS: &str = "/opt/libnumawise_collector.so";

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
