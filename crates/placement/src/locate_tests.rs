use super::*;
use crate::testing::{cpus, dram, machine, memory_only, two_sockets, with_hbm};
use numawise_facts::{Cache, MemoryKind};
use numawise_units::Bytes;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

fn at(machine: &Machine, text: &str) -> String {
    locate(machine, text).unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
}

fn error(machine: &Machine, text: &str) -> String {
    locate(machine, text).unwrap_err().to_string()
}

/// Two packages of two cores with two hardware threads, one L3 for each package and one L2 for each core.
fn with_caches() -> Machine {
    let mut machine = two_sockets();
    let cache = |level, list: &str| Cache { level, size: Bytes::mib(1), cpus: cpus(list) };
    machine.caches = vec![
        cache(3, "0-1,4-5"),
        cache(3, "2-3,6-7"),
        cache(2, "0,4"),
        cache(2, "1,5"),
        cache(2, "2,6"),
        cache(2, "3,7"),
    ];
    machine
}

#[test]
fn plain_lists_are_numbers_of_cpus() {
    let machine = two_sockets();
    for (text, list) in
        [("0-3,8", "0-3,8"), ("0-14:2", "0,2,4,6,8,10,12,14"), (" 1 , 3\n", "1,3"), ("7", "7")]
    {
        assert_eq!(at(&machine, text), list);
    }
}

#[test]
fn paths_count_inside_what_stands_before() {
    let machine = with_caches();
    for (text, list) in [
        ("core:0", "0,4"),
        ("core:2", "2,6"),
        ("package:1.core:1.pu:1", "7"),
        ("node:1.core:0-1", "2-3,6-7"),
        ("node:all.core:0", "0,2,4,6"),
        ("pu:1", "4"),
        ("machine:0.pu:1", "4"),
        ("l3:1.core:0", "2,6"),
        ("l2:3", "3,7"),
        ("package:0.l2:1", "1,5"),
        ("package:0.package:0", "0-1,4-5"),
        ("all", "0-7"),
        ("root", "0-7"),
        ("machine:0", "0-7"),
    ] {
        assert_eq!(at(&machine, text), list, "{text}");
    }
}

#[test]
fn levels_have_the_names_people_know() {
    let machine = with_caches();
    for names in [
        &["package", "pack", "socket", "Socket"][..],
        &["node", "numa", "numanode", "NUMANode"],
        &["pu", "thread", "PU"],
        &["l2", "L2", "l2cache", "l2d"],
    ] {
        let all: Vec<String> = names.iter().map(|name| at(&machine, &format!("{name}:1"))).collect();
        assert!(all.iter().all(|cpus| *cpus == all[0]), "{names:?}: {all:?}");
    }
}

#[test]
fn indexes_of_every_kind() {
    let machine = two_sockets();
    for (text, list) in [
        ("core:0-1", "0-1,4-5"),
        ("core:2-", "2-3,6-7"),
        ("core:odd", "1,3,5,7"),
        ("core:even", "0,2,4,6"),
        ("core:3:2", "0,3-4,7"),
        ("core:1:100", "0-7"),
        ("core:0,2-3", "0,2-4,6-7"),
        ("core:0,odd", "0-1,3-5,7"),
        ("package:all.core:1.pu:1", "5,7"),
    ] {
        assert_eq!(at(&machine, text), list, "{text}");
    }
}

#[test]
fn several_locations_are_added_and_taken_out_from_left_to_right() {
    let machine = two_sockets();
    for (text, list) in [
        ("core:0 core:3", "0,3-4,7"),
        ("core:0+core:3", "0,3-4,7"),
        ("all ~core:0", "1-3,5-7"),
        ("node:1 ~pu:7", "2-3,6"),
        ("0-3 ~1", "0,2-3"),
        ("all ~core:0 0", "0-3,5-7"),
        ("core:0 + 7", "0,4,7"),
    ] {
        assert_eq!(at(&machine, text), list, "{text}");
    }
    for text in ["~core:0", "core:0 ~all"] {
        assert_eq!(
            error(&machine, text),
            format!(
                "'{text}' leaves no CPU: all that is named is taken out again; expected e.g. 'all ~core:0'"
            )
        );
    }
}

#[test]
fn what_is_in_both_or_in_one_only_is_meant_too() {
    let machine = two_sockets();
    for (text, list) in [
        ("all xcore:0", "0,4"),
        ("node:1 xpu:odd", "6-7"),
        ("core:0-1 ^core:1 ^core:2", "0,2,4,6"),
        ("all ^0", "1-7"),
        ("^core:0", "0,4"),
    ] {
        assert_eq!(at(&machine, text), list, "{text}");
    }
    assert!(error(&machine, "all x").contains("nothing stands after 'x'"));
    assert!(error(&machine, "xcore:0").contains("leaves no CPU"));
}

#[test]
fn masks_are_as_hwloc_and_taskset_write_them() {
    let machine = two_sockets();
    for (text, list) in [
        ("0x3", "0-1"),
        ("0xF0", "4-7"),
        ("0x00000001,0x00000003", "0-1,32"),
        ("0x1,3", "0-1,32"),
        ("0x100000001", "0,32"),
        ("0x000000000000000000000000000000000001", "0"),
        ("0xf...f", "0-7"),
        ("0xf...f,0x00000004", "2"),
        ("all ~0x0f", "4-7"),
        ("core:1 0x1", "0-1,5"),
    ] {
        assert_eq!(at(&machine, text), list, "{text}");
    }
    for (text, part) in [
        ("0x", "1 to 8 hexadecimal digits"),
        ("0x1,", "1 to 8 hexadecimal digits"),
        ("0x1,0x123456789", "1 to 8 hexadecimal digits"),
        ("0x1g", "'g' is no hexadecimal digit"),
        ("0x1,0xf...f", "'.' is no hexadecimal digit"),
        ("0x0", "leaves no CPU"),
        (&format!("0x1{}", "0".repeat(20_000)), "more than 65536 bits"),
    ] {
        assert!(error(&machine, text).contains(part), "{text:.30}: {}", error(&machine, text));
    }
    for text in ["os=eth0", "pci=0000:01:02.0", "core:0 os=mlx5_0"] {
        assert!(matches!(locate(&machine, text), Err(LocationError::Device { .. })), "{text}");
    }
}

#[test]
fn objects_come_in_the_order_of_the_tree_not_of_numbers() {
    // Packages with every second CPU: core 1 of the machine is the second one of package 0.
    let interleaved = machine(&[dram(0, 0, &[&[0], &[2], &[4]]), dram(1, 1, &[&[1], &[3], &[5]])]);
    assert_eq!(at(&interleaved, "core:1"), "2");
    assert_eq!(at(&interleaved, "pu:3"), "1");
    assert_eq!(at(&interleaved, "node:1.core:2"), "5");
    // Node 1 has the lower CPUs: it is the first.
    let swapped = machine(&[dram(0, 1, &[&[4], &[5]]), dram(1, 0, &[&[0], &[1]])]);
    assert_eq!(at(&swapped, "node:0"), "0-1");
}

#[test]
fn a_node_without_cpus_is_where_the_cpus_near_it_are() {
    let machine = with_hbm();
    // In the tree DRAM and HBM of a package stand side by side: nodes 0, 2, 1, 3 by number.
    let all: Vec<String> = (0..4).map(|k| at(&machine, &format!("node:{k}"))).collect();
    assert_eq!(all, ["0-1", "0-1", "2-3", "2-3"]);
    let nested = crate::testing::machine(&[
        memory_only(0, 0, MemoryKind::Cxl),
        dram(1, 0, &[&[0], &[1]]),
        dram(2, 0, &[&[2], &[3]]),
    ]);
    let all: Vec<String> = (0..3).map(|k| at(&nested, &format!("node:{k}"))).collect();
    assert_eq!(all, ["0-1", "2-3", "0-3"], "what is attached to the package comes after what is in it");
    let mut single_core = crate::testing::machine(&[dram(0, 0, &[&[0]]), memory_only(1, 0, MemoryKind::Cxl)]);
    single_core.nodes[1].near = CpuSet::new();
    assert_eq!(error(&single_core, "node:1"), "'node:1': node:1 has no CPUs");
}

#[test]
fn cpus_that_we_may_not_use_count_all_the_same() {
    let mut machine = two_sockets();
    machine.allowed_cpus = cpus("2-3");
    assert_eq!(at(&machine, "core:0"), "0,4");
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    let machine = with_caches();
    for (text, expected) in [
        ("core:4", "'core:4': there is no core 4 in the machine (CPUs 0-7), which has 4, numbers 0 to 3"),
        (
            "node:1.core:1-9",
            "'node:1.core:1-9': there is no core 2 in node:1 (CPUs 2-3,6-7), which has 2, numbers 0 to 1",
        ),
        (
            "package:2",
            "'package:2': there is no package 2 in the machine (CPUs 0-7), which has 2, numbers 0 to 1",
        ),
        (
            "core:1.package:0",
            "'core:1.package:0': there is no package 0 in core:1 (CPUs 1,5), which has none of that level",
        ),
        (
            "machine:odd",
            "'machine:odd': there is no machine with an odd number in the machine (CPUs 0-7), which has one, number 0",
        ),
        ("core:7-", "'core:7-': there is no core 7 in the machine (CPUs 0-7), which has 4, numbers 0 to 3"),
        ("core:4:1", "'core:4:1': there is no core 4 in the machine (CPUs 0-7), which has 4, numbers 0 to 3"),
    ] {
        assert_eq!(error(&machine, text), expected);
    }
    let text = error(&two_sockets(), "l3:0");
    assert!(text.contains("none of that level (nothing is known of the machine's caches)"), "{text}");
}

#[test]
fn what_is_no_location_says_why() {
    let machine = two_sockets();
    for (text, part) in [
        ("", "the location is empty"),
        ("  ", "the location is empty"),
        ("die:0", "'die' is not a level of the machine; expected machine, package"),
        ("l9:0", "'l9' is not a level"),
        ("l:0", "'l' is not a level"),
        ("core", "in 'core' the objects are missing"),
        ("core:", "a number is missing"),
        ("core:x", "'x' is not a number, all, odd or even"),
        ("core:-1", "a number is missing"),
        ("core:1-0", "the range '1-0' runs backwards"),
        ("core:0:0", "asks for 0 objects"),
        ("core:0-3:2", "'0-3' is not a number"),
        ("core:0..pu:0", "in '' the objects are missing"),
        ("core:0.", "in '' the objects are missing"),
        ("core:99999999999999999999", "is above 65535"),
        ("core:0 ~", "nothing stands after '~'"),
        ("~~core:0", "'~core' is not a level"),
        ("0y3", "'0y3' is not a list of CPUs"),
        ("3-1 core:0", "runs backwards"),
        ("!core:0", "'!core' is not a level"),
        ("core:0 ^", "nothing stands after '^'"),
        (".:0", "in '' the objects are missing"),
    ] {
        let found = error(&machine, text);
        assert!(found.contains(part), "{text}: {found}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_it(text in "[a-z0-9:.,~^+ -]{0,24}") {
        if let Ok(found) = locate(&with_caches(), &text) {
            prop_assert!(!found.is_empty());
        }
    }

    #[test]
    fn cores_of_all_nodes_are_all_cores(first in 0usize..4, last in 0usize..4) {
        let machine = two_sockets();
        let (first, last) = (first.min(last), first.max(last));
        let range = at(&machine, &format!("core:{first}-{last}"));
        let one_by_one: Vec<String> = (first..=last).map(|k| format!("package:{}.core:{}", k / 2, k % 2)).collect();
        prop_assert_eq!(range, at(&machine, &one_by_one.join(" ")));
    }
}
