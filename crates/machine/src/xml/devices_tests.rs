use numawise_facts::{DeviceKind, Machine, Source};

use super::*;

/// Two nodes with the CPUs 0-1 and 2-3; `inside` hangs on node 1, `beside` on the machine.
fn machine(inside: &str, beside: &str) -> Machine {
    let part = |node: u32, cpus: &str, inside: &str| {
        format!(
            "<object type=\"Group\" cpuset=\"{cpus}\" nodeset=\"{:#x}\"><object type=\"NUMANode\" os_index=\"{node}\" cpuset=\"{cpus}\" \
             nodeset=\"{:#x}\" gp_index=\"{}\"/>{}{inside}</object>",
            1 << node,
            1 << node,
            node + 10,
            (2 * node..2 * node + 2)
                .map(|cpu| format!("<object type=\"PU\" os_index=\"{cpu}\" cpuset=\"{:#x}\"/>", 1 << cpu))
                .collect::<String>()
        )
    };
    let text = format!(
        "<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"0xf\" complete_cpuset=\"0xf\" nodeset=\"0x3\">{}{}{beside}</object></topology>",
        part(0, "0x3", ""),
        part(1, "0xc", inside)
    );
    crate::xml::machine(&text, Source::Xml("a test".to_owned()), None).unwrap()
}

const GPU: &str = "<object type=\"Bridge\"><object type=\"PCIDev\" pci_busid=\"0004:04:00.0\" pci_type=\"0302 [10de:1db1] [10de:1212] a1\">\
    <info name=\"PCIDevice\" value=\"V100\"/><object type=\"OSDev\" name=\"cuda0\" subtype=\"CUDA\" osdev_type=\"5\"/>\
    <object type=\"OSDev\" name=\"nvml0\" osdev_type=\"1\"/></object></object>";

#[test]
fn devices_are_near_to_the_part_of_the_machine_that_they_hang_on() {
    let machine = machine(GPU, "");
    let [gpu] = machine.known_devices() else { panic!("{:?}", machine.devices) };
    assert_eq!((gpu.kind, gpu.number, gpu.names.join(" ").as_str()), (DeviceKind::Gpu, 0, "cuda0 nvml0"));
    assert_eq!((gpu.vendor, gpu.model.as_deref()), (Some(PciVendor::NVIDIA), Some("V100")));
    let near = gpu.locality.measured().unwrap();
    assert_eq!((near.cpus.to_string(), near.nodes.to_string()), ("2-3".to_owned(), "1".to_owned()));
}

#[test]
fn what_hangs_on_the_whole_machine_is_near_to_no_node_that_is_known() {
    let disk = "<object type=\"OSDev\" name=\"sda\" subtype=\"Disk\" osdev_type=\"0\"/>";
    let machine = machine("", disk);
    let [disk] = machine.known_devices() else { panic!("{:?}", machine.devices) };
    assert_eq!((disk.name().as_str(), disk.pci), ("storage:0", None));
    assert!(disk.locality.reason().unwrap().to_string().contains("beside the whole machine"));
}

#[test]
fn what_hangs_on_a_part_that_is_left_out_is_near_to_nothing_that_is_known() {
    let beside = format!("<object type=\"Group\" cpuset=\"0x0\" nodeset=\"0x0\">{GPU}</object>");
    let machine = machine("", &beside);
    assert!(machine.known_devices()[0].locality.reason().unwrap().to_string().contains("leaves out"));
}

#[test]
fn a_file_without_devices_does_not_say_that_there_are_none() {
    assert!(machine("", "").devices.reason().unwrap().to_string().contains("no devices in it"));
    assert_eq!(machine("<object type=\"Bridge\"/>", "").devices, Reading::Measured(vec![]));
}

#[test]
fn what_makes_no_sense_is_not_known() {
    let strange = "<object type=\"PCIDev\" pci_busid=\"zz\" pci_type=\"0302\"><object type=\"OSDev\" osdev_type=\"5\"/>\
        <object type=\"OSDev\" name=\"x\" osdev_type=\"99\"/></object>";
    let machine = machine(strange, "");
    let [device] = machine.known_devices() else { panic!("{:?}", machine.devices) };
    assert_eq!((device.kind, device.pci, device.vendor), (DeviceKind::Other, None, None));
}
