use super::*;
use crate::fixture::Fixture;

const CARD: &str = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0";
const DISK: &str = "/sys/devices/pci0000:00/0000:00:02.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";

/// Two network cards, a disk with a partition, and what people build of such.
fn machine() -> Fixture {
    let tree = Fixture::empty();
    tree.write(&format!("{CARD}/numa_node"), "1\n");
    tree.point("/sys/bus/pci/devices/0000:3b:00.0", CARD);
    tree.device(&format!("{CARD}/net/eth0"), "/sys/class/net/eth0");
    tree.write("/sys/devices/pci0000:00/0000:00:02.0/numa_node", "0\n");
    tree.point("/sys/bus/pci/devices/0000:00:02.0", "/sys/devices/pci0000:00/0000:00:02.0");
    tree.device(DISK, "/sys/class/block/sda");
    tree.device(&format!("{DISK}/sda1"), "/sys/class/block/sda1");
    let other = "/sys/devices/pci0001:80/0001:80:01.3";
    tree.write(&format!("{other}/numa_node"), "12\n");
    tree.point("/sys/bus/pci/devices/0001:80:01.3", other);
    tree.device(&format!("{other}/net/eth1"), "/sys/class/net/eth1");
    tree.write("/sys/devices/pci0000:00/0000:00:03.0/numa_node", "-1\n");
    tree.point("/sys/bus/pci/devices/0000:00:03.0", "/sys/devices/pci0000:00/0000:00:03.0");
    tree.device("/sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth9", "/sys/class/net/eth9");
    let made = "/sys/devices/virtual/net";
    tree.device(&format!("{made}/lo"), "/sys/class/net/lo");
    tree.device(&format!("{made}/bond0"), "/sys/class/net/bond0");
    tree.point(&format!("{made}/bond0/lower_eth0"), &format!("{CARD}/net/eth0"));
    tree.point(&format!("{made}/bond0/lower_eth1"), &format!("{other}/net/eth1"));
    tree.device(&format!("{made}/bond0.100"), "/sys/class/net/bond0.100");
    tree.point(&format!("{made}/bond0.100/lower_bond0"), &format!("{made}/bond0"));
    tree.device(&format!("{made}/half"), "/sys/class/net/half");
    tree.point(&format!("{made}/half/lower_eth0"), &format!("{CARD}/net/eth0"));
    tree.point(&format!("{made}/half/lower_eth9"), "/sys/class/net/eth9");
    tree.device(&format!("{made}/ring"), "/sys/class/net/ring");
    tree.point(&format!("{made}/ring/lower_ring"), &format!("{made}/ring"));
    let volume = "/sys/devices/virtual/block/dm-0";
    tree.device(volume, "/sys/class/block/dm-0");
    tree.point(&format!("{volume}/slaves/sda1"), &format!("{DISK}/sda1"));
    tree
}

fn told(tree: &Fixture, word: &str) -> Result<String, String> {
    let nodes = nodes_of_device(&tree.roots(), word).expect("a word of a device");
    nodes.map(|nodes| nodes.to_string()).map_err(|error| error.to_string())
}

#[test]
fn devices_have_the_nodes_of_their_hardware() {
    let tree = machine();
    for (word, nodes) in [
        ("netdev:eth0", "1"),
        ("netdev:eth1", "12"),
        ("block:sda", "0"),
        ("block:sda1", "0"),
        ("pci:3b:00.0", "1"),
        ("pci:3b:0", "1"),
        ("pci:0000:3B:00.0", "1"),
        ("pci:0:0:2", "0"),
        ("pci:1:80:1.3", "12"),
        ("netdev:bond0", "1,12"),
        ("netdev:bond0.100", "1,12"),
        ("block:dm-0", "0"),
    ] {
        assert_eq!(told(&tree, word).as_deref(), Ok(nodes), "{word}");
    }
}

#[test]
fn what_tells_no_node_says_why() {
    let tree = machine();
    for (word, parts) in [
        (
            "netdev:eth9",
            &["network device 'eth9'", "0000:00:03.0/numa_node holds '-1'", "give the number"][..],
        ),
        ("pci:00:03.0", &["PCI device '0000:00:03.0'", "holds '-1'"]),
        ("netdev:half", &["network device 'half' (", "holds '-1'"]),
        ("netdev:lo", &["'lo' is no hardware"]),
        ("netdev:ring", &["'ring' is no hardware"]),
        ("netdev:nope", &["no network device 'nope'", "bond0, bond0.100, eth0"]),
        ("block:nope", &["no block device 'nope'", "dm-0, sda, sda1"]),
        ("pci:ff:00.0", &["no PCI device '0000:ff:00.0'"]),
        ("block:/dev/sda", &["'/dev/sda' is no name of a block device", "use file:"]),
        ("netdev:", &["'' is no name"]),
        ("netdev:..", &["'..' is no name"]),
        ("pci:zz", &["'zz' is no name of a PCI device", "[domain:]bus:device[.function]"]),
        ("pci:", &["is no name"]),
        ("pci:1:2:3:4", &["is no name"]),
        ("pci:3b:00.", &["is no name"]),
        ("pci:+3b:00.0", &["is no name"]),
        ("pci:999999999:00:00.0", &["is no name"]),
        ("file:", &["cannot look at the file ''"]),
        ("file:/nowhere/at/all", &["cannot look at the file '/nowhere/at/all'", "No such file"]),
        ("ip:", &["cannot find the address of ''"]),
        ("ip:no such host", &["cannot find the address of 'no such host'"]),
    ] {
        let error = told(&tree, word).expect_err(word);
        assert!(parts.iter().all(|part| error.contains(part)), "{word}: {error}");
    }
}

#[test]
fn a_file_has_the_nodes_of_the_device_that_it_lies_on() {
    let tree = machine();
    let file = tree.roots().path("/some/file");
    tree.write("/some/file", "");
    let word = format!("file:{}", file.display());
    let error = told(&tree, &word).unwrap_err();
    assert!(error.contains("lies on no block device"), "{error}");
    let number = file.metadata().unwrap().dev();
    let link = format!("/sys/dev/block/{}:{}", libc::major(number), libc::minor(number));
    tree.point(&link, &format!("{DISK}/sda1"));
    assert_eq!(told(&tree, &word).as_deref(), Ok("0"));
}

#[test]
fn the_file_of_a_device_is_the_device() {
    let tree = machine();
    let error = told(&tree, "file:/dev/null").unwrap_err();
    assert!(error.contains("1:3"), "{error}");
    tree.point("/sys/dev/char/1:3", &format!("{CARD}/net/eth0"));
    assert_eq!(told(&tree, "file:/dev/null").as_deref(), Ok("1"));
}

#[test]
fn an_address_has_the_nodes_of_the_interface_on_the_way() {
    let tree = machine();
    // Where the kernel has no network at all there is nothing to try.
    match route::interface_to("127.0.0.1") {
        Ok(interface) if interface == "lo" => {
            let error = told(&tree, "ip:127.0.0.1").unwrap_err();
            assert!(error.contains("network device 'lo' is no hardware"), "{error}");
            tree.write("/sys/devices/virtual/net/lo/numa_node", "3");
            assert_eq!(told(&tree, "ip:127.0.0.1").as_deref(), Ok("3"));
        }
        other => println!("SKIPPED: no loopback network here: {other:?}"),
    }
}

#[test]
fn other_words_are_none_of_ours() {
    for word in ["", "0", "all", "netdev", "Netdev:eth0", "usb:1", " netdev:eth0"] {
        assert!(nodes_of_device(&Fixture::empty().roots(), word).is_none(), "{word}");
    }
}
