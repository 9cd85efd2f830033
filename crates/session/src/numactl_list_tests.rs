use super::*;

fn allowed() -> NodeSet {
    "0,2-3,8".parse().unwrap()
}

fn parsed(text: &str) -> Result<String, String> {
    parse_nodes(text, &allowed()).map(|set| set.to_string()).map_err(|error| error.to_string())
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
        ("+all", "0,2-3,8"),
        ("0,all", "0,2-3,8"),
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
    assert_eq!(parsed("250-255").unwrap(), "250-255", "not its ends alone");
}

#[test]
fn broken_lists_say_what_is_wrong() {
    for (text, part) in [
        ("", "a number is missing"),
        ("0,", "a number is missing"),
        ("x", "'x' is neither a number nor a range"),
        ("0-", "'0-' is neither a number nor a range"),
        ("3-1", "the range '3-1' runs backwards"),
        ("0-8:2", "numactl knows no steps"),
        ("!", "a number is missing"),
        ("+", "a number is missing"),
        ("0 - x", "neither a number"),
        ("+9", "there is no node +9, only 4 are allowed (0,2-3,8)"),
        ("!0-8", "leaves no node; allowed are 0,2-3,8"),
        ("!all", "leaves no node; allowed are 0,2-3,8"),
        ("all,0", "'all' is neither a number"),
        ("99999999999", "node 99999999999 is above 1023, the highest that Linux gives"),
        ("0-60000", "node 60000 is above 1023, the highest that Linux gives"),
        ("netdev:no/such", "is no name of a network device"),
        ("file:/no/such", "cannot look at the file '/no/such'"),
        ("0,block:", "'' is no name of a block device"),
        ("!pci:x", "'x' is no name of a PCI device"),
        ("usb:1", "'usb:' names no device; expected netdev:, block:, pci:, file: or ip:"),
        ("Netdev:eth0", "'Netdev:' names no device"),
    ] {
        let error = parsed(text).unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn all_of_nothing_is_nothing() {
    let error = parse_cpus("all", &CpuSet::new()).unwrap_err();
    assert!(error.to_string().contains("leaves no CPU"), "{error}");
}

/// A tree of `/sys` with a disk on node 3 and a card on node 1, which is not allowed.
fn machine() -> (tempfile::TempDir, Roots) {
    let folder = tempfile::tempdir().unwrap();
    for (device, class, node) in
        [("0000:00:02.0/block/sd,a", "block/sd,a", "3"), ("0000:00:03.0/net/eth0", "net/eth0", "1")]
    {
        let hardware = folder.path().join("sys/devices/pci0000:00").join(device);
        std::fs::create_dir_all(&hardware).unwrap();
        std::fs::write(hardware.ancestors().nth(2).unwrap().join("numa_node"), node).unwrap();
        let link = folder.path().join("sys/class").join(class);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&hardware, link).unwrap();
    }
    let roots = Roots::at(folder.path());
    (folder, roots)
}

#[test]
fn a_device_stands_for_its_node() {
    let (_folder, roots) = machine();
    let parsed = |text: &str| parse_nodes_at(&roots, text, &allowed());
    for (text, expected) in [
        ("block:sd,a", "3"),
        ("0,block:sd,a", "0,3"),
        ("2-8,block:sd,a", "2-3,8"),
        ("!block:sd,a", "0,2,8"),
        // Position and device: the sign says nothing of a device, as in numactl.
        ("+block:sd,a", "3"),
        ("+0,block:sd,a", "0,3"),
        // Not allowed, for the placement to refuse, like the bare number.
        ("netdev:eth0", "1"),
    ] {
        assert_eq!(parsed(text).unwrap().to_string(), expected, "{text}");
    }
    let error = parsed("block:sd,a,0").unwrap_err().to_string();
    assert!(error.starts_with("'block:sd,a,0': there is no block device 'sd,a,0'"), "{error}");
}

#[test]
fn no_device_names_a_cpu() {
    for text in ["netdev:eth0", "0,file:/", "!ip:localhost", "pci:0:0", "block:sda"] {
        let error = parse_cpus(text, &"0-3".parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains("near a node, not a CPU"), "{text}: {error}");
    }
}
