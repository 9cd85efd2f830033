use numawise_units::{CpuSet, NodeId, NodeSet};

use super::*;

fn allowed() -> NodeSet {
    "0,2-3,8".parse().unwrap()
}

fn parsed(text: &str) -> Result<String, String> {
    parse::<NodeId>("--membind", text, &allowed())
        .map(|set| set.to_string())
        .map_err(|error| error.to_string())
}

#[test]
fn the_forms_of_numactl() {
    for (text, expected) in [
        ("0", "0"),
        ("0,2", "0,2"),
        ("2-3", "2-3"),
        ("0-3", "0,2-3"),
        ("0,2-3", "0,2-3"),
        ("all", "0,2-3,8"),
        ("!0", "2-3,8"),
        ("!2-3", "0,8"),
        ("+0", "0"),
        ("+1", "2"),
        ("+0-1", "0,2"),
        ("+1,+3", "2,8"),
        ("+0,3", "0,8"),
        ("!+0-2", "8"),
        ("!+0", "2-3,8"),
    ] {
        assert_eq!(parsed(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn a_number_that_is_not_allowed_stays_for_the_placement_to_refuse() {
    assert_eq!(parsed("1").unwrap(), "1");
    assert_eq!(parsed("0-5").unwrap(), "0,2-3,5");
}

#[test]
fn broken_lists_say_what_is_wrong() {
    for (text, part) in [
        ("", "a number is missing"),
        ("0,", "a number is missing"),
        ("x", "'x' is neither a number nor a range"),
        ("0-", "'0-' is neither a number nor a range"),
        ("3-1", "'3-1' runs backwards"),
        ("0-8:2", "numactl knows no steps"),
        ("!", "a number is missing"),
        ("+", "a number is missing"),
        ("0 - x", "neither a number"),
        ("+9", "there is no node +9, only 4 are allowed (0,2-3,8)"),
        ("!0-8", "leaves no node; allowed are 0,2-3,8"),
        ("!all", "'all' is neither a number"),
        ("99999999999", "neither a number nor a range"),
        ("netdev:eth0", "give the number of the node"),
        ("file:/dev/sda", "give the number of the node"),
        ("pci:00:02.0", "give the number of the node"),
    ] {
        let error = parsed(text).unwrap_err();
        assert!(error.contains(part) && error.starts_with("--membind"), "{text}: {error}");
    }
}

#[test]
fn all_of_nothing_is_nothing() {
    let error = parse::<numawise_units::CpuId>("--physcpubind", "all", &CpuSet::new()).unwrap_err();
    assert!(error.to_string().contains("leaves no CPU"), "{error}");
}
