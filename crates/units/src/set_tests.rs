use super::*;
use crate::id::Rank;

fn cpus(text: &str) -> CpuSet {
    text.parse().unwrap()
}

#[test]
fn a_list_prints_as_it_was_read() {
    for text in ["", "0", "0-3", "0-3,8", "1,3,5", "63-64", "0,127-130,4096"] {
        assert_eq!(cpus(text).to_string(), text);
    }
    assert_eq!(cpus("0-14:2").to_string(), "0,2,4,6,8,10,12,14");
    assert_eq!(cpus(" 3, 1-2 \n").to_string(), "1-3");
}

#[test]
fn a_broken_list_names_the_problem() {
    for (text, problem) in [
        ("a", "'a' is not a number"),
        ("1-", "a number is missing"),
        ("-1", "a number is missing"),
        ("1,,2", "a number is missing"),
        ("3-1", "runs backwards"),
        ("0-8:0", "the step in '0-8:0' is 0"),
        ("0-4000000000", "4000000000 is above 8191"),
        ("8192", "8192 is above 8191"),
        ("99999999999999999999", "is above 8191"),
        ("+1", "'+1' is not a number"),
    ] {
        let error = text.parse::<CpuSet>().unwrap_err().to_string();
        assert!(error.contains(problem) && error.contains("list of CPUs"), "{text}: {error}");
    }
    assert!("0-1024".parse::<NodeSet>().unwrap_err().to_string().contains("1024 is above 1023"));
    assert!("x".parse::<NodeSet>().unwrap_err().to_string().contains("list of nodes"));
}

#[test]
fn the_algebra_of_sets() {
    let (a, b) = (cpus("0-3,100"), cpus("2-5"));
    assert_eq!(a.union(&b), cpus("0-5,100"));
    assert_eq!(a.intersection(&b), cpus("2-3"));
    assert_eq!(a.difference(&cpus("100")), cpus("0-3"), "words at the end are trimmed");
    assert!(cpus("2-3").is_subset(&a) && !b.is_subset(&a) && a.intersects(&b));
    assert_eq!((a.len(), a.first(), a.last()), (5, Some(CpuId(0)), Some(CpuId(100))));
    assert_eq!((CpuSet::new().first(), CpuSet::new().last()), (None, None));
}

#[test]
fn insert_and_remove_say_what_they_did() {
    let mut set = cpus("5,70");
    assert!(set.remove(CpuId(70)) && !set.remove(CpuId(70)) && !set.remove(CpuId(7000)));
    assert_eq!(set, cpus("5"));
    assert!(set.insert(CpuId(6)) && !set.insert(CpuId(6)));
    assert_eq!(CpuSet::from_words([0b1100000, 0]), set);
}

#[test]
fn a_list_takes_neither_long_nor_much() {
    let begun = std::time::Instant::now();
    let error = "0-8191,".repeat(200_000).parse::<CpuSet>().unwrap_err();
    assert_eq!(error.flaw, SetFlaw::TooMany);
    assert!(error.to_string().len() < 500, "{error}");
    assert!("7,".repeat(2_000_000).parse::<CpuSet>().is_err());
    let alternating: Vec<String> = (0..4096).map(|k| (k * 2).to_string()).collect();
    assert_eq!(cpus(&alternating.join(",")).len(), 4096);
    let error = format!("\x1b[2J{}", "9".repeat(100_000)).parse::<NodeSet>().unwrap_err().to_string();
    assert!(error.len() < 500 && !error.contains('\x1b'), "{error}");
    assert!(begun.elapsed().as_secs() < 5);
}

#[test]
fn a_stored_set_holds_what_a_kernel_gives() {
    assert_eq!(serde_json::from_str::<CpuSet>("\"0-8191\"").unwrap().len(), 8192);
    let error = serde_json::from_str::<CpuSet>("\"0,8192\"").unwrap_err().to_string();
    assert!(error.contains("8192 is above 8191"), "{error}");
    let error = serde_json::from_str::<NodeSet>("\"0-1024\"").unwrap_err().to_string();
    assert!(error.contains("1024 is above 1023"), "{error}");
}

#[test]
fn ranks_are_more_than_cpus() {
    let ranks: IdSet<Rank> = "0,262143".parse().unwrap();
    assert_eq!((ranks.len(), ranks.last()), (2, Some(Rank(262_143))));
    let error = "0-67108864".parse::<IdSet<Rank>>().unwrap_err().to_string();
    assert!(error.contains("67108864 is above 67108863, the highest that numawise takes"), "{error}");
    let error = "8192".parse::<CpuSet>().unwrap_err().to_string();
    assert!(error.contains("8192 is above 8191, the highest that Linux gives"), "{error}");
}
