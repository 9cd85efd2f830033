use super::{Files, arguments};

use std::path::Path;

fn line(machine: &str, timed: bool) -> String {
    let at = Path::new;
    let files = Files {
        kernel: at("vmlinuz"),
        initramfs: at("root.cpio"),
        console: at("console"),
        results: at("results"),
        plugin: timed.then_some((at("a,b.so"), at("timing"))),
    };
    arguments(&crate::test_machine(machine), &files).join(" ")
}

fn has(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "`{part}` is not in\n{line}");
    }
}

#[test]
fn nodes_memory_and_distances_are_those_of_the_machine() {
    let line = line("two-socket", false);
    has(&line, &["-smp 4,sockets=2,cores=2", "-m 1536M", "-object memory-backend-ram,id=m1,size=768M"]);
    has(&line, &["-numa node,nodeid=1,cpus=2,cpus=3,memdev=m1", "-numa dist,src=0,dst=1,val=21", "hmat=off"]);
    assert!(
        !line.contains("-plugin") && !line.contains("initiator") && !line.contains("numa_balancing"),
        "{line}"
    );
}

#[test]
fn hmat_and_initiators_are_given() {
    let line = line("hbm", false);
    has(
        &line,
        &[
            "hmat=on",
            "-numa node,nodeid=2,memdev=m2,initiator=0",
            "nodeid=1,cpus=2,cpus=3,memdev=m1,initiator=1",
        ],
    );
    has(&line, &["hmat-lb,initiator=1,target=3,hierarchy=memory,data-type=access-latency,latency=120"]);
    has(
        &line,
        &["hmat-lb,initiator=0,target=2,hierarchy=memory,data-type=access-bandwidth,bandwidth=409600M"],
    );
}

#[test]
fn a_node_without_memory_has_no_backend() {
    let line = line("holes", false);
    has(&line, &["-numa node,nodeid=1,cpus=2,cpus=3 ", "-numa node,nodeid=2,memdev=m2"]);
    assert!(!line.contains("id=m1"), "{line}");
}

#[test]
fn the_plugin_is_loaded_for_timing_and_a_comma_in_its_path_survives() {
    let line = line("two-socket", true);
    has(&line, &["-plugin a,,b.so,machine=timing", "numa_balancing=disable"]);
}

/// A busy host's guests would find it wrong.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_rate_of_the_clock_is_told() {
    let line = line("two-socket", false);
    let rate = line.split("tsc_early_khz=").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    assert!(rate.is_some_and(|khz: u64| khz > 100_000), "{line}");
}
