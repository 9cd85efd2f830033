use super::*;
use crate::fixture::Tree;

/// As Skylake, Cascade Lake and Ice Lake have it.
fn one_kind_of_core() -> Tree {
    let tree = Tree::new();
    let write =
        |file: &str, text: &str| tree.write(&format!("sys/bus/event_source/devices/cpu/{file}"), text);
    write("type", "4\n");
    write("events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
    write("format/event", "config:0-7\n");
    write("format/umask", "config:8-15\n");
    write("format/ldlat", "config1:0-15\n");
    write("caps/max_precise", "3\n");
    tree
}

#[test]
fn loads_of_one_kind_of_core_are_one_event() {
    let tree = one_kind_of_core();
    let event = LoadEvent {
        kind: 4,
        config: [0x1cd, 30, 0],
        leader: None,
        period: LOADS,
        precise: 2,
        can_leave_kernel_out: true,
        cpus: None,
        counts: LoadEventCounts::Loads(Some(Cycles(30))),
    };
    assert_eq!(load_events(&Roots::at(tree.path())), Ok(vec![event]));
}

#[test]
fn cores_of_two_kinds_have_their_own_and_some_need_a_leader() {
    let tree = Tree::new();
    for (name, kind, cpus) in [("cpu_core", "4", "0-15"), ("cpu_atom", "10", "16-23")] {
        let write =
            |file: &str, text: &str| tree.write(&format!("sys/bus/event_source/devices/{name}/{file}"), text);
        write("type", kind);
        write("cpus", cpus);
        write("format/event", "config:0-7");
        write("format/umask", "config:8-15");
        write("format/ldlat", "config1:0-15");
    }
    let write = |file: &str, text: &str| tree.write(&format!("sys/bus/event_source/devices/{file}"), text);
    write("cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
    write("cpu_core/events/mem-loads-aux", "event=0x03,umask=0x82");
    write("cpu_atom/events/mem-loads", "event=0xd0,umask=0x5,ldlat=3");
    let found = load_events(&Roots::at(tree.path())).unwrap();
    let words: Vec<_> = found.iter().map(|event| (event.kind, event.config, event.leader)).collect();
    assert_eq!(words, [(10, [0x5d0, 30, 0], None), (4, [0x1cd, 30, 0], Some([0x8203, 0, 0]))]);
    assert_eq!(found[0].cpus, Some("16-23".parse().unwrap()));
}

#[test]
fn ibs_counts_cycles_and_leaves_the_kernel_out_where_it_can() {
    let tree = Tree::new();
    tree.write("sys/bus/event_source/devices/cpu/type", "4\n");
    tree.write("sys/bus/event_source/devices/ibs_op/type", "11\n");
    let event = |config, can_leave_kernel_out| LoadEvent {
        kind: 11,
        config,
        leader: None,
        period: CYCLES,
        precise: 0,
        can_leave_kernel_out,
        cpus: None,
        counts: LoadEventCounts::Cycles,
    };
    assert_eq!(load_events(&Roots::at(tree.path())), Ok(vec![event([0; 3], false)]));
    tree.write("sys/bus/event_source/devices/ibs_op/format/swfilt", "config2:0\n");
    assert_eq!(load_events(&Roots::at(tree.path())), Ok(vec![event([0, 0, 1], true)]));
    assert_eq!(CYCLES % 16, 0);
}

#[test]
fn where_there_is_none_the_reason_is_told() {
    let tree = Tree::new();
    assert_eq!(load_events(&Roots::at(tree.path())), Err(LoadEventError::NotThere));
    tree.write("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor\n");
    assert_eq!(load_events(&Roots::at(tree.path())), Err(LoadEventError::NotInGuest));
}

#[test]
fn spe_keeps_loads_that_took_long_on_each_kind_of_core_that_has_it() {
    let tree = Tree::new();
    tree.write("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
    tree.write("sys/bus/event_source/devices/armv8_pmuv3_0/type", "8");
    tree.write("sys/bus/event_source/devices/armv8_pmuv3_0/cpus", "0-3");
    for (name, kind, cpus) in [("arm_spe_1", "11", "2-3"), ("arm_spe_0", "9", "0-1")] {
        let write =
            |file: &str, text: &str| tree.write(&format!("sys/bus/event_source/devices/{name}/{file}"), text);
        write("type", kind);
        write("cpumask", cpus);
        write("format/ts_enable", "config:0\n");
        write("format/jitter", "config:16\n");
        write("format/load_filter", "config:33\n");
        write("format/min_latency", "config2:0-11\n");
        write("caps/min_interval", "1024\n");
    }
    let event = |kind, cpus: &str| LoadEvent {
        kind,
        config: [1 << 33 | 1 << 16 | 1, 0, 30],
        leader: None,
        period: OPERATIONS,
        precise: 0,
        can_leave_kernel_out: true,
        cpus: Some(cpus.parse().unwrap()),
        counts: LoadEventCounts::Operations { least: Some(Cycles(30)), has_known_sources: true },
    };
    assert_eq!(load_events(&Roots::at(tree.path())), Ok(vec![event(9, "0-1"), event(11, "2-3")]));
    // A processor that cannot sort them by their time, with longer intervals.
    std::fs::remove_file(tree.path().join("sys/bus/event_source/devices/arm_spe_0/format/min_latency"))
        .unwrap();
    tree.write("sys/bus/event_source/devices/arm_spe_0/caps/min_interval", "200000");
    let found = load_events(&Roots::at(tree.path())).unwrap();
    assert_eq!((found[0].config[2], found[0].period), (0, 200_000));
    assert_eq!(found[0].counts, LoadEventCounts::Operations { least: None, has_known_sources: true });
}

#[test]
fn an_event_that_is_described_in_another_way_is_refused() {
    for (events, file, format) in [
        ("event=0xcd,umask=0x1,other=3", "format/umask", "config:8-15"),
        ("event=0xcd,umask=no", "format/umask", "config:8-15"),
        ("event=0xcd,../format/umask=1", "format/umask", "config:8-15"),
        ("event=0xcd,umask=0x100", "format/umask", "config:8-15"),
        ("event=0xcd,umask=0x1", "format/umask", "config3:8-15"),
        ("event=0xcd,umask=0x1", "format/umask", "config:15-8"),
        ("event=0xcd,umask=0x1", "format/umask", "config:8-64"),
        ("", "format/umask", "config:8-15"),
    ] {
        let tree = one_kind_of_core();
        tree.write("sys/bus/event_source/devices/cpu/events/mem-loads", events);
        tree.write(&format!("sys/bus/event_source/devices/cpu/{file}"), format);
        let found = load_events(&Roots::at(tree.path()));
        assert!(matches!(found, Err(LoadEventError::Malformed(_))), "{events} {format}: {found:?}");
    }
}
