use crate::fixture::Tree;

use super::*;

#[test]
fn cores_of_one_kind_have_one_source() {
    let tree = Tree::new();
    tree.write("sys/bus/event_source/devices/cpu/type", "4\n");
    tree.write("sys/bus/event_source/devices/software/type", "1\n");
    tree.write("sys/bus/event_source/devices/uncore_imc_0/type", "12\n");
    tree.write("sys/bus/event_source/devices/uncore_imc_0/cpumask", "0\n");
    assert_eq!(of_cores(&Roots::at(tree.path())), [CoreCounters { name: "cpu".to_owned(), kind: 4 }]);
}

#[test]
fn cores_of_two_kinds_have_two() {
    let tree = Tree::new();
    for (name, kind, cpus) in [("cpu_core", "4", "0-15"), ("cpu_atom", "10", "16-23")] {
        tree.write(&format!("sys/bus/event_source/devices/{name}/type"), kind);
        tree.write(&format!("sys/bus/event_source/devices/{name}/cpus"), cpus);
    }
    let found: Vec<_> =
        of_cores(&Roots::at(tree.path())).into_iter().map(|one| (one.name, one.kind)).collect();
    assert_eq!(found, [("cpu_atom".to_owned(), 10), ("cpu_core".to_owned(), 4)]);
}

#[test]
fn a_guest_without_counters_has_none() {
    let tree = Tree::new();
    tree.write("sys/bus/event_source/devices/software/type", "1\n");
    assert_eq!(of_cores(&Roots::at(tree.path())), []);
    assert_eq!(paranoid(&Roots::at(tree.path())), None);
    tree.write("proc/sys/kernel/perf_event_paranoid", "-1\n");
    assert_eq!(paranoid(&Roots::at(tree.path())), Some(-1));
}

#[test]
fn the_processor_is_told_by_its_numbers() {
    let tree = Tree::new();
    tree.write(
        "proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Xeon\nflags\t\t: fpu hypervisor\n",
    );
    let intel = ProcessorName { vendor: "GenuineIntel".to_owned(), family: 6, model: 85, is_guest: true };
    assert_eq!(processor(&Roots::at(tree.path())), intel);
    let arm = Tree::new();
    arm.write("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
    let name = ProcessorName { vendor: "0x41".to_owned(), family: 0, model: 0xd4f, is_guest: false };
    assert_eq!(processor(&Roots::at(arm.path())), name);
    assert_eq!(processor(&Roots::at(Tree::new().path())), ProcessorName::default());
}

#[test]
fn traffic_is_read_by_cache() {
    let tree = Tree::new();
    for (cache, total, local) in [("01", "900", "700"), ("00", "50", "50")] {
        tree.write(&format!("sys/fs/resctrl/mon_data/mon_L3_{cache}/mbm_total_bytes"), total);
        tree.write(&format!("sys/fs/resctrl/mon_data/mon_L3_{cache}/mbm_local_bytes"), local);
    }
    let found = traffic(&Roots::at(tree.path())).unwrap();
    assert_eq!(found[1], MonitoredTraffic { cache: 1, total: Bytes(900), local: Bytes(700) });
    assert_eq!((found.len(), found[0].total), (2, Bytes(50)));
}

#[test]
fn traffic_that_is_no_number_is_said() {
    let tree = Tree::new();
    assert_eq!(traffic(&Roots::at(tree.path())), Err(TrafficError::NotThere));
    tree.write("sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes", "Unavailable\n");
    let said = traffic(&Roots::at(tree.path())).unwrap_err().to_string();
    assert!(said.contains("'Unavailable'"), "{said}");
    tree.write("sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes", "7\n");
    assert_eq!(traffic(&Roots::at(tree.path())), Err(TrafficError::NotThere), "one of both files alone");
}

#[test]
fn why_there_is_no_monitor_is_told_by_the_processor() {
    for (flags, expected, cure) in [
        ("fpu cqm_mbm_total cqm_mbm_local", TrafficError::NotMounted, "mount -t resctrl"),
        ("fpu hypervisor", TrafficError::NotInGuest, "its host"),
        ("fpu", TrafficError::NotThere, "has no monitor"),
    ] {
        let tree = Tree::new();
        tree.write("proc/cpuinfo", &format!("processor\t: 0\nflags\t\t: {flags}\n"));
        let said = traffic(&Roots::at(tree.path())).unwrap_err();
        assert!(said.to_string().contains(cure), "{said}");
        assert_eq!(said, expected);
        // Mounted for something else, without a cache to look at: mounting it again would not help.
        tree.write("sys/fs/resctrl/mon_data/other", "");
        let mounted = traffic(&Roots::at(tree.path())).unwrap_err();
        assert_ne!(mounted, TrafficError::NotMounted);
    }
}
