use numawise_facts::memory::{MemoryKindEvidence, RecognisedMemory};
use numawise_facts::notice::MachineNotice;
use numawise_facts::{
    Attribute, AttributeKind, AttributeOrigin, Cache, Cpu, Device, DeviceKind, DeviceLocality, Estimate,
    Figure, Machine, MemoryAccess, MemoryKind, Node, Package, PciVendor, Reading, Source,
};
use numawise_units::{Bytes, CpuId, CpuSet, Latency, NodeId};

use super::*;
use crate::document::{Style, terminal};

fn shown(machine: &Machine) -> String {
    terminal(&document(machine, None), Style::plain())
}

fn set(list: &str) -> CpuSet {
    list.parse().unwrap()
}

fn node(id: u32, cpus: &str, near: &str, kind: MemoryKind, distances: &[u32]) -> Node {
    Node {
        id: NodeId(id),
        cpus: set(cpus),
        near: set(near),
        memory: Reading::Measured(Bytes(4 << 30)),
        free: Reading::Measured(Bytes(3 << 30)),
        kind,
        kind_evidence: MemoryKindEvidence::Recognised { memory: RecognisedMemory::Hbm },
        distances: Reading::Measured(distances.to_vec()),
    }
}

/// Two nodes with two cores of two hardware threads, high-bandwidth memory beside the second, and a mask.
fn example() -> Machine {
    let cpu = |id: u32| Cpu {
        id: CpuId(id),
        node: Some(NodeId(id % 4 / 2)),
        package: Some(id % 4 / 2),
        core: id % 4,
        smt: id / 4,
        efficiency: Reading::unavailable("all alike"),
    };
    let figure = |kind, target, value| Attribute::declared(kind, set("2-3,6-7"), NodeId(target), value);
    Machine {
        source: Source::Live,
        packages: vec![
            Package { index: 0, cpus: set("0-1,4-5") },
            Package { index: 1, cpus: set("2-3,6-7") },
        ],
        nodes: vec![
            node(0, "0-1,4-5", "0-1,4-5", MemoryKind::Dram, &[10, 21, 31]),
            node(1, "2-3,6-7", "2-3,6-7", MemoryKind::Dram, &[21, 10, 17]),
            node(8, "", "2-3,6-7", MemoryKind::Hbm, &[31, 17, 10]),
        ],
        cpus: (0..8).map(cpu).collect(),
        caches: (0..4)
            .map(|core| Cache {
                level: 1,
                size: Bytes(32 << 10),
                cpus: [CpuId(core), CpuId(core + 4)].into_iter().collect(),
            })
            .collect(),
        attributes: vec![
            figure(AttributeKind::ReadLatency, 1, 80),
            figure(AttributeKind::ReadLatency, 8, 120),
            figure(AttributeKind::ReadBandwidth, 1, 90_000),
            figure(AttributeKind::ReadBandwidth, 8, 400_000),
            figure(AttributeKind::WriteBandwidth, 1, 90_000),
            figure(AttributeKind::WriteBandwidth, 8, 400_000),
        ],
        devices: Reading::unavailable("nobody looked"),
        allowed_cpus: set("0-2"),
        allowed_nodes: "0-1,8".parse().unwrap(),
        limits: vec![MachineNotice::AffinityMask {
            allowed: set("0-2"),
            cgroup: set("0-7"),
            file: "status".to_owned(),
        }],
    }
}

#[test]
fn a_machine_fits_one_screen() {
    let expected = "\
this machine: 2 packages, 4 cores, 8 CPUs (2 hardware threads a core), 3 nodes, 12 GiB of memory

  node  kind  memory   free  CPUs                allowed
     0  dram   4 GiB  3 GiB  0-1,4-5             0-1
     1  dram   4 GiB  3 GiB  2-3,6-7             2
     8  hbm    4 GiB  3 GiB  none; near 2-3,6-7  none
  node 8 is hbm: hwloc recognises HBM

  distances   0   1   8
  0          10  21  31
  1          21  10  17
  8          31  17  10

  caches: 4 x L1 32 KiB for 2 CPUs each

firmware's read latency to node (- is unknown)
                   1       8
  from node 1  80 ns  120 ns

firmware's read bandwidth and write bandwidth to node (- is unknown)
                       1           8
  from node 1  90.0 GB/s  400.0 GB/s

  devices: unavailable (nobody looked)

What limits you here:
  - The affinity mask leaves 3 of 8 CPUs (0-2). Reported by sched_getaffinity, Cpus_allowed_list
    in status. Who can lift it: whoever started us (taskset, numactl, srun, mpirun --bind-to);
    taskset -c 0-7 in front of numawise undoes it.
";
    assert_eq!(shown(&example()), expected);
}

#[test]
fn what_is_not_known_is_said_and_never_zero() {
    let mut machine = example();
    machine.source = Source::Xml("m.xml".to_owned());
    machine.limits.clear();
    for node in &mut machine.nodes {
        node.memory = Reading::unavailable("not told");
        node.free = Reading::unavailable("recorded");
        node.distances = Reading::unavailable("there are none");
    }
    let text = shown(&machine);
    assert!(text.contains("3 nodes, memory unknown\n"), "{text}");
    assert!(text.contains("     0  dram  unknown  0-1,4-5"), "{text}");
    assert!(text.contains("distances: unavailable (there are none)"), "{text}");
    assert!(!text.contains("0 B"), "{text}");
    assert!(text.ends_with("Nothing was kept from whoever recorded this machine.\n"), "{text}");
}

#[test]
fn limits_that_take_no_cpus_leave_the_rest() {
    let mut machine = example();
    machine.allowed_cpus = machine.online();
    machine.limits = vec![MachineNotice::CpuQuota { cpus: 2.5, file: "cpu.max".to_owned() }];
    let text = shown(&machine);
    assert!(text.contains("Apart from that, all CPUs and the memory of all nodes may be used."), "{text}");
    assert!(!text.contains("allowed"), "{text}");
    machine.limits.clear();
    assert!(shown(&machine).contains("Nothing limits you here: all CPUs"));
}

#[test]
fn kinds_of_cores_are_listed_when_they_are_known() {
    let mut machine = example();
    for cpu in &mut machine.cpus {
        cpu.efficiency = Reading::Measured(u32::from(cpu.core < 2));
    }
    let text = shown(&machine);
    let line = "kinds of cores, the most efficient first: CPUs 2-3,6-7; CPUs 0-1,4-5\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn lines_stay_within_the_width() {
    let mut machine = example();
    let problem = "somebody ".repeat(60);
    machine.limits = vec![MachineNotice::PolicyCallsUnknown { problem }];
    let long = shown(&machine).lines().map(|line| line.chars().count()).max();
    assert!(long.is_some_and(|long| long <= 96), "{long:?}");
}

#[test]
fn the_json_is_as_documented() {
    let value = json(&example());
    assert_eq!(value["schema"], "numawise/machine/1");
    assert_eq!(value["source"]["kind"], "live");
    assert_eq!(value["cpus"], "0-7");
    assert_eq!(value["allowed_cpus"], "0-2");
    assert_eq!(value["allowed_nodes"], "0-1,8");
    let hbm = &value["nodes"][2];
    assert_eq!(hbm["id"], 8);
    assert_eq!(hbm["cpus"], "");
    assert_eq!(hbm["near"], "2-3,6-7");
    assert_eq!(hbm["memory_bytes"], 4_294_967_296u64);
    assert_eq!(hbm["free_bytes"], 3_221_225_472u64);
    assert_eq!(hbm["kind"], "hbm");
    assert_eq!(hbm["distances"], serde_json::json!([31, 17, 10]));
    assert_eq!(value["packages"][1], serde_json::json!({"index": 1, "cpus": "2-3,6-7"}));
    assert_eq!(value["cores"].as_array().unwrap().len(), 4);
    assert_eq!(value["cores"][1]["cpus"], serde_json::json!([1, 5]));
    assert_eq!(value["cores"][1]["efficiency"]["unavailable"], "all alike");
    assert_eq!(value["caches"][0]["size_bytes"], 32_768);
    let declared = serde_json::json!({"value": 400e9, "unit": "B/s", "samples": 0});
    assert_eq!(value["attributes"][5]["figure"], declared);
    let evidence = serde_json::json!({"by": "recognised", "memory": "hbm", "text": "hwloc recognises HBM"});
    assert_eq!(hbm["kind_evidence"], evidence);
    assert_eq!(value["attributes"][0]["target_node"], 1);
    let limit = &value["limits"][0];
    assert_eq!(limit["code"], "NW203");
    assert_eq!(limit["arguments"], serde_json::json!({"allowed": "0-2", "cgroup": "0-7", "file": "status"}));
    assert_eq!(limit["text"], "the affinity mask leaves 3 of 8 CPUs (0-2)");
    assert_eq!(limit["source"], "sched_getaffinity, Cpus_allowed_list in status");
    assert_eq!(limit["lifted_by"], "caller");
    assert!(limit["lift"].as_str().unwrap().starts_with("whoever started us"), "{limit}");
}

#[test]
fn unavailable_values_carry_their_reason_in_json() {
    let mut machine = example();
    machine.nodes[0].memory = Reading::unavailable("nobody told");
    machine.nodes[0].distances = Reading::unavailable("no matrix");
    let value = json(&machine);
    assert_eq!(value["nodes"][0]["memory_bytes"]["unavailable"], "nobody told");
    assert_eq!(value["nodes"][0]["distances"]["unavailable"], "no matrix");
}

#[test]
fn measured_figures_have_tables_of_their_own() {
    let mut machine = example();
    let declared = shown(&machine);
    assert!(declared.contains("firmware's") && !declared.contains("measured"), "{declared}");
    let latency = Estimate {
        median: Latency(141.3),
        low: Latency(140.0),
        high: Latency(143.5),
        samples: 9,
        disturbed: 1,
    };
    machine.attributes.push(Attribute {
        access: MemoryAccess::Read,
        origin: AttributeOrigin::Measured,
        initiator: set("0-1,4-5"),
        target: NodeId(1),
        figure: Figure::Latency(latency),
    });
    let text = shown(&machine);
    assert!(text.contains("\nmeasured read latency to node (- is unknown)\n"), "{text}");
    let table = text.split_once("measured read latency").unwrap().1;
    assert!(table.contains("from node 0") && table.contains("141 ns"), "{text}");
    let json = json(&machine);
    let origins: Vec<&str> =
        json["attributes"].as_array().unwrap().iter().map(|a| a["origin"].as_str().unwrap()).collect();
    assert_eq!((origins[0], *origins.last().unwrap()), ("firmware", "measured"));
    let measured = &json["attributes"][6]["figure"];
    let expected =
        serde_json::json!({"value": 141.3, "unit": "ns", "samples": 9, "low": 140.0, "high": 143.5});
    assert_eq!(*measured, expected, "the interval is kept");
}

#[test]
fn devices_are_shown_with_what_they_are_near_to() {
    let device = |kind, number, name: &str, locality| Device {
        kind,
        number,
        names: vec![name.to_owned()],
        pci: Some("3b:00.0".parse().unwrap()),
        vendor: Some(PciVendor::NVIDIA),
        model: None,
        locality,
    };
    let near = |nodes: &str, cpus: &str| {
        Reading::Measured(DeviceLocality { cpus: set(cpus), nodes: nodes.parse().unwrap() })
    };
    let mut machine = example();
    machine.devices = Reading::Measured(vec![
        device(DeviceKind::Gpu, 0, "nvml0", near("1", "2-3,6-7")),
        device(DeviceKind::Nic, 0, "eth0", near("0-1", "2-3")),
        device(DeviceKind::Nic, 1, "eth1", Reading::unavailable("-1")),
    ]);
    let text = shown(&machine);
    let expected = "
  device  names  PCI address   vendor  near
  gpu:0   nvml0  0000:3b:00.0  NVIDIA  node 1
  nic:0   eth0   0000:3b:00.0  NVIDIA  nodes 0-1, CPUs 2-3
  nic:1   eth1   0000:3b:00.0  NVIDIA  unknown
  nic:1 is near to no node that is known: -1
";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("No GPU"), "{text}");
    let value = json(&machine);
    assert_eq!(value["devices"][0]["near"]["nodes"], "1");
    assert_eq!(value["devices"][2]["near"]["unavailable"], "-1");
    machine.devices = Reading::Measured(vec![]);
    assert!(shown(&machine).contains("\n  No GPU was found.\n"), "{}", shown(&machine));
    assert_eq!(json(&machine)["devices"], serde_json::json!([]));
}
