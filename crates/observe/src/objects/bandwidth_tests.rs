use tempfile::TempDir;

use super::*;

const MS: u64 = 1_000_000;

/// A computer with two sockets, of which each has two last-level caches.
struct Computer(TempDir);

impl Computer {
    fn new() -> Computer {
        let computer = Computer(tempfile::tempdir().unwrap());
        for (cpu, cache) in [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3)] {
            computer
                .write(&format!("sys/devices/system/cpu/cpu{cpu}/cache/index3/id"), &format!("{cache}\n"));
        }
        computer
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// What the monitor shows of each cache: all bytes, and local ones.
    fn shows(&self, caches: &[(u64, u64)]) {
        for (cache, (total, local)) in caches.iter().enumerate() {
            for (file, bytes) in [("mbm_total_bytes", total), ("mbm_local_bytes", local)] {
                self.write(&format!("sys/fs/resctrl/mon_data/mon_L3_0{cache}/{file}"), &format!("{bytes}\n"));
            }
        }
    }

    fn begin(&self, nodes: &[&str]) -> Result<BandwidthWatch, BandwidthError> {
        let nodes: Vec<(NodeId, CpuSet)> =
            (0..).zip(nodes).map(|(node, cpus)| (NodeId(node), cpus.parse().unwrap())).collect();
        BandwidthWatch::begin(Roots::at(self.0.path()), || nodes.clone(), Nanoseconds(7 * MS))
    }
}

const SOCKETS: [&str; 2] = ["0-3", "4-7"];

fn of_node(moment: &BandwidthMoment, node: u32) -> (f64, f64) {
    let of = |all: &[(NodeId, BytesPerSecond)]| all.iter().find(|(of, _)| *of == NodeId(node)).unwrap().1.0;
    (of(&moment.by_node), of(&moment.remote))
}

#[test]
fn caches_of_a_node_are_added_and_remote_is_what_is_not_local() {
    let computer = Computer::new();
    computer.shows(&[(1000, 900), (0, 0), (500, 500), (0, 0)]);
    let mut watch = computer.begin(&SOCKETS).unwrap();
    computer.shows(&[(1000 + 40_000, 900 + 30_000), (20_000, 20_000), (500 + 10_000, 500), (0, 0)]);
    watch.look(Nanoseconds((7 + 99) * MS));
    assert!(watch.so_far().reason().unwrap().0.contains("read twice"), "it is not due");
    watch.look(Nanoseconds((7 + 200) * MS));
    let Reading::Measured(found) = watch.finish(Nanoseconds((7 + 300) * MS)) else { panic!("nothing") };
    let at: Vec<u64> = found.moments.iter().map(|moment| moment.at.0 / MS).collect();
    assert_eq!(at, [200, 300]);
    assert_eq!(of_node(&found.moments[0], 0), (300_000.0, 50_000.0));
    assert_eq!(of_node(&found.moments[0], 1), (50_000.0, 50_000.0));
    assert_eq!(of_node(&found.moments[1], 0), (0.0, 0.0), "nothing passed since: that is measured");
}

#[test]
fn what_the_monitor_cannot_say_has_its_reason() {
    let computer = Computer::new();
    let none = computer.begin(&SOCKETS).unwrap_err();
    assert!(matches!(none, BandwidthError::Monitor(_)), "{none}");
    computer.shows(&[(10, 10), (10, 10), (10, 10), (10, 10)]);
    let shared = computer.begin(&["0", "1-7"]).unwrap_err();
    assert_eq!(shared, BandwidthError::SharedCache { cache: 0, first: NodeId(0), second: NodeId(1) });
    // CPUs of a cache that are in no node of ours, as in a container.
    assert_eq!(computer.begin(&["0-3"]).unwrap_err(), BandwidthError::CacheUnknown { cache: 2 });
    let later = |change: &dyn Fn()| {
        computer.shows(&[(10, 10), (10, 10), (10, 10), (10, 10)]);
        let mut watch = computer.begin(&SOCKETS).unwrap();
        watch.look(Nanoseconds(150 * MS));
        change();
        watch.look(Nanoseconds(300 * MS));
        watch.look(Nanoseconds(450 * MS));
        watch.finish(Nanoseconds(500 * MS)).reason().unwrap().0.clone()
    };
    let anew = later(&|| computer.shows(&[(5, 5), (10, 10), (10, 10), (10, 10)]));
    assert!(anew.contains("begun anew"), "{anew}");
    let malformed =
        later(&|| computer.write("sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes", "Unavailable\n"));
    assert!(malformed.contains("'Unavailable'"), "{malformed}");
    let gone = later(&|| std::fs::remove_dir_all(computer.0.path().join("sys/fs/resctrl")).unwrap());
    assert!(gone.contains("resctrl"), "{gone}");
}

/// Where there is no monitor the counters of the memory controllers are taken, and where these cannot be used both reasons stand there.
#[test]
fn counters_of_memory_controllers_are_the_second_choice() {
    let computer = Computer::new();
    let write = |file: &str, text: &str| {
        computer.write(&format!("sys/bus/event_source/devices/uncore_imc_0/{file}"), text);
    };
    // The kernel's clock of a CPU, in the place of a controller.
    for (file, text) in [
        ("type", "1"),
        ("cpumask", "0"),
        ("format/event", "config:0-7"),
        ("events/cas_count_read", "event=0"),
        ("events/cas_count_read.scale", "64"),
        ("events/cas_count_read.unit", "Bytes"),
    ] {
        write(file, text);
    }
    let both = computer.begin(&SOCKETS).unwrap_err().to_string();
    assert!(
        both.starts_with("counters of memory controllers (uncore_imc_0) are counted by package"),
        "{both}"
    );
    assert!(both.contains("; and the processor or the kernel has no monitor"), "{both}");
    match computer.begin(&["0-7"]) {
        Ok(mut watch) => {
            watch.look(Nanoseconds((7 + 100) * MS));
            let Reading::Measured(found) = watch.so_far() else { panic!("nothing") };
            assert_eq!(found.source, BandwidthSource::MemoryControllers);
            assert_eq!((found.moments[0].by_node.len(), found.moments[0].remote.len()), (1, 0));
            assert!(found.moments[0].by_node[0].1.0 > 0.0);
        }
        Err(error) => assert!(error.to_string().contains("may not be opened by this user"), "{error}"),
    }
    computer.shows(&[(10, 10), (10, 10), (10, 10), (10, 10)]);
    let monitored = computer.begin(&SOCKETS).unwrap();
    assert_eq!(monitored.meter.source(), BandwidthSource::Resctrl, "the monitor knows what is remote");
}

#[test]
fn a_long_run_keeps_so_many_moments_and_the_same_bytes() {
    let computer = Computer::new();
    computer.shows(&[(0, 0), (0, 0), (0, 0), (0, 0)]);
    let mut watch = computer.begin(&SOCKETS).unwrap();
    let mut total = 0;
    for step in 1..=3000u64 {
        total += step * 1000;
        // The others stay as they are.
        computer.shows(&[(total, total)]);
        watch.look(Nanoseconds((7 + 100 * step) * MS));
    }
    let Reading::Measured(found) = watch.finish(Nanoseconds((7 + 300_000) * MS)) else { panic!("nothing") };
    assert!((MOST_MOMENTS / 4..MOST_MOMENTS).contains(&found.moments.len()), "{}", found.moments.len());
    let mut begin = 0.0;
    let bytes: f64 = found
        .moments
        .iter()
        .map(|moment| {
            let length = moment.at.seconds() - begin;
            begin = moment.at.seconds();
            of_node(moment, 0).0 * length
        })
        .sum();
    assert!((bytes / total as f64 - 1.0).abs() < 1e-9, "{bytes} {total}");
}
