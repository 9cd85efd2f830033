use super::*;

fn found(pci: &str, class: u16, vendor: u16, names: &[(&str, Meaning)]) -> Found {
    let name = |(name, means): &(&str, Meaning)| OsName { name: (*name).to_owned(), means: *means };
    Found {
        pci: Some(pci.parse().unwrap()),
        class: Some(class),
        vendor: Some(PciVendor(vendor)),
        model: None,
        names: names.iter().map(name).collect(),
        locality: Reading::unavailable("not the matter"),
    }
}

fn kinds(found: Vec<Found>) -> Vec<String> {
    devices(found).iter().map(Device::name).collect()
}

#[test]
fn a_device_is_what_its_class_and_its_names_say() {
    use Meaning::{Block, Compute, Display, Network, Other};
    for (class, vendor, names, kind) in [
        (0x0302, 0x10de, vec![], Some("gpu:0")),
        (0x0300, 0x1002, vec![("card0", Display)], Some("gpu:0")),
        (0x0380, 0x1234, vec![("card0", Display), ("renderD128", Display)], Some("gpu:0")),
        (0x0300, 0x1a03, vec![("card0", Display)], Some("other:0")),
        (0x0300, 0x1a03, vec![], None),
        (0x1200, 0x1da3, vec![], Some("other:0")),
        (0x1200, 0x1da3, vec![("ze0", Compute)], Some("gpu:0")),
        (0x0207, 0x15b3, vec![("mlx5_0", Network)], Some("nic:0")),
        (0x0c06, 0x1077, vec![], Some("nic:0")),
        (0x0108, 0x144d, vec![("nvme0n1", Block)], Some("storage:0")),
        (0xffff, 0x1af4, vec![("vda", Block)], Some("storage:0")),
        (0x0880, 0x8086, vec![("dma0chan0", Other)], Some("other:0")),
        (0x0604, 0x8086, vec![], None),
    ] {
        let found = kinds(vec![found("3b:0", class, vendor, &names)]);
        assert_eq!(found.first().map(String::as_str), kind, "{class:04x} {vendor:04x} {names:?}");
    }
}

#[test]
fn numbers_follow_addresses_whatever_the_order_in_the_source() {
    let all = devices(vec![
        found("0035:03:0", 0x0302, 0x10de, &[("cuda2", Meaning::Compute)]),
        found("0004:04:0", 0x0302, 0x10de, &[("cuda0", Meaning::Compute)]),
        found("0003:01:0", 0x0207, 0x15b3, &[]),
        found("0004:05:0", 0x0302, 0x10de, &[]),
    ]);
    let told: Vec<String> = all.iter().map(|one| format!("{} {}", one.name(), one.pci.unwrap())).collect();
    assert_eq!(
        told,
        ["gpu:0 0004:04:00.0", "gpu:1 0004:05:00.0", "gpu:2 0035:03:00.0", "nic:0 0003:01:00.0"]
    );
}

#[test]
fn a_gpu_that_a_library_knows_without_an_address_is_the_one_on_the_bus() {
    let beside = |name| Found {
        pci: None,
        class: None,
        vendor: None,
        ..found("0:0", 0, 0, &[(name, Meaning::Compute)])
    };
    let on_bus = || {
        let (first, second) = (found("0:7", 0x0302, 0x10de, &[]), found("0:6", 0x0302, 0x10de, &[]));
        [first, second, found("0:3", 0x0200, 0x1af4, &[("eth0", Meaning::Network)])]
    };
    let told = |beside: &[Found]| {
        let all = devices(on_bus().into_iter().chain(beside.iter().cloned()).collect());
        all.iter().map(|one| format!("{} {}", one.name(), one.names.join(" "))).collect::<Vec<_>>()
    };
    let both = [beside("opencl0d0"), beside("opencl0d1")];
    assert_eq!(told(&both), ["gpu:0 opencl0d0", "gpu:1 opencl0d1", "nic:0 eth0"]);
    assert_eq!(told(&both[..1]), ["gpu:0 ", "gpu:1 ", "nic:0 eth0"], "which of the two is not known");
    assert_eq!(
        kinds(both.to_vec()),
        ["gpu:0", "gpu:1"],
        "where the bus is not shown they are all that is known"
    );
}

#[test]
fn a_divided_gpu_is_as_many_as_its_library_counts() {
    let name = |name| (name, Meaning::Compute);
    let all = devices(vec![
        found("c1:0", 0x0380, 0x1002, &[("card1", Meaning::Display), name("rsmi0"), name("rsmi1")]),
        found(
            "c6:0",
            0x0380,
            0x8086,
            &[name("ze0"), name("ze0.0"), name("ze0.1"), name("opencl0d0"), name("opencl1d0")],
        ),
    ]);
    let names: Vec<&[String]> = all.iter().map(|one| one.names.as_slice()).collect();
    assert_eq!(
        names,
        [
            ["rsmi0", "card1"].as_slice(),
            &["rsmi1", "card1"],
            &["ze0", "ze0.0", "ze0.1", "opencl0d0", "opencl1d0"]
        ]
    );
    assert_eq!(all[1].name(), "gpu:1");
    assert_eq!(all[0].pci, all[1].pci);
}
