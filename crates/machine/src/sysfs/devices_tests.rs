use super::*;
use crate::fixture::Fixture;
use crate::quick;

/// A device on the bus, with its class, its maker and what the firmware says of its node.
fn card(tree: &Fixture, address: &str, class: &str, vendor: &str, node: &str) -> String {
    let folder = format!("/sys/devices/pci0000:3a/{address}");
    for (file, text) in [("class", class), ("vendor", vendor), ("numa_node", node)] {
        tree.write(&format!("{folder}/{file}"), &format!("{text}\n"));
    }
    tree.point(&format!("{PCI}/{address}"), &folder);
    folder
}

/// Nodes 0 and 1 with CPUs 0-1,4-5 and 2-3,6-7.
fn two_sockets() -> Fixture {
    let tree = Fixture::named("two-socket");
    let gpu = card(&tree, "0000:3b:00.0", "0x030200", "0x10de", "1");
    tree.write(&format!("{gpu}/local_cpulist"), "2,6\n");
    for name in ["card1", "card1-DP-1", "renderD128"] {
        tree.device(&format!("{gpu}/drm/{name}"), &format!("/sys/class/drm/{name}"));
    }
    let nic = card(&tree, "0000:5e:00.0", "0x020700", "0x15b3", "0");
    tree.device(&format!("{nic}/infiniband/mlx5_0"), "/sys/class/infiniband/mlx5_0");
    tree.device(&format!("{nic}/net/ib0"), "/sys/class/net/ib0");
    tree.device("/sys/devices/virtual/net/lo", "/sys/class/net/lo");
    let disk = card(&tree, "0000:5f:00.0", "0x010802", "0x144d", "-1");
    tree.device(&format!("{disk}/nvme/nvme0/nvme0n1"), "/sys/class/block/nvme0n1");
    tree.write(&format!("{disk}/nvme/nvme0/nvme0n1/nvme0n1p1/partition"), "1\n");
    tree.point("/sys/class/block/nvme0n1p1", &format!("{disk}/nvme/nvme0/nvme0n1/nvme0n1p1"));
    tree.device("/sys/devices/platform/soc/eth9", "/sys/class/net/eth9");
    card(&tree, "0000:00:01.0", "0x060400", "0x8086", "0");
    card(&tree, "0000:03:00.0", "0x030000", "0x1a03", "0");
    tree
}

fn read(tree: &Fixture) -> Vec<Device> {
    let roots = tree.roots();
    devices(&roots, &quick(&roots).unwrap()).measured().expect("there are devices").clone()
}

fn near(device: &Device) -> String {
    match &device.locality {
        Reading::Measured(near) => format!("nodes {} CPUs {}", near.nodes, near.cpus),
        Reading::Unavailable { unavailable } => unavailable.to_string(),
    }
}

#[test]
fn devices_have_the_names_of_drivers_and_the_node_of_the_firmware() {
    let all = read(&two_sockets());
    let told: Vec<String> = all.iter().map(|one| format!("{} {}", one.name(), one.names.join(" "))).collect();
    assert_eq!(told, ["gpu:0 card1 renderD128", "nic:0 mlx5_0 ib0", "nic:1 eth9", "storage:0 nvme0n1"]);
    assert_eq!(near(&all[0]), "nodes 1 CPUs 2,6", "the firmware names some of the node's CPUs");
    assert_eq!(all[0].vendor, Some(PciVendor::NVIDIA));
    assert_eq!(near(&all[1]), "nodes 0 CPUs 0-1,4-5");
    assert_eq!((all[2].pci, near(&all[2]).as_str()), (None, "the kernel does not know its node"));
}

#[test]
fn a_device_whose_node_the_kernel_does_not_know_says_so() {
    let disk = &read(&two_sockets())[3];
    assert!(
        near(disk).contains("numa_node holds '-1' (-1 is unknown: the firmware does not tell"),
        "{}",
        near(disk)
    );
    for strange in ["7", "x", ""] {
        let tree = two_sockets();
        tree.write("/sys/devices/pci0000:3a/0000:5e:00.0/numa_node", strange);
        let nic = &read(&tree)[1];
        assert!(near(nic).contains(&format!("holds '{strange}'")), "{}", near(nic));
    }
}

#[test]
fn on_a_machine_of_one_node_there_is_nothing_to_know() {
    let tree = Fixture::named("no-numa");
    card(&tree, "0000:00:03.0", "0x020000", "0x1af4", "-1");
    let online = quick(&tree.roots()).unwrap().online();
    assert_eq!(near(&read(&tree)[0]), format!("nodes 0 CPUs {online}"));
}

#[test]
fn a_kernel_that_does_not_show_devices_is_no_machine_without_any() {
    let tree = Fixture::named("two-socket");
    let roots = tree.roots();
    let machine = quick(&roots).unwrap();
    assert!(devices(&roots, &machine).reason().unwrap().to_string().contains("/sys/bus/pci"));
    std::fs::create_dir_all(roots.path(PCI)).unwrap();
    assert_eq!(devices(&roots, &machine), Reading::Measured(vec![]));
}
