use super::*;

fn read_text(body: &str) -> Result<Machine, String> {
    let text = format!(
        "<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"0xf\" complete_cpuset=\"0xf\" \
         allowed_cpuset=\"0x7\" nodeset=\"0x3\" complete_nodeset=\"0x3\" allowed_nodeset=\"0x3\" gp_index=\"1\">{body}"
    );
    machine(&text, Source::Xml("a test".to_owned()), None).map_err(|error| error.to_string())
}

const NODES: &str = "<object type=\"NUMANode\" os_index=\"1\" cpuset=\"0xc\" gp_index=\"3\" local_memory=\"4096\"/>\
    <object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3\" gp_index=\"2\"/>";
const CPUS: &str = "<object type=\"PU\" os_index=\"2\" cpuset=\"0x4\"/><object type=\"PU\" os_index=\"0\" cpuset=\"0x1\"/>\
    <object type=\"PU\" os_index=\"1\" cpuset=\"0x2\"/>";

#[test]
fn bitmaps_are_words_with_the_highest_first() {
    let parse = |text: &str| bitmap::parse::<CpuId>(text).map(|set| set.to_string());
    assert_eq!(parse("0x0"), Ok(String::new()));
    assert_eq!(parse("0x00000003"), Ok("0-1".to_owned()));
    assert_eq!(parse("0x1,,0x80000000"), Ok("31,64".to_owned()));
    assert_eq!(parse("0x00000410,0x41041041"), Ok("0,6,12,18,24,30,36,42".to_owned()));
    assert_eq!(parse(""), Ok(String::new()));
    for wrong in ["0xg", "0x1 0x2", "0x123456789", "0xf...f", "0xf...f,0x0"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
    assert!(parse(&"0x1,".repeat(3000)).is_err(), "CPUs beyond Linux");
    assert_eq!(parse(&format!("{}0x1", ",".repeat(3000))), Ok("0".to_owned()), "zeros do not count");
}

#[test]
fn nodes_are_sorted_and_a_missing_size_beside_others_is_none() {
    let machine = read_text(&format!("{NODES}{CPUS}</object></topology>")).unwrap();
    let ids: Vec<u32> = machine.nodes.iter().map(|node| node.id.0).collect();
    assert_eq!(ids, [0, 1]);
    assert_eq!(machine.nodes[0].memory, Reading::Measured(Bytes(0)));
    assert_eq!(machine.allowed_nodes.to_string(), "1", "node 0 has nothing to give");
    assert_eq!(machine.online().to_string(), "0-2");
    assert_eq!(machine.nodes[1].near.to_string(), "2", "CPU 3 is not online");
    assert_eq!(machine.allowed_cpus.to_string(), "0-2");
}

#[test]
fn sizes_that_nobody_told_are_unavailable() {
    let nodes = NODES.replace(" local_memory=\"4096\"", "");
    let machine = read_text(&format!("{nodes}{CPUS}</object></topology>")).unwrap();
    assert!(machine.nodes.iter().all(|node| node.memory.measured().is_none()));
    assert_eq!(machine.allowed_nodes.to_string(), "0-1");
}

#[test]
fn distances_are_put_in_the_order_of_nodes() {
    let matrix = "<distances2 type=\"NUMANode\" nbobjs=\"2\" kind=\"8\" indexing=\"os\"><indexes>1 0</indexes>\
        <u64values>1 2 3 4</u64values></distances2>\
        <distances2 type=\"NUMANode\" nbobjs=\"2\" kind=\"5\" indexing=\"os\"><indexes>1 0</indexes>\
        <u64values>10 21</u64values><u64values>22 11</u64values></distances2>";
    let machine = read_text(&format!("{NODES}{CPUS}</object>{matrix}</topology>")).unwrap();
    assert_eq!(machine.nodes[0].distances, Reading::Measured(vec![11, 22]));
    assert_eq!(machine.nodes[1].distances, Reading::Measured(vec![21, 10]));
}

#[test]
fn a_matrix_without_some_nodes_is_unavailable() {
    let matrix = "<distances2 type=\"NUMANode\" nbobjs=\"1\" kind=\"5\" indexing=\"os\"><indexes>1</indexes>\
        <u64values>10</u64values></distances2>";
    let machine = read_text(&format!("{NODES}{CPUS}</object>{matrix}</topology>")).unwrap();
    assert!(machine.nodes.iter().all(|node| node.distances.measured().is_none()));
}

#[test]
fn attributes_may_name_objects_or_sets_and_strangers_are_left_out() {
    let attributes = "<memattr name=\"Bandwidth\">\
        <memattr_value target_obj_gp_index=\"2\" value=\"5\" initiator_cpuset=\"0x3\"/>\
        <memattr_value target_obj_gp_index=\"3\" value=\"6\" initiator_obj_gp_index=\"2\"/>\
        <memattr_value target_obj_gp_index=\"77\" value=\"7\" initiator_cpuset=\"0x3\"/>\
        <memattr_value target_obj_gp_index=\"3\" value=\"8\"/></memattr>\
        <memattr name=\"HappinessPerByte\"><memattr_value target_obj_gp_index=\"2\" value=\"9\" \
        initiator_cpuset=\"0x3\"/></memattr>";
    let machine = read_text(&format!("{NODES}{CPUS}</object>{attributes}</topology>")).unwrap();
    let found: Vec<(u32, f64, String)> = machine
        .attributes
        .iter()
        .map(|a| (a.target.0, a.figure.in_units_of_the_kernel(), a.initiator.to_string()))
        .collect();
    assert_eq!(found, [(0, 5.0, "0-1".to_owned()), (1, 6.0, "0-1".to_owned())]);
}

#[test]
fn kinds_of_cores_are_ranked_only_when_something_ranks_them() {
    let rank = |kinds: &str| {
        let machine = read_text(&format!("{NODES}{CPUS}</object>{kinds}</topology>")).unwrap();
        machine.cpus.iter().map(|cpu| cpu.efficiency.measured().copied()).collect::<Vec<_>>()
    };
    let info = |name: &str, value: &str| format!("<info name=\"{name}\" value=\"{value}\"/>");
    let two = |first: &str, second: &str| {
        format!("<cpukind cpuset=\"0x1\">{first}</cpukind><cpukind cpuset=\"0x6\">{second}</cpukind>")
    };
    assert_eq!(rank(""), [None, None, None]);
    assert_eq!(rank(&two("", "")), [None, None, None]);
    let types = two(&info("CoreType", "IntelCore"), &info("CoreType", "IntelAtom"));
    assert_eq!(rank(&types), [Some(1), Some(0), Some(0)]);
    let speeds = two(&info("FrequencyMaxMHz", "2000"), &info("FrequencyMaxMHz", "3000"));
    assert_eq!(rank(&speeds), [Some(0), Some(1), Some(1)]);
    let capacities = |[a, b, c]: [u32; 3]| {
        // hwloc ranks each step of them.
        let kind = |cpus: &str, step: u32, capacity: u32| {
            let capacity = info("LinuxCapacity", &capacity.to_string());
            format!("<cpukind cpuset=\"{cpus}\" forced_efficiency=\"{step}\">{capacity}</cpukind>")
        };
        [kind("0x1", 2, a), kind("0x2", 0, b), kind("0x4", 1, c)].concat()
    };
    assert_eq!(rank(&capacities([997, 718, 731])), [Some(1), Some(0), Some(0)]);
    assert_eq!(rank(&capacities([997, 1017, 1024])), [None, None, None]);
    let alike = two(&info("FrequencyMaxMHz", "2000"), &info("FrequencyMaxMHz", "2000"));
    assert_eq!(rank(&alike), [None, None, None]);
    let partly = two(&info("FrequencyMaxMHz", "2000"), "");
    assert_eq!(rank(&partly), [None, None, None]);
}

#[test]
fn nonsense_is_told_with_its_place() {
    for (body, words) in [
        ("</object></topology>".to_owned(), "it has no CPUs"),
        (format!("{CPUS}</object></topology>"), "it has no NUMA node"),
        (format!("{NODES}{NODES}{CPUS}</object></topology>"), "two nodes 1"),
        (format!("{NODES}<object type=\"PU\" cpuset=\"0x1\"/></object></topology>"), "a CPU has no os_index"),
        (
            format!("{NODES}<object type=\"PU\" os_index=\"x\" cpuset=\"0x1\"/></object></topology>"),
            "os_index is 'x', not a number",
        ),
        (
            format!("{NODES}<object type=\"PU\" os_index=\"70000\" cpuset=\"0x1\"/></object></topology>"),
            "CPU 70000 is above 8191",
        ),
        (
            format!(
                "{NODES}{CPUS}</object><distances2 type=\"NUMANode\" kind=\"5\" indexing=\"os\">\
                 <indexes>0 1</indexes><u64values>1 2 3</u64values></distances2></topology>"
            ),
            "3 values for 2 nodes",
        ),
        (format!("{NODES}{CPUS}</object>"), "a test' makes no sense"),
    ] {
        let message = read_text(&body).unwrap_err();
        assert!(message.contains(words), "{message}");
    }
}
