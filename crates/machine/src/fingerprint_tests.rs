use numawise_facts::Cpu;
use numawise_units::{Bytes, NodeSet};

use super::*;
use crate::fixture::Fixture;
use crate::quick;

/// Two sockets, with what the fixture for placements leaves out.
fn two_sockets() -> Fixture {
    let fixture = Fixture::named("two-socket");
    fixture.write(CPUINFO, "processor\t: 0\nmodel name\t: Imaginary Processor 9000\nprocessor\t: 1\n");
    fixture.write(RELEASE, "6.1.0-test\n");
    for (name, value) in [("bios_vendor", "Example"), ("bios_version", "1.2"), ("bios_date", "03/04/2025")] {
        fixture.write(&format!("{DMI}/{name}"), &format!("{value}\n"));
    }
    for (index, level, size) in [(0, 1, "32K"), (1, 2, "2048K")] {
        let file = |name: &str| format!("{CPUS}/cpu0/cache/index{index}/{name}");
        fixture.write(&file("level"), &format!("{level}\n"));
        fixture.write(&file("type"), "Unified\n");
        fixture.write(&file("size"), size);
        fixture.write(&file("shared_cpu_list"), "0,4\n");
    }
    fixture
}

fn hash(fixture: &Fixture, machine: &Machine) -> String {
    fingerprint(&fixture.roots(), machine).topology.measured().expect("a topology").clone()
}

#[test]
fn the_hash_is_fnv_1a() {
    // From the authors' test vectors.
    assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
}

#[test]
fn a_machine_is_told_by_topology_processor_kernel_and_firmware() {
    let fixture = two_sockets();
    let machine = quick(&fixture.roots()).unwrap();
    let told = fingerprint(&fixture.roots(), &machine);
    assert_eq!(told.processor, Reading::Measured("Imaginary Processor 9000".to_owned()));
    assert_eq!(told.kernel, Reading::Measured("6.1.0-test".to_owned()));
    assert_eq!(told.firmware, Reading::Measured("Example 1.2 03/04/2025".to_owned()));
    // A change of this number would orphan everybody's profiles.
    assert_eq!(
        topology(&fixture.roots(), &machine, "P"),
        "processor P\nnode 0 cpus 0-1,4-5 with memory\nnode 1 cpus 2-3,6-7 with memory\npackage 0-1,4-5\npackage 2-3,6-7\n\
         core 0,4\ncore 1,5\ncore 2,6\ncore 3,7\ncache of 0: L1 Unified 32K shared by 0,4\ncache of 0: L2 Unified 2048K \
         shared by 0,4\n"
    );
    assert_eq!(hash(&fixture, &machine), "0661e6328979bdb8");
}

#[test]
fn what_may_be_used_is_free_or_known_of_memory_changes_nothing() {
    let fixture = two_sockets();
    let machine = quick(&fixture.roots()).unwrap();
    let before = hash(&fixture, &machine);
    let mut other = machine.clone();
    other.allowed_cpus = "2".parse().unwrap();
    other.allowed_nodes = NodeSet::new();
    other.cpus.reverse();
    other.nodes.reverse();
    other.packages.reverse();
    // Cores are numbered by whoever reads them.
    other.cpus.iter_mut().for_each(|cpu: &mut Cpu| cpu.core = 100 - cpu.core);
    for node in &mut other.nodes {
        node.free = Reading::unavailable("not asked");
        node.kind = numawise_facts::MemoryKind::Hbm;
        node.distances = Reading::unavailable("not asked");
        // As under a hypervisor that gives memory while it is needed.
        node.memory = Reading::Measured(Bytes::mib(100));
    }
    assert_eq!(hash(&fixture, &other), before);
    fixture.write(RELEASE, "6.2.0\n");
    fixture.remove(&format!("{DMI}/bios_version"));
    assert_eq!(hash(&fixture, &machine), before, "kernel and firmware are states of the same machine");
    let told = fingerprint(&fixture.roots(), &machine);
    assert_eq!(told.firmware, Reading::Measured("Example 03/04/2025".to_owned()));
}

#[test]
fn what_changes_the_figures_changes_the_hash() {
    let fixture = two_sockets();
    let machine = quick(&fixture.roots()).unwrap();
    let mut seen = BTreeSet::from([hash(&fixture, &machine)]);
    let mut differs = |what: &str, change: &dyn Fn(&mut Machine)| {
        let mut other = machine.clone();
        change(&mut other);
        assert!(seen.insert(hash(&fixture, &other)), "{what}");
    };
    differs("a CPU that went offline", &|m| {
        m.cpus.pop();
        m.nodes[1].cpus.remove(CpuId(7));
    });
    differs("a core split", &|m| m.cpus[4].core = 99);
    differs("no memory", &|m| m.nodes[0].memory = Reading::Measured(Bytes(0)));
    differs("a node gone", &|m| drop(m.nodes.pop()));
    differs("a package gone", &|m| drop(m.packages.pop()));
    let other = two_sockets();
    other.write(CPUINFO, "model name : Another\n");
    assert!(seen.insert(hash(&other, &machine)), "another processor");
    let other = two_sockets();
    other.write(&format!("{CPUS}/cpu0/cache/index1/size"), "1024K\n");
    assert!(seen.insert(hash(&other, &machine)), "another cache");
}

#[test]
fn processors_name_themselves_in_many_ways() {
    let fixture = two_sockets();
    for (text, name) in [
        ("model name\t: AMD EPYC 7\n", "AMD EPYC 7"),
        (
            "processor : 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor : 1\nCPU implementer\t: 0x41\nCPU \
             part\t: 0xd05\n",
            "Arm implementer 0x41 part 0xd05 + Arm implementer 0x41 part 0xd0c",
        ),
        ("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported"),
        ("system type : generic\nModel Name\t: Loongson-3A5000\n", "Loongson-3A5000"),
    ] {
        fixture.write(CPUINFO, text);
        assert_eq!(processor(&fixture.roots()), Reading::Measured(name.to_owned()));
    }
}

#[test]
fn what_is_absent_says_why() {
    let fixture = Fixture::named("two-socket");
    let machine = quick(&fixture.roots()).unwrap();
    let told = fingerprint(&fixture.roots(), &machine);
    assert!(told.topology.measured().is_some());
    for (reading, words) in [
        (&told.processor, "/proc/cpuinfo cannot be read"),
        (&told.kernel, "osrelease cannot be read"),
        (&told.firmware, "has no /sys/class/dmi/id"),
    ] {
        let reason = reading.reason().expect("nothing to read").to_string();
        assert!(reason.contains(words), "{reason}");
    }
    for text in ["", "processor : 0\nmodel name :\n", "no colon at all\n", "\u{0}\u{1}\n"] {
        fixture.write(CPUINFO, text);
        let reason = processor(&fixture.roots()).reason().expect("no name").to_string();
        assert_eq!(reason, "/proc/cpuinfo names no processor", "{text:?}");
    }
    fixture.write(&format!("{DMI}/bios_vendor"), "\n");
    let told = fingerprint(&fixture.roots(), &machine);
    assert!(told.firmware.reason().unwrap().to_string().contains("empty"), "{told:?}");
}

#[test]
fn a_described_machine_is_no_machine_to_measure() {
    let fixture = two_sockets();
    let machine = Machine { source: Source::Xml("a.xml".to_owned()), ..quick(&fixture.roots()).unwrap() };
    let told = fingerprint(&fixture.roots(), &machine);
    for reading in [told.topology, told.processor, told.kernel, told.firmware] {
        assert!(reading.reason().unwrap().to_string().contains("from a description"));
    }
}

#[test]
fn both_readers_tell_this_machine_the_same() {
    let roots = Roots::live();
    let full = crate::live().unwrap();
    let fast = quick(&roots).unwrap();
    assert_eq!(fingerprint(&roots, &full), fingerprint(&roots, &fast));
}
